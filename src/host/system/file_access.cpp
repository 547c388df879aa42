// Opens files, directly or through the process outside.
#include "topsctl/host/system/file_access.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr int read_flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

FileGiver* giver = nullptr;  // of a confined process

Descriptor nameless_file_in(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // Some file systems, and kernels before 3.11, have no nameless files.
  std::string name = concat(folder, "/topsctl-XXXXXX");
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) throw system_error(errno, "create a temporary file in", folder);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

fs::path folder_for_large_files() {
  std::error_code failure;
  const fs::path folder = fs::temp_directory_path(failure);
  return failure || folder == "/tmp" ? fs::path("/var/tmp") : folder;
}

Descriptor open_input(const fs::path& file, const fs::path& found_below) {
  if (giver != nullptr) return giver->input(file);
  if (found_below.empty()) return Descriptor(::open(file.c_str(), read_flags));
  Descriptor folder(::open(found_below.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path below = file.lexically_relative(found_below);
  for (const fs::path& part : below.parent_path()) {
    if (!folder.is_open()) return folder;
    folder = Descriptor(
        ::openat(folder.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!folder.is_open()) return folder;
  return Descriptor(::openat(folder.get(), below.filename().c_str(), read_flags | O_NOFOLLOW));
}

Descriptor open_new_output(const fs::path& file) {
  if (giver != nullptr) return giver->output(file);
  return Descriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

Descriptor open_nameless_file() {
  if (giver != nullptr) return giver->nameless();
  return nameless_file_in(folder_for_large_files().string());
}

void take_files_from(FileGiver* from) {
  giver = from;
}

}  // namespace topsctl
