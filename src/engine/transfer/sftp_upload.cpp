// Sends what is missing over SFTP, and gives names to what was read back.
#include "topsctl/engine/transfer/sftp_upload.hpp"

#include <algorithm>
#include <numeric>

#include "engine/transfer/sftp_chunks.hpp"
#include "engine/transfer/sftp_folder.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/retries.hpp"
#include "topsctl/engine/remote/sftp_only.hpp"
#include "topsctl/host/filesystem/destination.hpp"
#include "topsctl/host/network/sftp.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t greeting_timeout_ms = 60'000;
constexpr std::uint32_t readable_by_all = 0644;

struct Sending {
  bool is_there = false;               // under its name
  std::vector<std::uint64_t> missing;  // chunks
  std::uint64_t part_bytes = 0;        // that the part takes already
  std::uint64_t had_bytes = 0;         // before the first attempt
  std::uint64_t sent_bytes = 0;
  std::uint64_t verified = 0;
};

class SftpUploading {
 public:
  // `job` must outlive it.
  explicit SftpUploading(const UploadJob& job)
      : remote_(job.remote),
        shipment_(job.files.get()),
        request_(job.request),
        limit_(job.limit),
        clock_(job.clock),
        on_progress_(job.on_progress),
        all_(job.files.get().files.size()) {
    upload_.method = UploadMethod::sftp;
  }

  Upload run() {
    upload_.retries = retry_lost(state_, [this] { attempt(); });
    return result();
  }

