// Older locks than those that were installed.
#include "topsctl/engine/transaction/lock_replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

constexpr const char* january = "2026-01-01T00:00:00Z";
constexpr const char* february = "2026-02-01T00:00:00Z";

std::vector<InputFile> lock_of_key(const std::string& key, const std::string& created_at) {
  return {{InputFile::Kind::lock, "lock", std::string(64, 'a'), created_at, Signer{key, "x@lab"}}};
}

class OlderLocks : public testing::Test {
 protected:
  OlderLocks() { host.root = root.path(); }

  void add_transaction(std::int64_t id, const std::string& stack, const Json& inputs,
                       std::initializer_list<TransactionState> states) {
    Journal journal(root.make_folder(concat("var/lib/topsctl/transactions/", id)) / "journal");
    journal.append(TransactionState::begun, {{"stack", stack}, {"inputs", inputs}});
    for (const TransactionState state : states) journal.append(state, Json::object());
  }

  bool is_refused(const std::vector<InputFile>& inputs, const std::string& stack = "a") {
    try {
      refuse_older_lock(host, stack, inputs);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_package);
      EXPECT_THAT(error.hint(), HasSubstr("--allow-older-lock"));
      return true;
    }
  }

  const TemporaryFolder root;
  Host host;
};

TEST_F(OlderLocks, AreThoseBeforeTheNewestOfTheSameKeyAndStack) {
  EXPECT_FALSE(is_refused(lock_of_key("k", january)));
  add_transaction(1, "a", to_json(lock_of_key("k", february)),
                  {TransactionState::applying, TransactionState::committed});
  add_transaction(2, "a", to_json(lock_of_key("k", january)), {TransactionState::committed});
  EXPECT_TRUE(is_refused(lock_of_key("k", january)));
  EXPECT_TRUE(is_refused(lock_of_key("k", "no time at all")));
  EXPECT_FALSE(is_refused(lock_of_key("k", february)));
  EXPECT_FALSE(is_refused(lock_of_key("other", january)));
  EXPECT_FALSE(is_refused(lock_of_key("k", january), "b"));
  auto unsigned_lock = lock_of_key("k", january);
  unsigned_lock.front().signed_by.reset();
  EXPECT_FALSE(is_refused(unsigned_lock));
  EXPECT_FALSE(is_refused({}));
}

TEST_F(OlderLocks, AreKnownFromCommitsAlone) {
  add_transaction(1, "a", to_json(lock_of_key("k", february)),
                  {TransactionState::applying, TransactionState::restored});
  EXPECT_FALSE(is_refused(lock_of_key("k", january)));
  add_transaction(2, "a", to_json(lock_of_key("k", february)),
                  {TransactionState::committed, TransactionState::restored});
  EXPECT_TRUE(is_refused(lock_of_key("k", january)));
}

TEST_F(OlderLocks, AreSeenThroughJournalsOfOtherForms) {
  int id = 0;
  for (const Json& inputs :
       {Json(nullptr), Json(1), Json("x"), Json::array({nullptr, 1, "x", Json::object()}),
        Json::object({{"kind", 1}})}) {
    add_transaction(++id, "a", inputs, {TransactionState::committed});
  }
  EXPECT_FALSE(is_refused(lock_of_key("k", january)));
  add_transaction(++id, "a", to_json(lock_of_key("k", february)), {TransactionState::committed});
  EXPECT_TRUE(is_refused(lock_of_key("k", january)));
}

}  // namespace
}  // namespace topsctl
