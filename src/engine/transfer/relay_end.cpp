// Receives and forwards the chunks of a relay, on separate threads.
#include "engine/transfer/relay_end.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::chrono::seconds connect_timeout(5);
constexpr std::int64_t direct_wait_ms = 30'000;
constexpr std::uint64_t block = 256U << 10U;  // bytes that are passed on at once

struct SshEnds {
  std::string client;
  std::string server;
};

// "client-address client-port server-address server-port".
SshEnds ends_of_ssh(const Host& host) {
  const auto connection = host.environment.find("SSH_CONNECTION");
  if (connection == host.environment.end()) return {};
  const std::vector<std::string> parts = split(connection->second, ' ');
  return parts.size() == 4 ? SshEnds{parts[0], parts[2]} : SshEnds();
}

static_assert(most_interleaved == Sha256::most_lanes);

// The data of one link, which may only be chunks.
class LinkChunks {
 public:
  // `taken`: what a relay must not send, as it sends each chunk once.
  LinkChunks(PskTlsLink& link, ChunkIntake& intake, bool is_of_relay, std::set<ChunkPlace> taken)
      : link_(link), intake_(intake), is_of_relay_(is_of_relay), taken_(std::move(taken)) {}

  // Until the other side has ended it in order. Throws Error.
  void take_all() {
    std::array<char, LinkFrame::head_bytes> head{};
    while (fill(head)) take(LinkFrame::parse({head.data(), head.size()}));
  }

 private:
  void take(const LinkFrame& frame) {
    std::vector<ChunkPlace> places;
    for (unsigned i = 0; i < frame.chunks; ++i) {
      std::array<char, LinkFrame::place_bytes> place{};
      require(fill(place));
      places.push_back(LinkFrame::parse_place({place.data(), place.size()}));
      // A relay sends each chunk once: a second one would replace what was verified.
      require(!is_of_relay_ || taken_.insert(places.back()).second);
    }
    intake_.begin(places, frame.size);
    for (std::uint64_t done = 0; done < frame.size; done += interleaved_bytes) {
      const std::uint64_t size = std::min(interleaved_bytes, frame.size - done);
      buffer_.resize(std::max<std::size_t>(buffer_.size(), frame.chunks * size));
      const std::span<char> bytes(buffer_.data(), frame.chunks * size);
      require(fill(bytes));
      pieces_.clear();
      for (unsigned i = 0; i < frame.chunks; ++i)
        pieces_.emplace_back(bytes.data() + i * size, size);
      intake_.take(pieces_);
    }
    intake_.end();
  }

  // Whether there was anything.
  bool fill(std::span<char> bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const std::size_t got = link_.read(bytes.subspan(done));
      if (got == 0 && done == 0) return false;
      require(got > 0);
      done += got;
    }
    return true;
  }

  static void require(bool is_there) {
    if (!is_there) throw ConnectionLost("the last chunk is not whole");
  }

  PskTlsLink& link_;
  ChunkIntake& intake_;
  bool is_of_relay_;
  std::set<ChunkPlace> taken_;  // from a relay
  std::vector<char> buffer_;
  std::vector<std::string_view> pieces_;
};

}  // namespace

RelayListening RelayIntake::listen(const Host& host, const LinkWish& wish) {
  stop();
  const auto [client, address] = ends_of_ssh(host);
  if (address.empty()) return {"", 0, "it does not know its own address"};
  PskTlsWait wait{address, wish.key, wish.first_port, wish.last_port};
  if (wish.direct_links > 0) {
    wait.peer = client;
    wait.timeout_ms = direct_wait_ms;
  }
  try {
    listener_ = std::make_unique<PskTlsListener>(std::move(wait));
  } catch (const Error& error) {
    return {"", 0, error.message()};
  }
  is_stopped_ = false;
  is_of_relay_ = wish.direct_links == 0;
  present_.clear();
  for (std::uint32_t i = 0; is_of_relay_ && i < objects_.size(); ++i) {
    if (!objects_[i].part) continue;
    const auto marks = objects_[i].part->marks();
    for (std::uint64_t chunk = 0; chunk < marks.size(); ++chunk)
      if (marks[chunk]) present_.insert({i, chunk});
  }
  for (unsigned i = 0; i < std::max(wish.direct_links, 1U); ++i)
    threads_.emplace_back([this] { run(); });
  return {address, listener_->port(), "", Sha256::lanes()};
}

