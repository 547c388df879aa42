// Keeps the chain of a relay.
#include "topsctl/engine/transfer/relay_chain.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "topsctl/host/network/connection.hpp"

namespace topsctl {

namespace {

enum class AddressKind { none, own, link_local, host };

AddressKind kind_of(std::uint32_t address) {
  const std::uint32_t first = address >> 24U;
  if (first == 0 || first >= 224) return AddressKind::none;  // this network; multicast, reserved
  if (first == 127) return AddressKind::own;
  return address >> 16U == 0xa9fe ? AddressKind::link_local : AddressKind::host;  // 169.254/16
}

// RFC 6890.
AddressKind kind_of(const std::string& text) {
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return kind_of(ntohl(four.s_addr));
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1 || IN6_IS_ADDR_UNSPECIFIED(&six) ||
      IN6_IS_ADDR_MULTICAST(&six))
    return AddressKind::none;
  if (IN6_IS_ADDR_V4MAPPED(&six)) {
    std::uint32_t inner = 0;
    std::memcpy(&inner, &six.s6_addr[12], sizeof inner);
    return kind_of(ntohl(inner));
  }
  if (IN6_IS_ADDR_LOOPBACK(&six)) return AddressKind::own;
  return IN6_IS_ADDR_LINKLOCAL(&six) ? AddressKind::link_local : AddressKind::host;
}

using ChainGuard = std::lock_guard<std::mutex>;
using Moment = std::chrono::steady_clock::time_point;
constexpr std::chrono::seconds patience(10);
constexpr std::chrono::seconds rate_window(30);
constexpr std::uint64_t least_gain = 30ULL
                                     << 20U;  // bytes in a window: less than any local network
constexpr std::chrono::minutes patience_with_head(1);

}  // namespace

bool is_own_address(const std::string& address) {
  constexpr std::string_view mapped = "::ffff:";             // RFC 4291, 2.5.5.2
  std::string plain = address.substr(0, address.find('%'));  // without its zone
  if (plain.starts_with(mapped)) plain.erase(0, mapped.size());
  return kind_of(address) == AddressKind::own || !interface_with(plain).empty();
}

bool is_address_of_follower(const std::string& named, const std::string& seen) {
  const AddressKind kind = kind_of(named);
  return kind == AddressKind::host || (kind == AddressKind::own && kind_of(seen) == kind);
}

struct RelayChain::Place {
  std::string name;
  std::shared_ptr<Place> before;  // null: the head, or withdrawn
  bool has_follower = false;
  bool is_closed = false;  // no member may join behind it any more
  std::optional<RelayFeed> request;
  bool has_ended = false;  // its feed to the follower is broken, or it has left
  std::uint64_t verified = 0;
  std::optional<Moment> behind_since;  // since when the feeder has had chunks that we lack
  struct Window {
    Moment since;
    std::uint64_t verified = 0;  // then
  };
  std::optional<Window> window;  // while we are behind without a break
  Moment moved_at;               // its last progress, or when it began to be fed from elsewhere
  const Bell* bell = nullptr;
};

// It happens a few times for each target.
void RelayChain::ring_all() const {
  for (const auto& place : places_) {
    if (place->bell != nullptr) place->bell->ring();
  }
}

std::unique_ptr<RelayMember> RelayChain::join(const std::string& name) {
  const ChainGuard guard(mutex_);
  auto place = std::make_shared<Place>();
  place->name = name;
  place->moved_at = clock_.steady();
  for (const auto& other : places_) {
    if (other->has_follower || other->is_closed) continue;
    other->has_follower = true;
    place->before = other;
    break;
  }
  places_.push_back(place);
  return std::make_unique<RelayMember>(*this, place);
}

RelayMember::RelayMember(RelayChain& chain, std::shared_ptr<RelayChain::Place> place)
    : chain_(chain), place_(std::move(place)) {}

RelayMember::~RelayMember() {
  let_go();
  const ChainGuard guard(chain_.mutex_);
  place_->has_ended = true;
  chain_.places_.remove(place_);
  chain_.ring_all();
}

void RelayMember::be_woken_by(const Bell* bell) {
  const ChainGuard guard(chain_.mutex_);
  place_->bell = bell;
}

std::string RelayMember::feeder() const {
  const ChainGuard guard(chain_.mutex_);
  return place_->before ? place_->before->name : "";
}

void RelayMember::ask(RelayFeed feed) {
  const ChainGuard guard(chain_.mutex_);
  if (place_->before) place_->before->request = std::move(feed);
  chain_.ring_all();
}

bool RelayMember::is_fed() {
  const ChainGuard guard(chain_.mutex_);
  if (!place_->before || place_->before->has_ended) return false;
  const RelayChain::Place& feeder = *place_->before;
  const auto now = chain_.clock_.steady();
  if (feeder.verified <= place_->verified) {
    place_->behind_since.reset();
    place_->window.reset();
    return feeder.before != nullptr || now - feeder.moved_at < patience_with_head;
  }
  if (!place_->behind_since) place_->behind_since = now;
  if (now - *place_->behind_since >= patience) return false;
  auto& window = place_->window;
  if (!window) window = {now, place_->verified};
  if (now - window->since < rate_window) return true;
  if (place_->verified - window->verified < least_gain) return false;
  window = {now, place_->verified};
  return true;
}

void RelayMember::let_go() {
  const ChainGuard guard(chain_.mutex_);
  if (!place_->before) return;
  place_->before->has_follower = false;
  place_->before->is_closed = true;
  place_->before->request.reset();
  place_->before.reset();
  place_->moved_at = chain_.clock_.steady();
  chain_.ring_all();
}

std::optional<RelayFeed> RelayMember::request() {
  const ChainGuard guard(chain_.mutex_);
  return std::exchange(place_->request, std::nullopt);
}

void RelayMember::tell_broken_feed() {
  const ChainGuard guard(chain_.mutex_);
  place_->has_ended = true;
  chain_.ring_all();
}

bool RelayMember::has_follower() {
  const ChainGuard guard(chain_.mutex_);
  if (!place_->has_follower) place_->is_closed = true;
  return place_->has_follower;
}

void RelayMember::tell_progress(std::uint64_t verified_bytes) {
  const ChainGuard guard(chain_.mutex_);
  if (verified_bytes > place_->verified) {
    place_->behind_since.reset();
    place_->moved_at = chain_.clock_.steady();
  }
  place_->verified = verified_bytes;
  if (place_->before && place_->before->verified <= verified_bytes) place_->window.reset();
}

}  // namespace topsctl
