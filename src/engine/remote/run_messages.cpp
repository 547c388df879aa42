// Writes and parses the JSON of frames about remote commands.
#include "topsctl/engine/remote/run_messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr std::size_t id_digits = 32;

// A value that may be empty, which JsonReader::text rejects.
std::string text_or_nothing(const JsonReader& value) {
  return value.is_null() ? "" : value.text();
}

Json to_json(const std::optional<SentFile>& file) {
  if (!file) return nullptr;
  return {{"text", file->text}, {"signature", text_or_null(file->signature)}};
}

std::optional<SentFile> sent_file(const JsonReader& value) {
  if (value.is_null()) return std::nullopt;
  value.expect_keys({"text", "signature"});
  return SentFile{value.at("text").text(), text_or_nothing(value.at("signature"))};
}

}  // namespace

Json to_json(const RemoteRunRequest& request) {
  return {{"id", request.id},
          {"words", request.words},
          {"run_as", request.run_as == RunAs::root ? "root" : "login"},
          {"events_from", request.events_from},
          {"lock", to_json(request.lock)},
          {"stack", to_json(request.stack)},
          {"job", text_or_null(request.job)},
          {"reading", text_or_null(request.reading)},
          {"directory", request.directory},
          {"has_begun", request.has_begun}};
}

RemoteRunRequest parse_run_frame(std::string_view payload) {
  try {
    const Json json = parse_json(payload, "the run request");
    const JsonReader reader(json, "the run request");
    reader.expect_keys({"id", "words", "run_as", "events_from", "lock", "stack", "job", "reading",
                        "directory", "has_begun"});
    RemoteRunRequest request;
    request.id = reader.at("id").text();
    // It becomes the name of a directory.
    if (request.id.size() != id_digits || !bytes_of_hex(request.id))
      reader.at("id").reject("invalid id");
    request.words = reader.at("words").texts();
    request.run_as =
        reader.at("run_as").text_of({"root", "login"}) == "root" ? RunAs::root : RunAs::login;
    request.events_from = static_cast<std::uint64_t>(
        reader.at("events_from").integer(0, std::numeric_limits<std::int64_t>::max()));
    request.lock = sent_file(reader.at("lock"));
    request.stack = sent_file(reader.at("stack"));
    request.job = text_or_nothing(reader.at("job"));
    request.reading = text_or_nothing(reader.at("reading"));
    request.has_begun = reader.at("has_begun").boolean();
    request.directory = reader.at("directory").text();
    if (!request.directory.starts_with('/')) reader.at("directory").reject("not an absolute path");
    return request;
  } catch (const Error&) {
    // A general message: the details would not help the reader.
    throw Error(ErrorCode::usage, "invalid run request");
  }
}

Json to_json(const RemoteRunEnd& end) {
  return {{"status", end.status},
          {"report", text_or_null(end.report)},
          {"last_words", text_or_null(end.last_words)}};
}

RemoteRunEnd parse_run_end(std::string_view payload) {
  try {
    const Json json = parse_json(payload, "the run result");
    const JsonReader reader(json, "the run result");
    return {static_cast<int>(reader.at("status").integer(-1, 255)),
            text_or_nothing(reader.at("report")), text_or_nothing(reader.at("last_words"))};
  } catch (const Error& error) {
    throw not_of_topsctl(error.message());
  }
}

}  // namespace topsctl
