// Start of the process: descriptors, name look-ups, libcrypto, libssh.
#include "topsctl/host/system/startup.hpp"

#include <archive.h>
#include <fcntl.h>
#include <libssh/libssh.h>
#include <lzma.h>
#include <malloc.h>
#include <nss.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

mode_t umask_before = 022;  // the inherited one
std::optional<rlimit> descriptors_before;

// Otherwise the next opened file would become standard output, and output would go into it. Opened
// for reading, so that writing is still an error, and without a wait, should it be a pipe.
void occupy_closed_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDONLY | O_NONBLOCK) < 0 && ::open("/", O_RDONLY | O_DIRECTORY) < 0)
      throw system_error(errno, "open", "/");
  }
}

void raise_descriptor_limit() {
  constexpr rlim_t enough = 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max = std::max(limit.rlim_max, enough);
  // Only root may go above the hard limit.
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    limit = {before.rlim_max, before.rlim_max};
    if (before.rlim_cur == before.rlim_max || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  }
  descriptors_before = before;
}

// The C library opens the file that TZ names, and would block on a pipe.
void ignore_zone_that_is_no_file() {
  const auto environment = process_environment();
  const auto named = environment.find("TZ");
  if (named == environment.end()) return;
  const std::string zone = named->second.starts_with(':') ? named->second.substr(1) : named->second;
  const auto folder = environment.find("TZDIR");
  const std::string above = folder == environment.end() ? "/usr/share/zoneinfo" : folder->second;
  const std::string file = zone.starts_with('/') ? zone : concat(above, "/", zone);
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) ::unsetenv("TZ");
}

}  // namespace

void discard_input() {
  constexpr std::chrono::seconds patience(5);
  const auto end = std::chrono::steady_clock::now() + patience;
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&input, 1, static_cast<int>(left.count())) <= 0 ||
        ::read(STDIN_FILENO, bytes.data(), bytes.size()) <= 0)
      break;
  }
  ::explicit_bzero(bytes.data(), bytes.size());
  const int null = ::open("/dev/null", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) ::close(STDIN_FILENO);
  if (null >= 0) ::close(null);
}

void prepare_process() {
  occupy_closed_streams();
  raise_descriptor_limit();
  ignore_zone_that_is_no_file();
  // After a large block was freed, glibc keeps later ones of its size in arenas, which never
  // shrink: decoders would hold twice the memory that they use.
  constexpr int largest_in_arena = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, largest_in_arena);
  for (const char* database : {"passwd", "group", "shadow", "gshadow", "services", "protocols",
                               "networks", "ethers", "rpc", "aliases", "initgroups"}) {
    __nss_configure_lookup(database, "files");
  }
  __nss_configure_lookup("hosts", "files dns");
  umask_before = ::umask(022);
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) != 1) {
    throw Error(ErrorCode::internal, "cannot initialize libcrypto");
  }
  if (ssh_init() != SSH_OK) throw Error(ErrorCode::internal, "cannot initialize libssh");
}

void restore_umask() {
  ::umask(umask_before);
}

void restore_descriptor_limit() {
  if (descriptors_before) ::setrlimit(RLIMIT_NOFILE, &*descriptors_before);
}

std::string libssh_version() {
  return ssh_version(0);
}

std::string libarchive_version() {
  return std::string(
      trimmed(std::string_view(archive_version_string()).substr(sizeof "libarchive")));
}

std::string libcrypto_version() {
  return OpenSSL_version(OPENSSL_VERSION_STRING);
}

std::string liblzma_version() {
  return lzma_version_string();
}

}  // namespace topsctl
