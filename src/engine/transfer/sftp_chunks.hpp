// The chunks of one file at a far end that only takes files: written, read back, and compared.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/transfer/rate_limit.hpp"
#include "topsctl/engine/transfer/transfer_set.hpp"
#include "topsctl/host/network/sftp.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// What is told while it works.
struct SftpChunkEvents {
  std::function<void(std::uint64_t bytes)> on_sent;
  std::function<void(std::uint64_t bytes)> on_verified;  // read back, and as they should be
};

// With many pieces on their way at once. Throws what SftpClient does, and Error{bad_bundle} if the
// file here changes.
class SftpChunks {
 public:
  SftpChunks(SftpClient& sftp, SftpClient::Handle handle, std::string path, const ShippedFile& file,
             RateLimit& limit, const SftpChunkEvents& events);

  enum class Until { end, first_wrong };
  // Reads these; which of them have other content there.
  std::vector<std::uint64_t> wrong_among(std::vector<std::uint64_t> chunks, Until until);
  // Writes these and reads each back; what is wrong is written again. Throws Error{unreachable} if
  // that happens three times.
  void bring(std::vector<std::uint64_t> chunks);

 private:
  enum class Act { look, bring };
  struct Turn {
    std::uint64_t chunk = 0;
    std::uint64_t size = 0;
    bool is_read = false;     // or still written
    std::uint64_t asked = 0;  // bytes that were sent, or asked for
    unsigned unanswered = 0;
    std::string bytes;  // that were read
    bool is_short = false;
  };
  using Turns = std::list<Turn>;
  struct Piece {
    Turns::iterator turn;
    std::uint64_t offset = 0;  // in the chunk
    std::uint32_t size = 0;
  };

  void work(std::vector<std::uint64_t> chunks, Act act, Until until);
  bool ask_next();
  void ask(const Turns::iterator& turn);
  void ask_to_read(const Turns::iterator& turn, std::uint64_t offset, std::uint32_t size);
  void take(const SftpPiece& answer);
  void take_read(const Piece& piece, const SftpPiece& answer);
  void finish(const Turns::iterator& turn);
  std::string local_bytes(std::uint64_t offset, std::uint64_t size) const;

  SftpClient& sftp_;
  const SftpClient::Handle handle_;
  const std::string path_;
  const ShippedFile& file_;
  RateLimit& limit_;
  const SftpChunkEvents& events_;
  Descriptor input_;
  Act act_ = Act::look;
  Until until_ = Until::end;
  std::deque<std::uint64_t> queue_;
  Turns turns_;
  std::map<std::uint32_t, Piece> pieces_;
  std::uint64_t in_flight_ = 0;
  std::vector<std::uint64_t> wrong_;
  unsigned false_digests_ = 0;
  std::optional<Error> failure_;
};

}  // namespace topsctl
