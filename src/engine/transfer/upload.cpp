// Sends chunks over several connections, and checks the remote's acknowledgements.
#include "topsctl/engine/transfer/upload.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/transfer/chunk_sender.hpp"
#include "engine/transfer/session_prefetch.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/retries.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t upload_answer_timeout_ms = 60'000;
constexpr std::int64_t reading_timeout_ms = 600'000;  // while the remote reads its data
// From this round-trip time on, connecting before the missing chunks are known saves time.
constexpr std::chrono::milliseconds slow_way = 15ms;
constexpr std::chrono::seconds long_silence = 5s;

class Uploading {
 public:
  // `job` must outlive it.
  explicit Uploading(const UploadJob& job)
      : remote_(job.remote),
        program_(job.program),
        files_(job.files),
        request_(job.request),
        limit_(job.limit),
        clock_(job.clock),
        on_progress_(job.on_progress) {
    manifest_.destination = request_.destination;
    manifest_.dry_run = request_.dry_run;
  }

  Upload run() {
    upload_.retries = retry_lost(state_, [this] { attempt(); });
    return result();
  }

 private:
  void attempt() {
    SessionPrefetch others(remote_);
    const auto session =
        others.connect_first([this](auto round_trip) { return wanted_ahead(round_trip); });
    await_files();
    RemoteAgent far(*session, request_.target, program_, receive_words,
                    json_frame(FrameKind::manifest, manifest_json(manifest_)));
    upload_.round_trip_us = session->round_trip().count();
    compare_clocks(parse_welcome(far.expect(FrameKind::welcome, upload_answer_timeout_ms)));
    state_.was_connected = true;
    const RemoteState state =
        parse_state(far.expect(FrameKind::state, reading_timeout_ms), manifest_.objects);
    manifest_.store = state.store;
    ChunkWork work(objects_, state, on_progress_);
    if (!std::exchange(is_resumed_, true)) {
      for (ShippedObject& object : objects_) object.had_bytes = object.there_bytes;
    }
    if (request_.dry_run) return;
    try {
      bring(far, work, others, session->address());
    } catch (...) {
      state_.gained_bytes += work.gained_bytes();
      throw;
    }
  }

  // Once.
  void await_files() {
    if (shipment_ != nullptr) return;
    const auto begun = std::chrono::steady_clock::now();
    shipment_ = &files_.get();
    // A silent server may have given up by then: that connection must be made again.
    if (std::chrono::steady_clock::now() - begun > long_silence) state_.was_connected = true;
    std::map<std::string, std::uint32_t> known;
    for (const ShippedFile& file : shipment_->files) {
      const auto [at, is_new] =
          known.emplace(file.id, static_cast<std::uint32_t>(manifest_.objects.size()));
      if (is_new) {
        manifest_.objects.push_back({file.id, file.chunks.size});
        objects_.push_back({&file});
      }
      manifest_.files.push_back({file.name, at->second});
    }
  }

  void compare_clocks(const AgentWelcome& welcome) {
    const auto ahead = welcome.time - clock_.now();
    upload_.clock_offset_s = std::chrono::duration_cast<std::chrono::seconds>(ahead).count();
  }

  void bring(RemoteAgent& far, ChunkWork& work, SessionPrefetch& others,
             const std::string& address) {
    const auto member = join_relay(work);
    ChunkSender sender(far, work, limit_, member.get());
    if (member && !member->feeder().empty()) {
      upload_.fed_by = member->feeder();
      sender.receive_relayed(address);
    }
    send_directly(sender, work, address);
    send_all(sender, work, others);
    far.send(frame(FrameKind::finish, ""));
    require_done(parse_done(sender.expect(FrameKind::done, reading_timeout_ms)));
    sender.serve_follower();
    far.end_input();
  }

  // Once: after a lost connection, the target is sent to over SSH.
  void send_directly(ChunkSender& sender, const ChunkWork& work, const std::string& address) {
    using When = DirectWish::When;
    const DirectWish& wish = request_.direct;
    if (work.is_over() || wish.when == When::never ||
        (wish.when == When::automatic && !is_worth_a_link(work, address)) ||
        std::exchange(was_direct_, true))
      return;
    const bool is_tried = sender.send_directly(
        address, {random_bytes(sealed_key_bytes), wish.first_port, wish.last_port,
                  wanted_connections(std::chrono::microseconds(upload_.round_trip_us),
                                     work.missing_bytes())});
    if (wish.when != When::always) return;
    if (is_tried && sender.direct()->is_reached(direct_patience + usual_handshake)) return;
    throw Error(
        ErrorCode::unreachable,
        format("cannot connect to {} beside SSH", in_quotes(request_.target.text())),
        "open ports in its firewall and name them with --direct-ports, or use --direct auto");
  }

