// Serves one connection of a transfer.
#include "topsctl/engine/transfer/receiver.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "engine/transfer/chunk_intake.hpp"
#include "engine/transfer/relay_end.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/remote/fetched_logs.hpp"
#include "topsctl/engine/remote/run_server.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/filesystem/destination.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t spare_bytes = 64ULL << 20U;  // that a transfer leaves free
constexpr const char* only_transfers = "only transfers are allowed on this host";

dev_t device_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(errno, "read", path.string());
  return status.st_dev;
}

// Directories for received content, best first.
std::vector<fs::path> store_places(const Host& host) {
  const auto value = [&](const char* name) {
    const auto found = host.environment.find(name);
    return found == host.environment.end() ? std::string() : found->second;
  };
  std::vector<fs::path> places;
  if (value("XDG_CACHE_HOME").starts_with('/'))
    places.push_back(fs::path(value("XDG_CACHE_HOME")) / "topsctl" / "received");
  else if (value("HOME").starts_with('/'))
    places.push_back(fs::path(value("HOME")) / ".cache" / "topsctl" / "received");
  places.emplace_back(concat("/var/tmp/topsctl-", ::geteuid(), "/received"));
  return places;
}

// On the file system of the destination, so that files can be linked there.
fs::path store_for(const Host& host, const fs::path& destination) {
  for (const fs::path& place : store_places(host)) {
    try {
      require_own_folder(place.parent_path());
      require_own_folder(place);
      if (device_of(place) == device_of(destination)) return place;
    } catch (const Error&) {
      // The next one may do.
    }
  }
  const fs::path inside = destination / ".topsctl";
  require_own_folder(inside);
  return inside;
}

// The same without creating anything: the nearest existing directory of the destination, if there
// is no store.
fs::path store_to_look_at(const Host& host, const fs::path& destination) {
  fs::path there = destination;
  std::error_code ignored;
  while (!fs::exists(there, ignored) && there != there.parent_path()) there = there.parent_path();
  std::vector<fs::path> places = store_places(host);
  places.push_back(destination / ".topsctl");
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored) && device_of(place) == device_of(there)) return place;
  }
  return there;
}

bool has_part(const fs::path& store, const std::string& id) {
  std::error_code ignored;
  return fs::exists(store / "parts" / concat(id, ".part"), ignored);
}

class Receiver : public FrameHandler {
 public:
  Receiver(const Host& host, const Descriptor& input, const Descriptor& output,
           const OnlyBelow& only_below)
      : host_(host),
        input_(input),
        only_below_(only_below),
        voice_(output),
        intake_(objects_, voice_, writing_),
        relay_(objects_, voice_, writing_) {}

  // Whether its task is done; after a transfer it may still forward chunks to another host.
  bool is_done() const { return is_done_; }
  bool is_over() const { return is_over_; }

  void welcome() {
    say(json_frame(FrameKind::welcome, {{"topsctl_version", std::string(topsctl_version())},
                                        {"time", timestamp(host_.clock->now())},
                                        {"uid", ::geteuid()}}));
  }

  void on_frame(FrameKind kind, std::string_view payload) override {
    switch (kind) {
      case FrameKind::manifest:
        return take_manifest(parse_manifest_frame(payload));
      case FrameKind::join:
        return join(parse_join_frame(payload));
      case FrameKind::finish:
        return finish();
      case FrameKind::listen:
        return say(
            json_frame(FrameKind::listening,
                       to_json(only_below_ ? RelayListening{"", 0, only_transfers}
                                           : relay_.listen(host_, parse_listen_frame(payload)))));
      case FrameKind::unlisten:
        relay_.stop();
        return say(frame(FrameKind::unlistened, ""));
      case FrameKind::feed:
        if (only_below_) return say(json_frame(FrameKind::fed, fed_json(only_transfers)));
        feeders_.push_back(
            std::make_unique<RelayFeeder>(store_, objects_, parse_feed_frame(payload), voice_));
        return;
      case FrameKind::secret:
        sudo_password_ = Secret(payload);
        return;
      case FrameKind::run:
        if (only_below_)
          throw Error(ErrorCode::permission, only_transfers, "log in as another user");
        wanted_run_ = parse_run_frame(payload);
        return;
      case FrameKind::fetch:
        if (only_below_)
          throw Error(ErrorCode::permission, only_transfers, "log in as another user");
        serve_logs(host_, payload, [this](const std::string& bytes) { say(bytes); });
        is_done_ = is_over_ = true;
        return;
      default:
        throw Error(ErrorCode::usage, "a frame that only the remote end sends",
                    "`topsctl receive` is started by `topsctl transfer`");
    }
  }