 private:
  void attempt() {
    const auto session = remote_.connect();
    SftpClient sftp(session->start_subsystem("sftp"), greeting_timeout_ms);
    state_.was_connected = true;
    const auto asked = clock_.steady();
    sftp.stat_following(".");
    upload_.round_trip_us =
        std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - asked).count();
    SftpFolder folder(sftp, request_.destination,
                      request_.dry_run ? SftpFolder::Purpose::look : SftpFolder::Purpose::fill);
    std::uint64_t room = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].is_there) look(sftp, folder, i);
      const std::uint64_t size = shipment_.files[i].chunks.size;
      if (!all_[i].is_there) room += size - std::min(size, all_[i].part_bytes);
    }
    is_resumed_ = true;
    folder.require_room(room);
    if (request_.dry_run) return;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].is_there) bring(sftp, folder, i);
    }
  }

  SftpChunkEvents events_of(Sending& one) {
    return {[&one](std::uint64_t bytes) { one.sent_bytes += bytes; },
            [this, &one](std::uint64_t bytes) {
              one.verified += bytes;
              tell();
            }};
  }

  void tell() {
    const std::uint64_t verified =
        std::accumulate(all_.begin(), all_.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Sending& one) { return sum + one.verified; });
    on_progress_(verified, shipment_.bytes());
  }

  // Nothing of a file is there as far as we know.
  void expect_all(std::size_t index) {
    Sending& one = all_[index];
    one.missing.resize(shipment_.files[index].chunks.digests.size());
    std::iota(one.missing.begin(), one.missing.end(), std::uint64_t{0});
    one.verified = 0;
  }

  // What is there of a file, under its name or in its part.
  void look(SftpClient& sftp, const SftpFolder& folder, std::size_t index) {
    const ShippedFile& file = shipment_.files[index];
    Sending& one = all_[index];
    expect_all(index);
    const auto named = sftp.look_at(folder.path_of(file.name));
    if (named && is_sftp_file(*named) && named->size == file.chunks.size) {
      const auto wrong = wrong_in(sftp, folder.path_of(file.name), index, one.missing,
                                  SftpChunks::Until::first_wrong);
      one.is_there = wrong.empty();
      if (!one.is_there) one.verified = 0;
    }
    if (!one.is_there) look_at_part(sftp, folder.part_of(file.name), index);
    if (!is_resumed_) one.had_bytes = one.is_there ? file.chunks.size : one.verified;
    tell();
  }

  void look_at_part(SftpClient& sftp, const std::string& path, std::size_t index) {
    const ShippedFile& file = shipment_.files[index];
    Sending& one = all_[index];
    const auto part = sftp.look_at(path);
    one.part_bytes = part && is_sftp_file(*part) ? part->size.value_or(0) : 0;
    // Chunks that the part may have whole.
    const auto end = std::find_if(one.missing.begin(), one.missing.end(), [&](std::uint64_t chunk) {
      return chunk * chunk_bytes + chunk_size(file.chunks.size, chunk) > one.part_bytes;
    });
    if (end == one.missing.begin()) return;
    auto missing = wrong_in(sftp, path, index, {one.missing.begin(), end}, SftpChunks::Until::end);
    missing.insert(missing.end(), end, one.missing.end());
    one.missing = std::move(missing);
  }

  std::vector<std::uint64_t> wrong_in(SftpClient& sftp, const std::string& path, std::size_t index,
                                      std::vector<std::uint64_t> chunks, SftpChunks::Until until) {
    const auto handle = sftp.open(path, SftpOpening::to_read);
    const SftpChunkEvents events = events_of(all_[index]);
    auto wrong = SftpChunks(sftp, handle, path, shipment_.files[index], limit_, events)
                     .wrong_among(std::move(chunks), until);
    sftp.close(handle, path);
    return wrong;
  }

  void bring(SftpClient& sftp, SftpFolder& folder, std::size_t index) {
    const ShippedFile& file = shipment_.files[index];
    Sending& one = all_[index];
    const std::string path = folder.part_of(file.name);
    folder.make_way(file.name);
    auto part = sftp.look_at(path);
    if (part && !is_sftp_file(*part)) {
      sftp.remove(path);
      part.reset();
    }
    auto handle = part ? begun_part(sftp, path, part->size.value_or(0), index) : std::nullopt;
    if (!handle) handle = sftp.open(path, SftpOpening::to_make);
    try {
      write(sftp, *handle, path, index);
    } catch (const Error& error) {
      // SFTP has no code for a full disk.
      if (error.code() == ErrorCode::host_unfit) folder.require_room(least_room);
      throw;
    }
    sftp.close(*handle, path);
    sftp.rename(path, folder.path_of(file.name));
    one.is_there = true;
  }

  // Where the server writes to no file that is there, or cuts none that is too long, it is removed.
  std::optional<SftpClient::Handle> begun_part(SftpClient& sftp, const std::string& path,
                                               std::uint64_t has, std::size_t index) {
    const std::uint64_t size = shipment_.files[index].chunks.size;
    try {
      const auto handle = sftp.open(path, SftpOpening::to_write);
      if (has <= size || sftp.set(handle, path, size, std::nullopt)) return handle;
      sftp.close(handle, path);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::unreachable) throw;
    }
    sftp.remove(path);
    expect_all(index);
    return std::nullopt;
  }

  void write(SftpClient& sftp, const SftpClient::Handle& handle, const std::string& path,
             std::size_t index) {
    const ShippedFile& file = shipment_.files[index];
    Sending& one = all_[index];
    upload_.connections = 1;
    const SftpChunkEvents events = events_of(one);
    const std::uint64_t before = one.verified;
    try {
      SftpChunks(sftp, handle, path, file, limit_, events).bring(one.missing);
    } catch (const Error&) {
      state_.gained_bytes += one.verified - before;
      throw;
    }
    state_.gained_bytes += one.verified - before;
    // Where it is not ours to set, the mode stays that of the part.
    sftp.set(handle, path, std::nullopt, readable_by_all);
    if (sftp.attributes_of(handle, path).size != file.chunks.size) {
      throw Error(ErrorCode::unreachable,
                  format("the size of {} on the host differs from what was sent", in_quotes(path)),
                  "check whether somebody else writes to it");
    }
    sftp.sync(handle, path);
  }

  Upload result() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const ShippedFile& file = shipment_.files[i];
      UploadedFile done;
      done.name = file.name;
      done.sha256 = file.sha256;
      done.size = file.chunks.size;
      done.sent_bytes = all_[i].sent_bytes;
      done.reused = all_[i].had_bytes == file.chunks.size && all_[i].sent_bytes == 0;
      done.resumed_at = all_[i].had_bytes;
      upload_.files.push_back(std::move(done));
    }
    return std::move(upload_);
  }

  static constexpr std::uint64_t least_room = 1U << 20U;

  Remote& remote_;
  const TransferSet& shipment_;
  const UploadRequest& request_;
  RateLimit& limit_;
  const Clock& clock_;
  const UploadProgress& on_progress_;
  std::vector<Sending> all_;
  AttemptState state_;
  bool is_resumed_ = false;
  Upload upload_;
};

}  // namespace

Upload sftp_upload(const UploadJob& job) {
  return SftpUploading(job).run();
}

Upload upload_or_sftp(const UploadJob& job) {
  try {
    return upload(job);
  } catch (const SftpOnlyHosts&) {
    if (!job.request.target.container.empty()) throw;
  }
  return sftp_upload(job);
}

}  // namespace topsctl
