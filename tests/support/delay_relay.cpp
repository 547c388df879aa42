// Carries every frame between two new TAP devices and delays it by a fixed time: a double of a long
// line, which loses nothing.
//
//   delay_relay MICROSECONDS DEVICE DEVICE
//
// Makes both devices in its network namespace, writes a line when they are there, and runs until it
// is killed. Frames keep their offload header, so that one of 64 KiB crosses as one; what waits is
// in memory, up to 256 MiB in each direction, and beyond that in the queue of the device.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kCapacity = size_t{256} << 20;
constexpr size_t kLongestFrame = 65536 + 256;
constexpr int kFramesAtOnce = 64;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "delay_relay: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1000000000} + time.tv_nsec;
}

int open_device(const char* name) {
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("cannot open /dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (ioctl(device, TUNSETIFF, &request) != 0) fail(name);
  if (ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) != 0) fail("offloads");
  return device;
}

// A ring of frames in the order they came, each behind the time at which it is due.
class Direction {
 public:
  Direction(int from, int to, int64_t delay) : from_(from), to_(to), delay_(delay) {
    void* memory = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("memory");
    ring_ = static_cast<char*>(memory);
  }

  bool has_room() const { return room() > 0; }
  int64_t next_due() const { return head_ == tail_ ? INT64_MAX : first().due; }

  void take() {
    for (int count = 0; count < kFramesAtOnce && has_room(); ++count) {
      const size_t place = room();
      char* const start = ring_ + (place == kAtStart ? 0 : tail_);
      const ssize_t length = read(from_, start + sizeof(Header), kLongestFrame);
      if (length < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        fail("cannot read");
      }
      if (place == kAtStart) {
        put(tail_, {0, 0});  // the rest of the ring is not used this time
        tail_ = 0;
      }
      put(tail_, {now() + delay_, static_cast<uint64_t>(length)});
      tail_ += size_of(static_cast<uint64_t>(length));
    }
  }

  void give(int64_t time) {
    while (head_ != tail_ && first().due <= time) {
      skip_to_start();
      const Header header = at(head_);
      // A device that is down refuses frames: what a cut line does.
      if (write(to_, ring_ + head_ + sizeof(Header), header.length) < 0 && errno == EAGAIN) return;
      head_ += size_of(header.length);
    }
  }

 private:
  struct Header {
    int64_t due;
    uint64_t length;  // 0: go on at the start of the ring
  };
  static constexpr size_t kAtTail = 1, kAtStart = 2;

  static size_t size_of(uint64_t length) {
    return sizeof(Header) + ((length + 15) & ~uint64_t{15});
  }
  Header at(size_t place) const {
    Header header{};
    std::memcpy(&header, ring_ + place, sizeof(header));
    return header;
  }
  void put(size_t place, Header header) { std::memcpy(ring_ + place, &header, sizeof(header)); }
  Header first() const {
    const Header header = at(head_);
    return header.length == 0 ? at(0) : header;
  }
  void skip_to_start() {
    if (at(head_).length == 0) head_ = 0;
  }

  // Where the longest frame has room, the mark that leads to the start included; 0 if nowhere.
  size_t room() const {
    constexpr size_t need = kLongestFrame + 2 * sizeof(Header);
    if (tail_ < head_) return head_ - tail_ > need ? kAtTail : 0;
    if (kCapacity - tail_ > need + sizeof(Header)) return kAtTail;
    return head_ > need ? kAtStart : 0;
  }

  int from_, to_;
  int64_t delay_;
  char* ring_;
  size_t head_ = 0, tail_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: delay_relay MICROSECONDS DEVICE DEVICE\n");
    return 2;
  }
  const int64_t delay = std::atoll(arguments[1]) * 1000;
  const int one = open_device(arguments[2]), other = open_device(arguments[3]);
  Direction there(one, other, delay), back(other, one, delay);
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::puts("ready");
  std::fflush(stdout);
  while (true) {
    pollfd inputs[] = {{one, static_cast<short>(there.has_room() ? POLLIN : 0), 0},
                       {other, static_cast<short>(back.has_room() ? POLLIN : 0), 0}};
    const int64_t due = std::min(there.next_due(), back.next_due());
    const int64_t wait = std::max<int64_t>(0, due - now());
    const timespec timeout{wait / 1000000000, wait % 1000000000};
    if (ppoll(inputs, 2, due == INT64_MAX ? nullptr : &timeout, nullptr) < 0 && errno != EINTR) {
      fail("cannot wait");
    }
    if (inputs[0].revents & POLLIN) there.take();
    if (inputs[1].revents & POLLIN) back.take();
    const int64_t time = now();
    there.give(time);
    back.give(time);
  }
}
