// The journal: what is whole is read, what a crash tore is passed over, all else is damage.
#include "topsctl/engine/transaction/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

constexpr std::array<State, 5> five = {State::begun, State::prepared, State::applying,
                                       State::verifying, State::committed};

// A journal of five records; `ends` are the lengths after each.
std::string five_records(const TemporaryFolder& folder, std::vector<std::size_t>* ends = nullptr) {
  Journal journal(folder / "journal");
  for (const State state : five) {
    journal.append(state, Json{{"state", name(state)}, {"text", "库\n{}"}});
    if (ends != nullptr) ends->push_back(folder.read("journal").size());
  }
  return folder.read("journal");
}

std::vector<State> states_of(const std::vector<JournalRecord>& records) {
  std::vector<State> states;
  for (const JournalRecord& record : records) states.push_back(record.state);
  return states;
}

TEST(Journals, GiveBackWhatWasAppended) {
  const TemporaryFolder folder;
  five_records(folder);
  const auto records = read_journal(folder / "journal");
  EXPECT_THAT(states_of(records), testing::ElementsAreArray(five));
  EXPECT_EQ(records[1].details.dump(), Json({{"state", "prepared"}, {"text", "库\n{}"}}).dump());
}

TEST(Journals, NestedWithoutEndAreDamaged) {
  const TemporaryFolder folder;
  Json deep = Json::object();
  for (int i = 0; i < 100; ++i) deep = Json{{"a", std::move(deep)}};
  Journal(folder / "journal").append(State::begun, {{"state", "begun"}, {"deep", std::move(deep)}});
  EXPECT_EQ(thrown_by([&] { read_journal(folder / "journal"); }).code(),
            ErrorCode::journal_damaged);
}

TEST(Journals, AreForTheOwnerOnly) {
  const TemporaryFolder folder;
  Journal journal(folder / "journal");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "journal").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(Journals, HaveLengthAndChecksumInFrontOfEachRecord) {
  const TemporaryFolder folder;
  Journal(folder / "journal").append(State::begun, Json::object());
  EXPECT_THAT(folder.read("journal"),
              testing::MatchesRegex("00000029 [0-9a-f]{8} "
                                    "\\{\"state\":\"begun\",\"details\":\\{\\},\"format\":2\\}\n"));
}

TEST(Journals, ThatAreAbsentOrEmptyHaveNoRecords) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_journal(folder / "none"), IsEmpty());
  folder.write("empty", "");
  EXPECT_THAT(read_journal(folder / "empty"), IsEmpty());
}

TEST(Journals, GrowWhenOpenedAgain) {
  const TemporaryFolder folder;
  Journal(folder / "journal").append(State::begun, Json::object());
  Journal(folder / "journal").append(State::restored, Json::object());
  EXPECT_THAT(states_of(read_journal(folder / "journal")),
              ElementsAre(State::begun, State::restored));
}

TEST(Journals, CutShortAnywhereGiveTheRecordsThatAreWhole) {
  const TemporaryFolder folder;
  std::vector<std::size_t> ends;
  const std::string whole = five_records(folder, &ends);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const auto records = parse_journal(whole.substr(0, length), "j");
    const auto expected = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= length; }));
    ASSERT_EQ(records.size(), expected) << length;
    for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i].state, five[i]);
  }
}

TEST(Journals, CutATornLastRecordOffWhenOpenedAgain) {
  const TemporaryFolder folder;
  std::vector<std::size_t> ends;
  const std::string whole = five_records(folder, &ends);
  for (std::size_t length = ends[3]; length < whole.size(); length += 7) {
    folder.write("torn", whole.substr(0, length));
    Journal(folder / "torn").append(State::restoring, Json::object());
    EXPECT_THAT(states_of(read_journal(folder / "torn")),
                ElementsAre(State::begun, State::prepared, State::applying, State::verifying,
                            State::restoring))
        << length;
  }
}

// A crash cuts off; it does not change what is there.
TEST(Journals, WithAnyByteChangedAreAnError) {
  const TemporaryFolder folder;
  const std::string whole = five_records(folder);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\n', 'x'}) {
      std::string bytes = whole;
      if (bytes[at] == value) continue;
      bytes[at] = value;
      const Error error = thrown_by([&] { parse_journal(bytes, "/j/3"); });
      ASSERT_EQ(error.code(), ErrorCode::journal_damaged) << at;
      ASSERT_THAT(error.message(), HasSubstr("the journal '/j/3' is damaged"));
    }
  }
}

