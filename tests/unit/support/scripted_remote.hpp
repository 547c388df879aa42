// A far end that says what a script has for it.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/network/remote.hpp"

namespace topsctl {

// What one connection says after its start; it is lost at the end of it.
using Said = std::deque<std::string>;

class ScriptedStream : public RemoteStream {
 public:
  ScriptedStream(Said said, std::string& heard) : said_(std::move(said)), heard_(heard) {}
  void write(std::string_view bytes) override { heard_ += bytes; }
  std::optional<std::string> read(std::int64_t) override {
    if (said_.empty()) throw ConnectionLost("the connection was cut");
    std::string next = said_.front();
    said_.pop_front();
    return next;
  }
  void end_input() override {}
  RemoteEnd finish() override { return {}; }

 private:
  Said said_;
  std::string& heard_;
};

class ScriptedRemote : public Remote, public RemoteSession {
 public:
  std::unique_ptr<RemoteSession> connect() override {
    ++connections;
    if (refusals > 0) {
      --refusals;
      throw ConnectionLost("no route");
    }
    if (script.empty()) throw ConnectionLost("no route");
    return std::make_unique<Borrowed>(*this);
  }
  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    const std::size_t at = command_line.find("topsctl-", command_line.find("echo "));
    Said said = std::move(script.front());
    script.pop_front();
    const Json welcome = {{"topsctl_version", "1"}, {"time", "2026-11-22T10:15:00Z"}};
    said.push_front(concat(command_line.substr(at, command_line.find(' ', at) - at), " run\n",
                           json_frame(FrameKind::welcome, welcome)));
    return std::make_unique<ScriptedStream>(std::move(said), heard);
  }

  std::deque<Said> script;
  unsigned connections = 0;
  unsigned refusals = 0;  // first
  std::string heard;

 private:
  class Borrowed : public RemoteSession {
   public:
    explicit Borrowed(RemoteSession& session) : session_(session) {}
    std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
      return session_.start(command_line);
    }

   private:
    RemoteSession& session_;
  };
};

}  // namespace topsctl
