// A client of SFTP, version 3: files of a machine that need not run any program of ours.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/sftp_packets.hpp"

namespace topsctl {

// What came of one piece that was asked to be written or read.
struct SftpPiece {
  std::uint32_t number = 0;  // as ask_to_write or ask_to_read gave it
  SftpStatus status;
  std::string bytes;  // that were read: perhaps fewer than were asked for
};

enum class SftpWait { none, for_it };
enum class SftpOpening { to_read, to_write, to_make };  // to_make: only what is not there

// Nothing that the server says is believed to be well-formed. Every method throws ConnectionLost
// when the server is gone or silent, Error{unreachable} when it does not speak SFTP, and
// Error{permission, no_space, host_unfit} when it refuses. Of one thread.
class SftpClient {
 public:
  using Handle = std::string;

  // Greets a server on this stream, and waits so long for its greeting.
  SftpClient(std::unique_ptr<RemoteStream> stream, std::int64_t greeting_timeout_ms);

  // What is there under a name, or behind it if it is a link; nothing if nothing is.
  std::optional<SftpAttributes> look_at(const std::string& path);
  std::optional<SftpAttributes> stat_following(const std::string& path);
  void make_folder(const std::string& path, std::uint32_t mode);
  void remove(const std::string& path);
  // In place of what has the new name; at once where the server can do that.
  void rename(const std::string& from, const std::string& to);
  // Bytes that may still be written below a folder; nothing if the server does not tell.
  std::optional<std::uint64_t> room_at(const std::string& path);

  // What is made gets this mode.
  Handle open(const std::string& path, SftpOpening opening, std::uint32_t mode = 0600);
  SftpAttributes attributes_of(const Handle& handle, const std::string& path);
  // Of an open file, by its path where the server sets nothing by the handle; whether it did so.
  bool set(const Handle& handle, const std::string& path, std::optional<std::uint64_t> size,
           std::optional<std::uint32_t> mode);
  // To its disk, where the server can and may do that.
  void sync(const Handle& handle, const std::string& path);
  void close(const Handle& handle, const std::string& path);

  // Pieces: any number may be asked for before the first is answered, and all must be before
  // anything else is asked for.
  std::uint32_t ask_to_write(const Handle& handle, std::uint64_t offset, std::string_view bytes);
  std::uint32_t ask_to_read(const Handle& handle, std::uint64_t offset, std::uint32_t size);
  // Whatever is answered next; nothing only if it is not there yet and is not to be waited for.
  std::optional<SftpPiece> next_piece(SftpWait wait);
  // The most bytes of one piece.
  std::uint32_t most_to_write() const;
  static constexpr std::uint32_t most_to_read = 64U << 10U;  // older servers give no more

 private:
  // Sends it; its number.
  std::uint32_t ask(const SftpWriter& question);
  std::optional<SftpPacket> receive(std::int64_t timeout_ms);
  SftpPacket received(std::int64_t timeout_ms);  // or ConnectionLost
  SftpPacket first_packet(std::int64_t timeout_ms);
  // The answer to a question, which must be of this kind or a status.
  SftpPacket answer_to(std::uint32_t number, SftpKind kind, std::int64_t timeout_ms);
  std::optional<SftpAttributes> look(SftpKind how, const std::string& path);
  SftpStatus status_of(std::uint32_t number, std::int64_t timeout_ms);
  void require_done(std::uint32_t number, const std::string& act, const std::string& path,
                    std::int64_t timeout_ms);
  bool offers(const std::string& extension) const { return extensions_.contains(extension); }
  SftpWriter question(SftpKind kind);

  std::unique_ptr<RemoteStream> stream_;
  SftpParser parser_;
  std::map<std::string, std::string> extensions_;
  std::uint32_t last_number_ = 0;
  std::map<std::uint32_t, std::uint32_t> asked_;  // pieces; how many bytes are to be read, or 0
};

// The first packet of a client.
std::string sftp_greeting();
// The error that a server's refusal is: "cannot <act> '<path>' there: ...".
Error sftp_error(const SftpStatus& status, const std::string& act, const std::string& path);

}  // namespace topsctl
