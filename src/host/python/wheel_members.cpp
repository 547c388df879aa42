// Unpacks members in one pass: decompress, digest, write.
#include "host/python/wheel_members.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/python/record_digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace {

[[noreturn]] void refuse_member(const std::string& subject, const std::string& member,
                                const std::string& why) {
  throw Error(ErrorCode::bad_package, concat(in_quotes(subject), ": ", in_quotes(member), " ", why),
              "the file is damaged: get a new copy from the vendor's bundle");
}

// The decompression tools of one thread; passed from one member to the next.
struct Tools {
  ZipBuffers buffers;
  RecordDigest digest;
};

class ToolShelf {
 public:
  std::unique_ptr<Tools> take() {
    const std::lock_guard lock(mutex_);
    if (tools_.empty()) return std::make_unique<Tools>();
    std::unique_ptr<Tools> tools = std::move(tools_.back());
    tools_.pop_back();
    return tools;
  }
  void give_back(std::unique_ptr<Tools> tools) {
    const std::lock_guard lock(mutex_);
    tools_.push_back(std::move(tools));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Tools>> tools_;
};

Descriptor new_file(const MemberToUnpack& member, const std::string& subject) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::open(member.to.c_str(), flags, 0600));
  if (!file.is_open() && errno == EEXIST)
    refuse_member(subject, member.entry->path, "is duplicated");
  if (!file.is_open()) throw system_error(errno, "write", member.to.string());
  return file;
}

void unpack(const ZipReader& zip, const MemberToUnpack& member, const RecordClaims& claims,
            Tools& tools) {
  const std::string& path = member.entry->path;
  const auto claim = claims.find(path);
  if (claim == claims.end()) refuse_member(zip.subject(), path, "is not listed in RECORD");
  if (!tools.digest.begin(claim->second.algorithm)) {
    refuse_member(zip.subject(), path, "has no digest in RECORD");
  }
  const Descriptor file = new_file(member, zip.subject());
  const std::unique_ptr<Source> content = zip.open(*member.entry, tools.buffers);
  for (auto bytes = content->piece(); !bytes.empty(); bytes = content->piece()) {
    throw_if_interrupted();
    tools.digest.update(bytes);
    write_all(file, bytes, member.to);
  }
  if (tools.digest.base64url() != claim->second.digest) {
    refuse_member(zip.subject(), path,
                  format("does not match RECORD: its {} differs", claim->second.algorithm));
  }
  if (::fchmod(file.get(), member.mode) != 0) {
    throw system_error(errno, "set the mode of", member.to.string());
  }
}

}  // namespace

RecordClaims record_claims(const std::string& record, const std::string& subject) {
  RecordClaims claims;
  for (RecordLine& line : parse_record(record, subject)) {
    line.path = plain_path(line.path);
    claims.insert_or_assign(line.path, line);
  }
  return claims;
}

void unpack_members(const ZipReader& zip, std::vector<MemberToUnpack> members,
                    const RecordClaims& claims) {
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.entry->size > b.entry->size; });
  ToolShelf shelf;
  for_each_index(members.size(), [&](std::size_t i) {
    throw_if_interrupted();
    std::unique_ptr<Tools> tools = shelf.take();
    unpack(zip, members[i], claims, *tools);
    shelf.give_back(std::move(tools));
  });
}

}  // namespace topsctl
