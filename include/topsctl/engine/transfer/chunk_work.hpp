// The chunks that one target lacks, shared by the connections that bring them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/engine/transfer/transfer_set.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// What has been verified at the far end up to now, of all that must be there, in bytes.
using UploadProgress = std::function<void(std::uint64_t verified, std::uint64_t total)>;

// Content that is sent, once however many files have it.
struct ShippedObject {
  const ShippedFile* file = nullptr;  // one of those files
  std::uint64_t there_bytes = 0;      // that were there when it was last asked
  std::uint64_t had_bytes = 0;        // that were there before the first attempt
  std::uint64_t sent_bytes = 0;
  std::uint64_t relayed_bytes = 0;  // that came from another host
};

// Of several threads. What it is made of must outlive it.
class ChunkWork {
 public:
  // Compares what the far end has with what it should have.
  ChunkWork(std::vector<ShippedObject>& objects, const RemoteState& state,
            const UploadProgress& on_progress);

  // A chunk that is to be sent; nothing if all are under way, or one of the senders has failed.
  std::optional<ChunkPlace> take();
  // The same for up to `most` that go side by side: several only while plenty are left, so that
  // nobody waits for the last ones alone, and only of chunk_bytes.
  std::vector<ChunkPlace> take_some(unsigned most);
  std::set<ChunkPlace> take_all();
  // Of a sender that gave up: others send them.
  void put_back(const std::set<ChunkPlace>& places);

  enum class Route { sent, relayed };
  // Whether the far end wrote what it should; if not, the chunk is to be sent again. Throws
  // Error{unreachable} if that happens too often to what was sent, and Error{bad_bundle} if the
  // file here was changed.
  bool judge(const Ack& ack, Route route);
  void count_sent(const ChunkPlace& place);

  const ShippedFile& file_of(const ChunkPlace& place) const { return *objects_[place.object].file; }
  std::uint64_t size_of(const ChunkPlace& place) const;

  // Rung when there may be something to do for a sender that has nothing, or all is over.
  void add(const Bell& bell);
  void remove(const Bell& bell);

  void fail();
  bool is_over() const;  // all is verified, or somebody has failed
  std::uint64_t missing_bytes() const;
  std::uint64_t verified_bytes() const;
  // Of those, what was verified since this was made.
  std::uint64_t gained_bytes() const;

 private:
  void ring_all() const;

  std::vector<ShippedObject>& objects_;
  const UploadProgress& on_progress_;
  mutable std::mutex mutex_;  // of what follows, and of the objects' numbers
  std::deque<ChunkPlace> missing_;
  std::size_t left_ = 0;  // not yet verified
  std::uint64_t total_ = 0;
  std::uint64_t had_ = 0;
  std::uint64_t verified_ = 0;
  unsigned false_digests_ = 0;
  bool has_failed_ = false;
  std::set<const Bell*> bells_;
};

}  // namespace topsctl
