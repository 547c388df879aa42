// The destination on a machine that only takes files: ours alone, or refused.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "topsctl/host/network/sftp.hpp"

namespace topsctl {

bool is_sftp_folder(const SftpAttributes& attributes);
bool is_sftp_file(const SftpAttributes& attributes);  // a regular one, and no link to one

class SftpFolder {
 public:
  enum class Purpose { look, fill };

  // To fill it, makes the folder if it is not there. Throws Error{permission} for a link, for what
  // others may write to, and, unless it is only looked at, for what others own: whose it is shows a
  // file that is made in it. The same if others could exchange a folder that leads to it.
  SftpFolder(SftpClient& sftp, std::string path, Purpose purpose);

  std::string path_of(const std::string& name) const;
  // Where a file grows before it has its name.
  std::string part_of(const std::string& name) const;
  // Makes the folders above a name, and refuses links in their place.
  void make_way(const std::string& name);
  // Throws Error{no_space}. Where the server does not tell there is enough.
  void require_room(std::uint64_t bytes) const;

 private:
  void make_with_parents();
  void require_ours();
  void require_step(const std::string& path, std::uint32_t ours);
  std::uint32_t own_number();

  SftpClient& sftp_;
  std::string path_;
  std::string deepest_;  // that is there, of the folder and those above it
  std::set<std::string> known_;
};

}  // namespace topsctl