  // Behind a forwarded port, the target would name a port of this host.
  static bool is_worth_a_link(const ChunkWork& work, const std::string& address) {
    constexpr std::uint64_t least_bytes = 2 * chunk_bytes;
    return work.missing_bytes() >= least_bytes && !is_own_address(address);
  }

  // Once: after a lost connection, the target is sent to from here.
  std::unique_ptr<RelayMember> join_relay(const ChunkWork& work) {
    if (request_.relay == nullptr || work.is_over() || std::exchange(was_in_relay_, true))
      return nullptr;
    return request_.relay->join(request_.target.text());
  }

  // As many as fill the network: sshd accepts 2 MiB per connection before it answers.
  unsigned wanted_connections(std::chrono::microseconds round_trip,
                              std::uint64_t missing_bytes) const {
    unsigned wanted = 2;
    for (const auto& [from, count] :
         {std::pair{5ms, 4U}, std::pair{slow_way, 6U}, std::pair{40ms, 10U}}) {
      if (round_trip >= from) wanted = count;
    }
    // A connection costs some round trips, which is not worth it for few chunks.
    const std::uint64_t useful = missing_bytes / (2 * chunk_bytes) + 1;
    return static_cast<unsigned>(
        std::min<std::uint64_t>({wanted, request_.most_connections, useful}));
  }

  // The number that saves time before the remote has reported its chunks.
  unsigned wanted_ahead(std::chrono::microseconds round_trip) const {
    if (request_.dry_run || round_trip < slow_way) return 0;
    std::uint64_t missing = shipment_ == nullptr ? files_.bytes() : 0;
    for (const ShippedObject& object : objects_)
      missing += object.file->chunks.size - object.there_bytes;
    return wanted_connections(round_trip, missing) - 1;
  }

  void send_all(ChunkSender& first, ChunkWork& work, SessionPrefetch& ahead) {
    if (work.is_over()) return;
    const unsigned count =
        wanted_connections(std::chrono::microseconds(upload_.round_trip_us), work.missing_bytes());
    upload_.connections = std::max(upload_.connections, count);
    const std::shared_ptr<DirectSender> direct = first.direct();
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto guarded = [&](const std::function<void()>& part) {
      try {
        part();
      } catch (...) {
        work.fail();
        const std::lock_guard<std::mutex> lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < count; ++i) {
        others.emplace_back([&] {
          guarded([&] {
            if (!direct || !direct->is_reached(direct_patience)) join_and_send(work, ahead);
          });
        });
      }
      guarded([&] { first.send(); });
    }
    upload_.direct = upload_.direct || (direct && direct->is_reached({}));
    if (failure) std::rethrow_exception(failure);
  }

  // A lost connection leaves its chunks to the others, and so does one that the host did not
  // accept.
  void join_and_send(ChunkWork& work, SessionPrefetch& ahead) {
    try {
      const auto session = ahead.take();
      RemoteAgent far(*session, request_.target, program_, receive_words,
                      json_frame(FrameKind::join, join_json(manifest_)),
                      RemoteAgent::Presence::certain);
      ChunkSender sender(far, work, limit_, nullptr);
      try {
        sender.send();
      } catch (const ConnectionLost&) {
        sender.put_back();
        throw;
      }
      far.end_input();
    } catch (const ConnectionLost&) {
      throw_if_interrupted();
    }
  }

  void require_done(const std::vector<RemoteFile>& files) const {
    bool is_right = files.size() == manifest_.files.size();
    for (std::size_t i = 0; is_right && i < files.size(); ++i) {
      is_right = files[i].name == manifest_.files[i].name &&
                 files[i].id == manifest_.objects[manifest_.files[i].object].id;
    }
    if (!is_right) {
      throw Error(ErrorCode::unreachable, "the remote topsctl reported other files than were sent",
                  "check what runs on the host");
    }
  }

  Upload result() {
    for (std::size_t i = 0; i < manifest_.files.size(); ++i) {
      const ShippedObject& object = objects_[manifest_.files[i].object];
      const ShippedFile& file = shipment_->files[i];
      upload_.files.push_back({file.name, file.sha256, file.chunks.size, object.sent_bytes,
                               object.relayed_bytes, object.had_bytes == file.chunks.size,
                               object.had_bytes});
    }
    return std::move(upload_);
  }

  Remote& remote_;
  const CarriedProgram& program_;
  const AwaitedSet& files_;
  const TransferSet* shipment_ = nullptr;  // once it was awaited
  const UploadRequest& request_;
  RateLimit& limit_;
  const Clock& clock_;
  const UploadProgress& on_progress_;
  TransferManifest manifest_;
  std::vector<ShippedObject> objects_;
  AttemptState state_;
  bool was_in_relay_ = false;
  bool was_direct_ = false;
  bool is_resumed_ = false;
  Upload upload_;
};

}  // namespace

Upload upload(const UploadJob& job) {
  return Uploading(job).run();
}

}  // namespace topsctl
