// Sends over TLS links, each on its own thread.
#include "engine/transfer/direct_sender.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "topsctl/base/error.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// On a slower network, digests are no bottleneck, and little data is lost with a link.
bool is_fast(std::uint64_t sent, std::chrono::steady_clock::time_point begun) {
  constexpr std::uint64_t fast_per_s = 200'000'000;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  return static_cast<double>(sent) > took.count() * fast_per_s;
}

// The file that a chunk is read from.
// Read, not mapped: mapping costs as much CPU, and a file that is cut while it is sent would end
// the process by SIGBUS.
class OpenChunk {
 public:
  OpenChunk(std::string file, const ChunkPlace& place)
      : file_(std::move(file)),
        begin_(place.chunk * chunk_bytes),
        input_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!input_.is_open()) throw system_error(errno, "read", file_, ErrorCode::bad_bundle);
  }

  // Reads all of it; `from` counts from the beginning of the chunk.
  void read(std::uint64_t from, std::span<char> bytes) const {
    while (!bytes.empty()) {
      const ssize_t got =
          ::pread(input_.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin_ + from));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw changed_while_sent(file_);
      from += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }

 private:
  std::string file_;
  std::uint64_t begin_;
  Descriptor input_;
};

}  // namespace

DirectSender::DirectSender(ChunkWork& work, RateLimit& limit, DirectPlace there, const Bell& owner)
    : work_(work),
      limit_(limit),
      there_(std::move(there)),
      owner_(owner),
      connecting_(static_cast<int>(there_.links)) {
  for (unsigned i = 0; i < there_.links; ++i) work_.add(links_.emplace_back().bell);
  for (Link& each : links_) each.thread = std::thread([this, &each] { run(each); });
}

DirectSender::~DirectSender() {
  give_up();
  for (Link& each : links_) each.thread.join();
  for (Link& each : links_) work_.remove(each.bell);
}

void DirectSender::give_up() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_given_up_ = true;
  for (Link& each : links_) {
    if (each.link != nullptr) each.link->abort();
    each.bell.ring();
  }
}

bool DirectSender::is_given_up() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_given_up_;
}

void DirectSender::count(int connecting, int sending, std::exception_ptr failure) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    connecting_ += connecting;
    sending_ += sending;
    was_reached_ = was_reached_ || sending > 0;
    if (failure) failure_ = std::move(failure);
  }
  has_changed_.notify_all();
  owner_.ring();
}

bool DirectSender::is_reached(std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> lock(mutex_);
  has_changed_.wait_for(lock, patience, [this] { return was_reached_ || connecting_ == 0; });
  return was_reached_;
}

bool DirectSender::is_sending() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sending_ > 0 && !is_given_up_;
}

bool DirectSender::has_ended() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return connecting_ == 0 && sending_ == 0;
}

bool DirectSender::take_ack(const ChunkPlace& place) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return unanswered_.erase(place) > 0;
}

void DirectSender::put_back() {
  const std::lock_guard<std::mutex> lock(mutex_);
  work_.put_back(std::exchange(unanswered_, {}));
}

void DirectSender::run(Link& own) {
  std::unique_ptr<PskTlsLink> link;
  try {
    link = PskTlsLink::connect(there_.address, there_.port, there_.key, direct_patience);
  } catch (const Error&) {
    return count(-1, 0);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    own.link = link.get();
  }
  count(-1, 1);
  std::exception_ptr failure;
  try {
    send_all(own, *link);
  } catch (const ConnectionLost&) {
    // The remaining chunks are sent over SSH.
    give_up();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    own.link = nullptr;
  }
  count(0, -1, failure);
}

void DirectSender::send_all(Link& own, PskTlsLink& link) {
  const auto begun = std::chrono::steady_clock::now();
  std::uint64_t sent = 0;
  for (;;) {
    own.bell.silence();
    if (is_given_up()) return;
    if (work_.is_over()) return link.finish();
    const std::vector<ChunkPlace> places = work_.take_some(is_fast(sent, begun) ? there_.lanes : 1);
    if (places.empty()) {
      // Data in the socket may never be read: only the end of the link shows that.
      wait_for({own.bell.descriptor(), link.descriptor()});
      throw_if_interrupted();
      if (!work_.is_over() && wait_for({link.descriptor()}, WaitLimit(0)))
        throw ConnectionLost("cannot send: the other host has ended the connection");
      continue;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      unanswered_.insert(places.begin(), places.end());
    }
    read_chunks(work_, limit_, places, [&](std::string_view bytes) {
      link.write(bytes);
      sent += bytes.size();
    });
    for (const ChunkPlace& place : places) work_.count_sent(place);
  }
}

void read_chunks(const ChunkWork& work, RateLimit& limit, std::span<const ChunkPlace> places,
                 const std::function<void(std::string_view)>& send) {
  const std::uint64_t size = work.size_of(places[0]);
  std::vector<OpenChunk> sources;
  for (const ChunkPlace& place : places)
    sources.emplace_back(work.file_of(place).file.string(), place);
  send(places.size() == 1 ? chunk_head(places[0], size) : chunks_head(places));
  const auto buffer = std::make_unique_for_overwrite<char[]>(interleaved_bytes);
  for (std::uint64_t done = 0; done < size; done += interleaved_bytes) {
    const std::span<char> piece(buffer.get(), std::min(interleaved_bytes, size - done));
    for (const OpenChunk& source : sources) {
      source.read(done, piece);
      limit.take(piece.size());
      send({piece.data(), piece.size()});
    }
  }
}

}  // namespace topsctl
