// Start of the process: name look-ups, libcrypto, libssh.
#include "topsctl/host/system/startup.hpp"

#include <archive.h>
#include <libssh/libssh.h>
#include <lzma.h>
#include <malloc.h>
#include <nss.h>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

mode_t umask_before = 022;  // as whoever started topsctl has it

}  // namespace

void prepare_process() {
  // Once a large block was freed, glibc keeps the next ones of its size in arenas, which never
  // shrink: decoders would hold twice what they use.
  constexpr int largest_in_arena = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, largest_in_arena);
  for (const char* database : {"passwd", "group", "shadow", "gshadow", "services", "protocols",
                               "networks", "ethers", "rpc", "aliases", "initgroups"}) {
    __nss_configure_lookup(database, "files");
  }
  __nss_configure_lookup("hosts", "files dns");
  umask_before = ::umask(022);
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) != 1) {
    throw Error(ErrorCode::internal, "libcrypto does not start");
  }
  if (ssh_init() != SSH_OK) throw Error(ErrorCode::internal, "libssh does not start");
}

void restore_umask() {
  ::umask(umask_before);
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