  void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) override {
    intake_.begin({&place, 1}, size);
  }
  void on_chunk_bytes(std::string_view piece) override { intake_.take({&piece, 1}); }
  void on_chunk_end() override { intake_.end(); }

  void say(const std::string& bytes) { voice_.say(bytes); }

  bool has_secret() const { return !sudo_password_.is_empty(); }
  // Called when the received data are not needed any longer.
  void run_if_wanted() {
    if (!wanted_run_) return;
    serve_run(host_, *wanted_run_, std::exchange(sudo_password_, {}), input_,
              [this](const std::string& bytes) { say(bytes); });
    is_done_ = is_over_ = true;
  }

 private:
  // Throws unless the directory may be written.
  void require_allowed(const fs::path& folder) const {
    if (!only_below_) return;
    const fs::path below = folder.lexically_normal().lexically_relative(*only_below_);
    if (!below.empty() && *below.begin() != "..") return;
    throw Error(
        ErrorCode::permission,
        format("only transfers to {} are allowed on this host", in_quotes(only_below_->string())),
        format("choose it, or a directory below it, with --dest {}", only_below_->string()));
  }

  void take_manifest(TransferManifest manifest) {
    require_allowed(manifest.destination);
    if (!manifest.dry_run) destination_.emplace(manifest.destination);
    store_ = manifest.dry_run ? store_to_look_at(host_, manifest.destination)
                              : store_for(host_, manifest.destination);
    files_ = std::move(manifest.files);
    Json objects = Json::array();
    std::uint64_t missing = 0;
    for (const ManifestObject& object : manifest.objects) {
      Incoming& incoming = objects_.emplace_back(Incoming{object, std::nullopt});
      Json digests = Json::array();
      const bool is_there = open_part(incoming, manifest.dry_run);
      if (!is_there) {
        std::vector<std::optional<ChunkDigest>> verified(chunk_count(object.size));
        if (incoming.part) verified = incoming.part->verified();
        for (std::size_t i = 0; i < verified.size(); ++i) {
          digests.push_back(verified[i] ? Json(hex_text(*verified[i])) : Json(nullptr));
          if (!verified[i]) missing += chunk_size(object.size, i);
        }
      }
      objects.push_back({{"complete", is_there}, {"digests", digests}});
    }
    const std::uint64_t free = free_bytes(store_);
    if (missing > 0 && free < missing + spare_bytes) {
      throw Error(ErrorCode::no_space,
                  format("not enough space for {} in {}: {} free, and {} must stay free",
                         human_size(missing), in_quotes(store_.string()), human_size(free),
                         human_size(spare_bytes)),
                  "free some space on the host, or choose another file system with --dest; data "
                  "already received is kept");
    }
    say(json_frame(FrameKind::state,
                   {{"store", store_.string()}, {"free_bytes", free}, {"objects", objects}}));
  }

  // Whether the object exists already. A dry run creates no part.
  bool open_part(Incoming& incoming, bool is_dry_run) const {
    const auto& [id, size] = incoming.object;
    if (is_dry_run && !has_part(store_, id)) return object_in(store_, id).has_value();
    incoming.part = Part::unless_whole(store_, id, size);
    return !incoming.part;
  }

  void join(TransferManifest manifest) {
    const std::vector<fs::path> places = store_places(host_);
    if (std::find(places.begin(), places.end(), manifest.store) == places.end())
      require_allowed(manifest.store);
    require_own_folder(manifest.store);
    store_ = manifest.store;
    for (const ManifestObject& object : manifest.objects) {
      Incoming& incoming = objects_.emplace_back(Incoming{object, std::nullopt});
      incoming.part = Part::unless_whole(store_, object.id, object.size);
    }
    say(frame(FrameKind::joined, ""));
  }

  void finish() {
    relay_.stop();
    if (!destination_) throw Error(ErrorCode::usage, "the transfer ended without a manifest");
    try {
      name_files();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::internal) throw;
      // For any error: this host did not keep the received data.
      throw Error(ErrorCode::host_unfit, error.message(),
                  "rerun the same command: missing data will be sent");
    }
  }

  void name_files() {
    for (const fs::path& folder : {store_, destination_->path()}) {
      if (fs::exists(folder)) continue;
      throw Error(ErrorCode::host_unfit,
                  format("{} was removed during the transfer", in_quotes(folder.string())),
                  "rerun the same command: its contents will be resent");
    }
    for (Incoming& incoming : objects_) {
      if (incoming.part) incoming.part->complete();
      incoming.part.reset();
    }
    Json files = Json::array();
    for (const ManifestFile& file : files_) {
      const auto& [id, size] = objects_.at(file.object).object;
      const auto object = whole_object(store_, id, size);
      if (!object) throw Error(ErrorCode::internal, format("object disappeared: {}", id));
      const bool was_there = destination_->holds(*object, file.name);
      if (!was_there) destination_->place(*object, file.name);
      files.push_back({{"name", file.name}, {"id", id}, {"was_there", was_there}});
    }
    destination_->sync();
    remove_old_objects(store_);
    is_done_ = true;
    say(json_frame(FrameKind::done, {{"files", files}}));
  }

  const Host& host_;
  const Descriptor& input_;
  const OnlyBelow& only_below_;
  AgentVoice voice_;
  fs::path store_;
  std::optional<Destination> destination_;
  std::vector<ManifestFile> files_;
  std::vector<Incoming> objects_;
  std::mutex writing_;
  ChunkIntake intake_;
  RelayIntake relay_;
  std::vector<std::unique_ptr<RelayFeeder>> feeders_;
  Secret sudo_password_;
  std::optional<RemoteRunRequest> wanted_run_;
  bool is_done_ = false;
  bool is_over_ = false;
};

void wait_for_input(const Descriptor& input) {
  std::array<pollfd, 2> watched = {{{input.get(), POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), -1);
  throw_if_interrupted();
}

}  // namespace

bool serve_transfer(const Host& host, const Descriptor& input, const Descriptor& output,
                    const OnlyBelow& only_below) {
  constexpr int pipe_bytes = 1 << 20;
  ::fcntl(input.get(), F_SETPIPE_SZ, pipe_bytes);
  Receiver receiver(host, input, output, only_below);
  FrameParser parser(receiver);
  try {
    receiver.welcome();
    const std::size_t block = 1U << 20U;
    const auto buffer = std::make_unique_for_overwrite<char[]>(block);
    while (!receiver.is_over()) {
      wait_for_input(input);
      const ssize_t got = ::read(input.get(), buffer.get(), block);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return receiver.is_done();
      parser.take({buffer.get(), static_cast<std::size_t>(got)});
      if (receiver.has_secret()) wipe(buffer.get(), block);
      receiver.run_if_wanted();
    }
    return true;
  } catch (const Error& error) {
    receiver.say(json_frame(FrameKind::failure, to_json(error)));
    return false;
  }
}

}  // namespace topsctl
