// What the process must do before anything else, so that a static binary behaves the same on every
// host.
#pragma once

#include <string>

namespace topsctl {

// First call in main. Standard streams that are closed become /dev/null, as many files may be open
// as the hard limit says, 1024 at least where root may raise it. Name look-ups use only what is in
// the binary (a static glibc would otherwise load the host's NSS modules and abort on an older
// libc), libcrypto reads no configuration file, libssh is ready, the file creation mask is 022, and
// large blocks of memory go back to the system when they are freed.
void prepare_process();
// The umask that prepare_process() found, for a program in the place of this one.
void restore_umask();
// The same for the limit of open files, for every program that is started: some walk through all
// descriptors that there may be. Safe after fork.
void restore_descriptor_limit();

// Versions of the libraries in the binary, for `topsctl version`.
std::string libssh_version();
std::string libarchive_version();
std::string libcrypto_version();
std::string liblzma_version();

}  // namespace topsctl