TEST(Journals, WithAMissingPieceInTheMiddleAreAnError) {
  const TemporaryFolder folder;
  std::vector<std::size_t> ends;
  std::string whole = five_records(folder, &ends);
  whole.erase(ends[0] + 3, 10);
  EXPECT_EQ(thrown_by([&] { parse_journal(whole, "j"); }).code(), ErrorCode::journal_damaged);
}

TEST(Journals, DamagedInTheMiddleAreNotCutWhenOpened) {
  const TemporaryFolder folder;
  std::string whole = five_records(folder);
  whole[30] ^= 1;
  folder.write("journal", whole);
  EXPECT_EQ(thrown_by([&] { Journal journal(folder / "journal"); }).code(),
            ErrorCode::journal_damaged);
  EXPECT_EQ(folder.read("journal"), whole);
}

std::string framed(const std::string& payload) {
  char prefix[32];
  std::snprintf(prefix, sizeof prefix, "%08x %08x ", static_cast<unsigned>(payload.size()),
                crc32c(payload));
  return prefix + payload + "\n";
}

TEST(Journals, WithAWholeRecordThatMakesNoSenseAreAnError) {
  for (const char* payload : {R"({"state":"dreaming","details":{}})", R"({"state":"begun"})",
                              R"({"state":1,"details":{}})", "[]", "no JSON", ""}) {
    EXPECT_EQ(thrown_by([&] { parse_journal(framed(payload), "j"); }).code(),
              ErrorCode::journal_damaged)
        << payload;
  }
}

// Journals of earlier versions of topsctl.
std::string unchained(const std::vector<State>& states) {
  std::string bytes;
  for (const State state : states)
    bytes += framed(Json({{"state", name(state)}, {"details", Json::object()}}).dump());
  return bytes;
}

std::vector<std::string> lines_of(const std::string& bytes) {
  std::vector<std::string> lines = split(bytes, '\n');
  lines.pop_back();
  for (std::string& line : lines) line += '\n';
  return lines;
}

bool is_refused(const std::string& bytes) {
  try {
    parse_journal(bytes, "j");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::journal_damaged);
    EXPECT_THAT(error.hint(), HasSubstr("topsctl recover --from-store"));
    return true;
  }
  return false;
}

TEST(Journals, HaveTheDigestOfTheRecordBeforeInEach) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(five_records(folder));
  ASSERT_EQ(lines.size(), five.size());
  const auto payload = [&](std::size_t i) { return lines[i].substr(18, lines[i].size() - 19); };
  EXPECT_EQ(Json::parse(payload(0))["format"], 2);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(Json::parse(payload(i))["previous"], sha256_of(payload(i - 1)));
}

TEST(Journals, WithRecordsSwappedDuplicatedOrMissingInTheMiddleAreAnError) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(five_records(folder));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> duplicated = lines;
    duplicated.insert(duplicated.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    EXPECT_TRUE(is_refused(joined(duplicated, ""))) << i;
    if (i + 1 == lines.size()) continue;
    std::vector<std::string> missing = lines;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(is_refused(joined(missing, ""))) << i;
    std::vector<std::string> swapped = lines;
    std::swap(swapped[i], swapped[i + 1]);
    EXPECT_TRUE(is_refused(joined(swapped, ""))) << i;
  }
}

TEST(Journals, OfTheFirstFormatAreReadAndGoOnInIt) {
  const TemporaryFolder folder;
  const std::vector<State> states = {State::begun, State::prepared, State::applying,
                                     State::committed};
  folder.write("journal", unchained(states));
  EXPECT_EQ(states_of(read_journal(folder / "journal")), states);
  Journal(folder / "journal").append(State::restoring, Json::object());
  const auto records = read_journal(folder / "journal");
  EXPECT_EQ(records.back().state, State::restoring);
  EXPECT_FALSE(records.back().is_chained);
  EXPECT_THAT(folder.read("journal"), testing::Not(HasSubstr("previous")));
}

