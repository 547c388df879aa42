// How code that reads packages opens files: by itself, or, where it runs confined and cannot, by
// the process outside.
#pragma once

#include <filesystem>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Opens files for code that cannot.
class FileGiver {
 public:
  virtual ~FileGiver() = default;
  virtual Descriptor input(const std::filesystem::path& file) = 0;
  virtual Descriptor output(const std::filesystem::path& file) = 0;
  virtual Descriptor nameless() = 0;
};

// For reading; never waits for a pipe's other end. Not open, with errno set, if that fails. Below
// `found_below` no link is followed: a user who may write there cannot show another file.
Descriptor open_input(const std::filesystem::path& file,
                      const std::filesystem::path& found_below = {});
// A new file of mode 0600, for writing. Not open, with errno set, if that fails.
Descriptor open_new_output(const std::filesystem::path& file);
// For what may be large: TMPDIR, else /var/tmp; /tmp is often memory.
std::filesystem::path folder_for_large_files();
// A file without a name in that folder, gone when it is closed. Throws Error.
Descriptor open_nameless_file();

// From now on, all three come from this one, which must outlive them; null: from the kernel. Set it
// while there is one thread.
void take_files_from(FileGiver* giver);

}  // namespace topsctl
