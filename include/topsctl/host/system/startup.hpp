// Process initialization, so that a static binary behaves the same on every host.
#pragma once

#include <string>

namespace topsctl {

// First call in main. Opens closed standard streams on /dev/null, and raises the limit of open
// files to the hard limit, to at least 1024 if root may raise it. Name look-ups use only code in
// the binary (a static glibc would otherwise load the host's NSS modules and abort with an older
// libc), libcrypto reads no configuration file, libssh is initialized, the umask is 022, and large
// freed memory blocks return to the system.
void prepare_process();
// Restores the umask that prepare_process() found, before another program replaces this one.
void restore_umask();
// The same for the limit of open files, for each started program: some walk through all possible
// descriptors. Safe after fork.
void restore_descriptor_limit();

// Versions of the libraries in the binary, for `topsctl version`.
std::string libssh_version();
std::string libarchive_version();
std::string libcrypto_version();
std::string liblzma_version();

// Reads standard input to its end, but not for longer than five seconds, and closes it: what an
// earlier program should have read stays in no pipe, and no child inherits it.
void discard_input();

}  // namespace topsctl