TEST(Journals, WithAnOrderOfStatesThatNoTransactionHasAreAnError) {
  for (const std::vector<State>& states : std::vector<std::vector<State>>{
           {State::prepared},
           {State::begun, State::begun},
           {State::begun, State::applying, State::prepared},
           {State::begun, State::committed, State::verifying},
           {State::begun, State::applying, State::pruned},
           {State::begun, State::restored, State::applying},
           {State::begun, State::committed, State::pruned, State::restoring},
           {State::begun, State::restoring, State::committed}}) {
    EXPECT_TRUE(is_refused(unchained(states))) << name(states.back());
  }
  for (const std::vector<State>& states : std::vector<std::vector<State>>{
           {State::begun, State::restored},
           {State::begun, State::prepared, State::applying, State::committed, State::committed,
            State::restoring, State::restoring, State::restored},
           {State::begun, State::committed, State::pruned}}) {
    EXPECT_EQ(states_of(parse_journal(unchained(states), "j")), states);
  }
}

TEST(Journals, OfALaterFormatAreLeftToALaterVersion) {
  const Error error =
      thrown_by([] { parse_journal(framed(R"({"state":"begun","details":{},"format":3})"), "j"); });
  EXPECT_EQ(error.code(), ErrorCode::journal_damaged);
  EXPECT_THAT(error.hint(), HasSubstr("version of topsctl"));
}

TEST(Journals, ThatAreLinksOrFoldersAreAnError) {
  const TemporaryFolder folder;
  folder.write("whole", unchained({State::begun}));
  std::filesystem::create_symlink("whole", folder / "link");
  folder.make_folder("folder");
  for (const char* name : {"link", "folder"}) {
    EXPECT_EQ(thrown_by([&] { read_journal(folder / name); }).code(), ErrorCode::journal_damaged);
  }
}

TEST(Journals, KeepNoPartOfARecordThatDidNotFit) {
  const TemporaryFolder folder;
  Journal journal(folder / "journal");
  journal.append(State::begun, Json::object());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{folder.read("journal").size() + 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  thrown_by([&] { journal.append(State::restoring, Json::object()); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  journal.append(State::restored, Json::object());
  EXPECT_THAT(states_of(read_journal(folder / "journal")),
              ElementsAre(State::begun, State::restored));
}

TEST(Journals, CanBeWrittenAnewBesideTheDamagedOne) {
  const TemporaryFolder folder;
  std::string damaged = five_records(folder);
  damaged[damaged.size() - 30] ^= 1;
  folder.write("journal", damaged);
  EXPECT_EQ(readable_beginning(folder / "journal")["text"], "库\n{}");
  rewrite_journal(folder / "journal", {{State::begun}, {State::restoring}});
  Journal(folder / "journal").append(State::restored, Json::object());
  EXPECT_THAT(states_of(read_journal(folder / "journal")),
              ElementsAre(State::begun, State::restoring, State::restored));
  EXPECT_EQ(folder.read("journal.damaged"), damaged);
  EXPECT_TRUE(readable_beginning(folder / "none").empty());
}

TEST(Journals, FollowNoLink) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("target", folder / "journal");
  thrown_by([&] { Journal journal(folder / "journal"); });
  EXPECT_FALSE(std::filesystem::exists(folder / "target"));
}

TEST(Journals, TakeBrokenUtf8InDetails) {
  const TemporaryFolder folder;
  Journal(folder / "journal").append(State::begun, Json{{"user", "a\xff"}});
  EXPECT_EQ(read_journal(folder / "journal").at(0).details["user"], "a\uFFFD");
}

TEST(StateNames, AreWrittenIntoJournals) {
  EXPECT_EQ(name(State::begun), "begun");
  EXPECT_EQ(name(State::prepared), "prepared");
  EXPECT_EQ(name(State::applying), "applying");
  EXPECT_EQ(name(State::verifying), "verifying");
  EXPECT_EQ(name(State::committed), "committed");
  EXPECT_EQ(name(State::restoring), "restoring");
  EXPECT_EQ(name(State::restored), "restored");
}

TEST(Journals, WithDetailsOfAnotherTypeAreDamaged) {
  const TemporaryFolder folder;
  for (const Json& details :
       {Json(7), Json::array(), Json({{"kept_bytes", "many"}}), Json({{"differing", -1}}),
        Json({{"undo", 1}}), Json({{"packages", "all"}}), Json({{"packages", {1, 2}}}),
        Json({{"installed_by", "me"}}), Json({{"method", 1}}), Json({{"escaped_paths", {}}})}) {
    const auto file = folder / "journal";
    std::filesystem::remove(file);
    Journal(file).append(TransactionState::begun, details);
    EXPECT_EQ(thrown_by([&] { read_journal(file); }).code(), ErrorCode::journal_damaged) << details;
  }
}

}  // namespace
}  // namespace topsctl
