// The targets of one run as a chain, in which each may forward chunks to the next.
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

// Whether an IP address leads to this host itself: loopback (RFC 6890), or one of its interfaces.
bool is_own_address(const std::string& address);

// Whether the address that a target names may be passed to another one, which will connect to it:
// an IP address of a host, and one of this host only if `seen` from here, the address of the
// target's connection, is one too; empty: it is not known.
bool is_address_of_follower(const std::string& named, const std::string& seen);

// Thread-safe, one thread per target. The clock must outlive it.
class RelayChain {
 public:
  explicit RelayChain(const Clock& clock) : clock_(clock) {}

  // Joins after the last member that feeds no other yet, or as the head of a new chain. The chain
  // must outlive the member.
  std::unique_ptr<RelayMember> join(const std::string& name);

 private:
  friend class RelayMember;
  struct Place;
  void ring_all() const;

  const Clock& clock_;
  std::mutex mutex_;  // guards all places
  std::list<std::shared_ptr<Place>> places_;
};

// One target's place. Its destructor leaves the chain; the follower notices that.
class RelayMember {
 public:
  RelayMember(RelayChain& chain, std::shared_ptr<RelayChain::Place> place);
  ~RelayMember();
  RelayMember(const RelayMember&) = delete;
  RelayMember& operator=(const RelayMember&) = delete;

  // Rung when another target of the chain sends or withdraws a request, or leaves; null: none. The
  // bell must outlive this object or be removed.
  void be_woken_by(const Bell* bell);

  // The target before this one; empty at the head.
  std::string feeder() const;
  // Asks the feeder to send us chunks. We verify these chunks ourselves.
  void ask(RelayFeed feed);
  // Whether the feeder may still send: it is present, its feed is not broken, and while it has
  // chunks that we lack, we make progress every ten seconds and get 1 MiB/s on average of 30
  // seconds. A head that makes no progress itself has a minute.
  bool is_fed();
  // Withdraws our request.
  void let_go();

  // The follower's request; returned once.
  std::optional<RelayFeed> request();
  void tell_broken_feed();
  // Whether a follower may still send a request. Once false, it stays false.
  bool has_follower();

  // Reports our number of verified bytes.
  void tell_progress(std::uint64_t verified_bytes);

 private:
  RelayChain& chain_;
  std::shared_ptr<RelayChain::Place> place_;
};

}  // namespace topsctl
