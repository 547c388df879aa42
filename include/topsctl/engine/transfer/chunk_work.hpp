// The chunks that one target lacks, shared by the connections that send them.
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

// Verified bytes on the remote host, of the total.
using UploadProgress = std::function<void(std::uint64_t verified, std::uint64_t total)>;

// Content that is sent once, even if several files have it.
struct ShippedObject {
  const ShippedFile* file = nullptr;  // one of those files
  std::uint64_t there_bytes = 0;      // present at the last query
  std::uint64_t had_bytes = 0;        // present before the first attempt
  std::uint64_t sent_bytes = 0;
  std::uint64_t relayed_bytes = 0;  // received from another host
};

// Thread-safe. The constructor's arguments must outlive it.
class ChunkWork {
 public:
  // Compares the present chunks with the required ones.
  ChunkWork(std::vector<ShippedObject>& objects, const RemoteState& state,
            const UploadProgress& on_progress);

  // A chunk to send; nothing if all are in transit, or a sender has failed.
  std::optional<ChunkPlace> take();
  // The same for up to `most` interleaved chunks of chunk_bytes: several only while many are left,
  // so that no connection sends the last ones alone.
  std::vector<ChunkPlace> take_some(unsigned most);
  std::set<ChunkPlace> take_all();
  // Returns the chunks of a sender that gave up; other senders send them.
  void put_back(const std::set<ChunkPlace>& places);

  enum class Route { sent, relayed };
  // Whether the remote wrote the right bytes; if not, the chunk is sent again. Throws
  // Error{unreachable} if that happens too often to sent chunks, and Error{bad_bundle} if the local
  // file was changed.
  bool judge(const Ack& ack, Route route);
  void count_sent(const ChunkPlace& place);

  const ShippedFile& file_of(const ChunkPlace& place) const { return *objects_[place.object].file; }
  std::uint64_t size_of(const ChunkPlace& place) const;

  // Rung when an idle sender may have work, or all work is over.
  void add(const Bell& bell);
  void remove(const Bell& bell);

  void fail();
  bool is_over() const;  // all chunks are verified, or a sender has failed
  std::uint64_t missing_bytes() const;
  std::uint64_t verified_bytes() const;
  // Bytes verified since the construction.
  std::uint64_t gained_bytes() const;

 private:
  void ring_all() const;

  std::vector<ShippedObject>& objects_;
  const UploadProgress& on_progress_;
  mutable std::mutex mutex_;  // guards the following members and the objects' counters
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
