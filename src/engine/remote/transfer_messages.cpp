// Writes and parses the JSON of a transfer's frames.
#include "topsctl/engine/remote/transfer_messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/filesystem/chunk_store.hpp"
#include "topsctl/host/filesystem/destination.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_size = std::int64_t{1} << 44U;  // bytes of one object
constexpr std::int64_t most_objects = 100'000;
constexpr std::size_t digest_bytes = 32;

std::uint64_t size_in(const JsonReader& value) {
  return static_cast<std::uint64_t>(value.integer(0, most_size));
}

std::string path_in(const JsonReader& value) {
  std::string path = value.text();
  if (!path.starts_with('/')) value.reject("expected an absolute path");
  return path;
}

std::vector<ManifestObject> objects_in(const JsonReader& value) {
  std::vector<ManifestObject> objects;
  for (const JsonReader& item : value.items()) {
    item.expect_keys({"id", "size"});
    if (objects.size() == static_cast<std::size_t>(most_objects)) item.reject("too many objects");
    ManifestObject object{item.at("id").text(), size_in(item.at("size"))};
    if (!is_content_id(object.id)) item.at("id").reject("invalid content id");
    objects.push_back(std::move(object));
  }
  return objects;
}

Json objects_json(const std::vector<ManifestObject>& objects) {
  Json list = Json::array();
  for (const ManifestObject& object : objects)
    list.push_back({{"id", object.id}, {"size", object.size}});
  return list;
}

ObjectState object_state(const JsonReader& item, const ManifestObject& object) {
  item.expect_keys({"complete", "digests"});
  ObjectState state;
  state.complete = item.at("complete").boolean();
  for (const JsonReader& digest : item.at("digests").items()) {
    if (digest.is_null()) {
      state.digests.emplace_back();
      continue;
    }
    const auto bytes = bytes_of_hex(digest.text());
    if (!bytes || bytes->size() != digest_bytes) digest.reject("invalid digest");
    state.digests.emplace_back(*bytes);
  }
  if (!state.complete && state.digests.size() != chunk_count(object.size))
    item.reject("wrong number of digests");
  return state;
}

}  // namespace

void read_near_words(std::string_view payload, const std::string& source,
                     const std::function<void(const JsonReader&)>& read) {
  try {
    const Json json = parse_json(payload, source);
    read(JsonReader(json, source));
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_bundle, error.message());
  }
}

void read_far_words(std::string_view payload, const std::string& source,
                    const std::function<void(const JsonReader&)>& read) {
  try {
    const Json json = parse_json(payload, source);
    read(JsonReader(json, source));
  } catch (const Error& error) {
    throw not_of_topsctl(
        error.message(),
        "rerun the same command; if the error persists, check what runs on the host");
  }
}

Json manifest_json(const TransferManifest& manifest) {
  Json files = Json::array();
  for (const ManifestFile& file : manifest.files)
    files.push_back({{"name", file.name}, {"object", file.object}});
  return {{"destination", manifest.destination},
          {"chunk_bytes", chunk_bytes},
          {"dry_run", manifest.dry_run},
          {"objects", objects_json(manifest.objects)},
          {"files", files}};
}

Json join_json(const TransferManifest& manifest) {
  return {{"store", manifest.store}, {"objects", objects_json(manifest.objects)}};
}

TransferManifest parse_manifest_frame(std::string_view payload) {
  TransferManifest manifest;
  read_near_words(payload, "the manifest", [&](const JsonReader& json) {
    json.expect_keys({"destination", "chunk_bytes", "dry_run", "objects", "files"});
    manifest.destination = path_in(json.at("destination"));
    json.at("chunk_bytes").integer(chunk_bytes, chunk_bytes);
    manifest.dry_run = json.at("dry_run").boolean();
    manifest.objects = objects_in(json.at("objects"));
    for (const JsonReader& item : json.at("files").items()) {
      item.expect_keys({"name", "object"});
      ManifestFile file{item.at("name").text(),
                        static_cast<std::uint32_t>(item.at("object").integer(
                            0, static_cast<std::int64_t>(manifest.objects.size()) - 1))};
      if (!is_safe_name(file.name)) item.at("name").reject("invalid file name");
      manifest.files.push_back(std::move(file));
    }
  });
  return manifest;
}

TransferManifest parse_join_frame(std::string_view payload) {
  TransferManifest manifest;
  read_near_words(payload, "the join request", [&](const JsonReader& json) {
    json.expect_keys({"store", "objects"});
    manifest.store = path_in(json.at("store"));
    manifest.objects = objects_in(json.at("objects"));
  });
  return manifest;
}

AgentWelcome parse_welcome(std::string_view payload) {
  AgentWelcome welcome;
  read_far_words(payload, "its welcome message", [&](const JsonReader& json) {
    welcome = {json.at("topsctl_version").text(), time_of(json.at("time").text())};
  });
  return welcome;
}

RemoteState parse_state(std::string_view payload, const std::vector<ManifestObject>& objects) {
  RemoteState state;
  read_far_words(payload, "its state message", [&](const JsonReader& json) {
    state.store = path_in(json.at("store"));
    state.free_bytes = static_cast<std::uint64_t>(
        json.at("free_bytes").integer(0, std::numeric_limits<std::int64_t>::max()));
    const std::vector<JsonReader> items = json.at("objects").items();
    if (items.size() != objects.size()) json.at("objects").reject("wrong number of objects");
    for (std::size_t i = 0; i < items.size(); ++i)
      state.objects.push_back(object_state(items[i], objects[i]));
  });
  return state;
}

std::vector<RemoteFile> parse_done(std::string_view payload) {
  std::vector<RemoteFile> files;
  read_far_words(payload, "its done message", [&](const JsonReader& json) {
    for (const JsonReader& item : json.at("files").items()) {
      files.push_back(
          {item.at("name").text(), item.at("id").text(), item.at("was_there").boolean()});
    }
  });
  return files;
}

constexpr std::size_t longest_message = 4000;  // bytes of a remote error message

Error parse_failure(std::string_view payload) {
  try {
    std::optional<Error> failure;
    read_far_words(payload, "its failure message", [&](const JsonReader& json) {
      const std::string code = json.at("code").text();
      const auto known = error_code_named(code);
      if (!known) json.at("code").reject("unknown error code");
      const JsonReader hint = json.at("hint");
      std::vector<std::string> context;
      for (const std::string& line : json.at("context").texts()) context.push_back(printable(line));
      // Indents further lines: an unindented line could look like one of ours.
      std::string message = shortened(json.at("message").text(), longest_message);
      message = joined(split(printable(message, Lines::keep), '\n'), "\n  ");
      failure.emplace(*known, std::move(message), hint.is_null() ? "" : printable(hint.text()),
                      context);
    });
    return *std::move(failure);
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace topsctl
