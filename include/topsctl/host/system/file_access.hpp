// How package readers open files: directly, or, in a confined process, through the process outside.
#pragma once

#include <filesystem>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Opens files for a confined process.
class FileGiver {
 public:
  virtual ~FileGiver() = default;
  virtual Descriptor input(const std::filesystem::path& file) = 0;
  virtual Descriptor output(const std::filesystem::path& file) = 0;
  virtual Descriptor nameless() = 0;
};

// Opens for reading; never waits for the other end of a pipe. Not open, with errno set, on failure.
// Does not follow links below `found_below`: a user who may write there cannot substitute another
// file.
Descriptor open_input(const std::filesystem::path& file,
                      const std::filesystem::path& found_below = {});
// Creates a file of mode 0600 for writing. Not open, with errno set, on failure.
Descriptor open_new_output(const std::filesystem::path& file);
// For large files: TMPDIR, else /var/tmp, because /tmp is often in memory.
std::filesystem::path folder_for_large_files();
// An unnamed file in that directory, removed when it is closed. Throws Error.
Descriptor open_nameless_file();

// Makes all three use this object, which must outlive them; null: use the kernel. Call it while
// there is one thread.
void take_files_from(FileGiver* giver);

}  // namespace topsctl
