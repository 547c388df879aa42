// Sends chunks by several connections, and judges what the far end says it has written.
#include "topsctl/engine/upload.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/descriptor.hpp"
#include "topsctl/host/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t answer_timeout_ms = 60'000;
constexpr std::int64_t reading_timeout_ms = 600'000;  // while the far end reads what it has
constexpr unsigned most_false_digests = 3;
constexpr const char* receive_words = "receive";

// Content that is sent, once however many files have it.
struct Object {
  const ShippedFile* file = nullptr;
  std::uint64_t had_bytes = 0;
  std::uint64_t sent_bytes = 0;
  bool complete = false;
};

// The chunks that are still to be sent, shared by the connections of one attempt.
class Work {
 public:
  Work(const std::vector<Object>& objects, std::deque<ChunkPlace> missing)
      : objects_(objects), missing_(std::move(missing)), left_(missing_.size()) {}

  std::optional<ChunkPlace> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (missing_.empty() || has_failed_) return std::nullopt;
    const ChunkPlace place = missing_.front();
    missing_.pop_front();
    return place;
  }

  // Whether the far end wrote what was sent; if not, it is sent again.
  bool judge(const Ack& ack) {
    const ChunkList& chunks = objects_.at(ack.place.object).file->chunks;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (chunks.digests.at(ack.place.chunk) == ack.digest) {
      --left_;
      return true;
    }
    if (++false_digests_ == most_false_digests) {
      has_failed_ = true;
      throw Error(
          ErrorCode::unreachable,
          concat("what the far end writes of ", in_quotes(objects_[ack.place.object].file->name),
                 " has another digest than what is sent"),
          "its memory or disk may be faulty, or the file here was changed meanwhile");
    }
    missing_.push_back(ack.place);
    return false;
  }

  void fail() {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_failed_ = true;
  }
  bool is_over() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return left_ == 0 || has_failed_;
  }

 private:
  const std::vector<Object>& objects_;
  std::mutex mutex_;
  std::deque<ChunkPlace> missing_;
  std::size_t left_;  // not yet verified
  unsigned false_digests_ = 0;
  bool has_failed_ = false;
};

class Uploading {
 public:
  Uploading(Remote& remote, const CarriedProgram& program, const Shipment& shipment,
            const UploadRequest& request, RateLimit& limit, const Clock& clock,
            const UploadProgress& on_progress)
      : remote_(remote),
        program_(program),
        shipment_(shipment),
        request_(request),
        limit_(limit),
        clock_(clock),
        on_progress_(on_progress) {
    manifest_.destination = request.destination;
    manifest_.dry_run = request.dry_run;
    std::map<std::string, std::uint32_t> known;
    for (const ShippedFile& file : shipment.files) {
      const auto [at, is_new] =
          known.emplace(file.id, static_cast<std::uint32_t>(manifest_.objects.size()));
      if (is_new) {
        manifest_.objects.push_back({file.id, file.chunks.size});
        objects_.push_back({&file});
        total_ += file.chunks.size;
      }
      manifest_.files.push_back({file.name, at->second});
    }
  }

  Upload run() {
    constexpr unsigned most_vain = 3;
    for (unsigned vain = 0;;) {
      const std::uint64_t before = sent_verified_;
      try {
        attempt();
        return result();
      } catch (const ConnectionLost&) {
        throw_if_interrupted();
        // An attempt that brought something counts for nothing.
        vain = sent_verified_ > before ? 1 : vain + 1;
        if (!was_connected_ || vain == most_vain) throw;
        ++upload_.retries;
        pause(vain);
      }
    }
  }

