// One host of a relay: receives chunks from the host before it, and forwards them to the next one.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/transfer/chunk_intake.hpp"
#include "topsctl/engine/remote/relay_messages.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// Listens on the address of the SSH connection for one link from another host, or for several from
// the workstation itself; acknowledges received chunks as if they had come over SSH, and the
// workstation checks them. The constructor's arguments must outlive it.
class RelayIntake {
 public:
  RelayIntake(std::vector<Incoming>& objects, AgentVoice& voice, std::mutex& writing)
      : objects_(objects), voice_(voice), writing_(writing) {}
  ~RelayIntake() { stop(); }

  // Begins to wait.
  RelayListening listen(const Host& host, const LinkWish& wish);
  // Returns when no more data of the link are written.
  void stop();

 private:
  void run();

  std::vector<Incoming>& objects_;
  AgentVoice& voice_;
  std::mutex& writing_;
  std::unique_ptr<PskTlsListener> listener_;
  std::mutex mutex_;  // of the links
  std::vector<std::unique_ptr<PskTlsLink>> links_;
  bool is_stopped_ = false;
  bool is_of_relay_ = true;
  std::set<ChunkPlace> present_;      // when a relay began: another host must not replace these
  std::vector<std::thread> threads_;  // one a link
};

// Forwards chunks as they arrive here, from any sender, and notifies the workstation when it is
// done or cannot continue.
class RelayFeeder {
 public:
  // Throws Error if a chunk does not belong to the objects.
  RelayFeeder(const std::filesystem::path& store, const std::vector<Incoming>& objects,
              RelayFeed feed, AgentVoice& voice);
  ~RelayFeeder();
  RelayFeeder(const RelayFeeder&) = delete;
  RelayFeeder& operator=(const RelayFeeder&) = delete;

 private:
  void run();
  void send_all(PskTlsLink& link);
  bool send_what_is_there(PskTlsLink& link);

  RelayFeed feed_;
  AgentVoice& voice_;
  std::vector<ManifestObject> known_;
  std::vector<std::unique_ptr<ArrivingObject>> objects_;  // of the manifest; null: not requested
  std::string buffer_;
  std::mutex mutex_;  // of the link
  PskTlsLink* link_ = nullptr;
  std::atomic<bool> is_stopped_ = false;
  Bell stop_;
  std::thread thread_;
};

}  // namespace topsctl