void RelayIntake::stop() {
  if (threads_.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
    listener_->abort();
    for (const auto& link : links_) link->abort();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  links_.clear();
  listener_.reset();
}

void RelayIntake::run() {
  PskTlsLink* link = nullptr;
  try {
    auto accepted = listener_->accept();
    link = accepted.get();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      links_.push_back(std::move(accepted));
      if (is_stopped_) return;
      // The port is open only while a peer is awaited.
      if (links_.size() == threads_.size()) listener_->abort();
    }
    ChunkIntake intake(objects_, voice_, writing_);
    LinkChunks(*link, intake, is_of_relay_, present_).take_all();
  } catch (const Error&) {
    // The workstation sees by the acknowledgements which chunks are missing, and sends them itself.
    if (link != nullptr) link->abort();
  }
}

RelayFeeder::RelayFeeder(const std::filesystem::path& store, const std::vector<Incoming>& objects,
                         RelayFeed feed, AgentVoice& voice)
    : feed_(std::move(feed)), voice_(voice), objects_(objects.size()) {
  for (const Incoming& each : objects) known_.push_back(each.object);
  for (const ChunkPlace& place : feed_.chunks) {
    if (place.object >= known_.size() || place.chunk >= chunk_count(known_[place.object].size))
      throw Error(ErrorCode::usage, "a chunk that is in no manifest");
    auto& object = objects_[place.object];
    if (object) continue;
    object =
        std::make_unique<ArrivingObject>(store, known_[place.object].id, known_[place.object].size);
  }
  thread_ = std::thread([this] { run(); });
}

RelayFeeder::~RelayFeeder() {
  is_stopped_ = true;
  stop_.ring();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (link_ != nullptr) link_->abort();
  }
  thread_.join();
}

void RelayFeeder::run() {
  std::string failure;
  try {
    const auto link = PskTlsLink::connect(feed_.address, feed_.port, feed_.key, connect_timeout);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      link_ = link.get();
    }
    try {
      send_all(*link);
    } catch (const Error& error) {
      failure = error.message();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    link_ = nullptr;
  } catch (const Error& error) {
    failure = error.message();
  }
  if (is_stopped_) return;
  try {
    voice_.say(json_frame(FrameKind::fed, fed_json(failure)));
  } catch (const Error&) {
    // The workstation is gone, so no one needs the result.
  }
}

void RelayFeeder::send_all(PskTlsLink& link) {
  FileWatch arrivals;
  for (const auto& object : objects_) {
    if (object) object->watch_with(arrivals);
  }
  while (!feed_.chunks.empty() && !is_stopped_) {
    arrivals.clear();
    if (send_what_is_there(link)) continue;
    wait_for({arrivals.descriptor(), stop_.descriptor()}, arrivals.longest_wait());
    throw_if_interrupted();
  }
  link.finish();
}

// Whether it was anything.
bool RelayFeeder::send_what_is_there(PskTlsLink& link) {
  buffer_.resize(block);
  std::vector<std::vector<bool>> present(objects_.size());
  std::vector<ChunkPlace> later;
  for (const ChunkPlace& place : feed_.chunks) {
    auto& chunks = present[place.object];
    if (chunks.empty()) chunks = objects_[place.object]->present();
    if (!chunks[place.chunk] || is_stopped_) {
      later.push_back(place);
      continue;
    }
    const std::uint64_t size = chunk_size(known_[place.object].size, place.chunk);
    link.write(chunk_head(place, size));
    for (std::uint64_t done = 0; done < size; done += block) {
      const std::span<char> bytes(buffer_.data(), std::min(block, size - done));
      objects_[place.object]->read(place.chunk * chunk_bytes + done, bytes);
      link.write({bytes.data(), bytes.size()});
    }
  }
  const bool was_any = later.size() < feed_.chunks.size();
  feed_.chunks = std::move(later);
  return was_any;
}

}  // namespace topsctl