 private:
  static void pause(unsigned vain) {
    for (unsigned i = 0; i < 5 * vain; ++i) {
      throw_if_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  void attempt() {
    const auto session = remote_.connect();
    FarProgram far(*session, request_.target, program_, receive_words);
    far.expect(FrameKind::welcome, answer_timeout_ms);
    was_connected_ = true;
    const auto asked = clock_.steady();
    far.send(frame(FrameKind::ping, "ping"));
    far.send(json_frame(FrameKind::manifest, manifest_json(manifest_)));
    far.expect(FrameKind::pong, answer_timeout_ms);
    upload_.round_trip_us =
        std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - asked).count();
    const FarState state =
        parse_state(far.expect(FrameKind::state, reading_timeout_ms), manifest_.objects);
    Work work(objects_, take_state(state));
    if (request_.dry_run) return;
    send_all(far, work);
    far.send(frame(FrameKind::finish, ""));
    require_done(parse_done(far.expect(FrameKind::done, reading_timeout_ms)));
    far.end_input();
  }

  // What is missing there, by digests that are compared here.
  std::deque<ChunkPlace> take_state(const FarState& state) {
    manifest_.store = state.store;
    std::deque<ChunkPlace> missing;
    verified_ = 0;
    for (std::uint32_t i = 0; i < objects_.size(); ++i) {
      Object& object = objects_[i];
      const ChunkList& chunks = object.file->chunks;
      object.complete = state.objects[i].complete;
      std::uint64_t have = object.complete ? chunks.size : 0;
      for (std::uint64_t k = 0; !object.complete && k < chunks.digests.size(); ++k) {
        if (state.objects[i].digests[k] == chunks.digests[k])
          have += chunk_size(chunks.size, k);
        else
          missing.push_back({i, k});
      }
      if (!is_resumed_) object.had_bytes = have;
      verified_ += have;
    }
    is_resumed_ = true;
    on_progress_(verified_, total_);
    return missing;
  }

  unsigned wanted_connections(std::uint64_t missing_bytes) const {
    constexpr std::int64_t near_us = 5'000;
    constexpr std::int64_t far_us = 40'000;
    unsigned wanted = 2;
    if (upload_.round_trip_us >= near_us) wanted = 4;
    if (upload_.round_trip_us >= far_us) wanted = 8;
    // A connection costs some round trips, which few chunks do not pay back.
    const std::uint64_t useful = missing_bytes / (2 * chunk_bytes) + 1;
    return static_cast<unsigned>(
        std::min<std::uint64_t>({wanted, request_.most_connections, useful}));
  }

  void send_all(FarProgram& first, Work& work) {
    if (work.is_over()) return;
    const unsigned count = wanted_connections(total_ - verified_);
    upload_.connections = std::max(upload_.connections, count);
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
        others.emplace_back([&] { guarded([&] { join_and_send(work); }); });
      }
      guarded([&] { send_chunks(first, work); });
    }
    if (failure) std::rethrow_exception(failure);
  }

  void join_and_send(Work& work) {
    const auto session = remote_.connect();
    FarProgram far(*session, request_.target, program_, receive_words);
    far.expect(FrameKind::welcome, answer_timeout_ms);
    far.send(json_frame(FrameKind::join, join_json(manifest_)));
    far.expect(FrameKind::joined, answer_timeout_ms);
    send_chunks(far, work);
    far.end_input();
  }

  void send_chunks(FarProgram& far, Work& work) {
    std::set<std::pair<std::uint32_t, std::uint64_t>> unanswered;
    const auto take_acks = [&](std::int64_t timeout_ms) {
      while (const auto found = far.next(timeout_ms)) {
        if (found->kind != FrameKind::ack)
          throw Error(ErrorCode::unreachable, "the far end sends what nobody asked for");
        const Ack ack = parse_ack(found->payload);
        if (unanswered.erase({ack.place.object, ack.place.chunk}) == 0)
          throw Error(ErrorCode::unreachable, "the far end acknowledges what was not sent");
        if (work.judge(ack)) count_verified(ack.place);
        timeout_ms = 0;
      }
    };
    while (!work.is_over()) {
      const auto place = work.take();
      if (place) {
        unanswered.insert({place->object, place->chunk});
        send_chunk(far, *place);
        take_acks(0);
      } else if (!unanswered.empty()) {
        take_acks(100);
      } else {
        // Another connection still waits for answers; what is false comes back to be sent again.
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        throw_if_interrupted();
      }
    }
  }

  void count_verified(const ChunkPlace& place) {
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    const std::uint64_t size = chunk_size(objects_[place.object].file->chunks.size, place.chunk);
    verified_ += size;
    sent_verified_ += size;
    on_progress_(verified_, total_);
  }

  void send_chunk(FarProgram& far, const ChunkPlace& place) {
    Object& object = objects_[place.object];
    const std::uint64_t size = chunk_size(object.file->chunks.size, place.chunk);
    const Descriptor input(::open(object.file->file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input.is_open()) throw system_error(errno, "read", object.file->file.string());
    far.send(chunk_head(place, size));
    constexpr std::uint64_t block = 128U << 10U;
    std::string buffer(block, '\0');
    for (std::uint64_t done = 0; done < size;) {
      const ssize_t got = ::pread(input.get(), buffer.data(), std::min(block, size - done),
                                  static_cast<off_t>(place.chunk * chunk_bytes + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        throw Error(ErrorCode::bad_bundle,
                    concat(in_quotes(object.file->file.string()), " was changed while it was sent"),
                    "wait until it is complete, and run the same command again");
      }
      limit_.take(static_cast<std::uint64_t>(got));
      far.send({buffer.data(), static_cast<std::size_t>(got)});
      done += static_cast<std::uint64_t>(got);
    }
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    object.sent_bytes += size;
  }

  void require_done(const std::vector<FarFile>& files) const {
    bool is_right = files.size() == manifest_.files.size();
    for (std::size_t i = 0; is_right && i < files.size(); ++i) {
      is_right = files[i].name == manifest_.files[i].name &&
                 files[i].id == manifest_.objects[manifest_.files[i].object].id;
    }
    if (!is_right) {
      throw Error(ErrorCode::unreachable, "the far end tells of other files than were sent",
                  "see what runs there");
    }
  }

  Upload result() {
    for (std::size_t i = 0; i < manifest_.files.size(); ++i) {
      const Object& object = objects_[manifest_.files[i].object];
      const ShippedFile& file = shipment_.files[i];
      upload_.files.push_back({file.name, file.sha256, file.chunks.size, object.sent_bytes,
                               object.had_bytes == file.chunks.size, object.had_bytes});
    }
    return std::move(upload_);
  }

  Remote& remote_;
  const CarriedProgram& program_;
  const Shipment& shipment_;
  const UploadRequest& request_;
  RateLimit& limit_;
  const Clock& clock_;
  const UploadProgress& on_progress_;
  TransferManifest manifest_;
  std::vector<Object> objects_;
  std::uint64_t total_ = 0;
  std::mutex progress_mutex_;  // of what follows, and of the objects' sent bytes
  std::uint64_t verified_ = 0;
  std::uint64_t sent_verified_ = 0;
  bool was_connected_ = false;
  bool is_resumed_ = false;
  Upload upload_;
};

}  // namespace

Upload upload(Remote& remote, const CarriedProgram& program, const Shipment& shipment,
              const UploadRequest& request, RateLimit& limit, const Clock& clock,
              const UploadProgress& on_progress) {
  return Uploading(remote, program, shipment, request, limit, clock, on_progress).run();
}

}  // namespace topsctl
