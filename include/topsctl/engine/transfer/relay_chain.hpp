// Who feeds whom: the targets of one run that are being sent to, in a chain.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "topsctl/engine/remote/relay_messages.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

class RelayMember;

// Of several threads, one a target. The clock must outlive it.
class RelayChain {
 public:
  explicit RelayChain(const Clock& clock) : clock_(clock) {}

  // A place behind the last one that feeds nobody yet, or at the head of a chain if there is none.
  // The chain must outlive it.
  std::unique_ptr<RelayMember> join(const std::string& name);

 private:
  friend class RelayMember;
  struct Place;
  void ring_all() const;

  const Clock& clock_;
  std::mutex mutex_;  // of all places
  std::list<std::shared_ptr<Place>> places_;
};

// One target's place. It leaves the chain with its end, and whoever stood behind it sees that.
class RelayMember {
 public:
  RelayMember(RelayChain& chain, std::shared_ptr<RelayChain::Place> place);
  ~RelayMember();
  RelayMember(const RelayMember&) = delete;
  RelayMember& operator=(const RelayMember&) = delete;

  // Rung when another target of the chain wants something, or wants nothing more, or is gone; null:
  // none is. It must outlive this, or be taken away.
  void be_woken_by(const Bell* bell);

  // The target before this one; empty at the head.
  std::string feeder() const;
  // Asks that one to feed us. Its chunks are judged by whoever asked.
  void ask(RelayFeed feed);
  // Whether it may still bring something: it is there, its feed is not broken, and we have not
  // lagged behind it for ten seconds without any progress.
  bool is_fed();
  // That we want nothing more of it.
  void let_go();

  // What the one behind us asked for, once.
  std::optional<RelayFeed> request();
  void tell_broken_feed();
  // Whether somebody stands behind us who may still want something. Once it is false, nobody comes.
  bool has_follower();

  // What has been verified of ours.
  void tell_progress(std::uint64_t verified_bytes);

 private:
  RelayChain& chain_;
  std::shared_ptr<RelayChain::Place> place_;
};

}  // namespace topsctl
