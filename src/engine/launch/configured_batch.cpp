// Parses assignments of configurations, and those of their bases if these define the batch size.
#include "engine/launch/configured_batch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/diagnosis/python_code.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using TokenKind = PythonToken::Kind;

constexpr std::uint64_t most_configuration = std::uint64_t{1} << 20U;  // bytes
constexpr int deepest = 16;                                            // bases of bases
constexpr std::size_t most_configurations = 64;

struct BatchSetting {
  std::string_view variable;
  std::string_view member;
  std::string_view rival;  // a member that would replace it; empty: none
};
constexpr std::array batch_settings = {BatchSetting{"train_dataloader", "batch_size", ""},
                                       BatchSetting{"data", "samples_per_gpu", "train_dataloader"}};

// Shared by all files that are read for one answer.
struct BatchSearch {
  std::size_t files = 0;
  bool is_clear = true;  // false: a text does not say it plainly
};

class Configuration {
 public:
  Configuration(const fs::path& file, int depth, BatchSearch& search)
      : folder_(file.parent_path()), depth_(depth), search_(search) {
    if (depth > deepest || ++search.files > most_configurations) {
      search.is_clear = false;
      return;
    }
    text_ = read_text(file, most_configuration);
    code_ = python_code(text_);
    require(code_.problem.empty());
  }

  // Nothing if it has none, or the value is ambiguous.
  std::optional<std::int64_t> number_of(const BatchSetting& setting) const {
    bool is_begun_anew = false;
    if (const CodeStatement* statement = only_assignment(setting.variable)) {
      const auto members = members_of_dict(*statement);
      require(find(members, setting.rival) == 0);
      if (const std::uint32_t value = find(members, setting.member)) return number_at(value);
      is_begun_anew = find(members, "_delete_") != 0;
    }
    return is_begun_anew ? std::nullopt : number_of_bases(setting);
  }

 private:
  struct Member {
    std::string name;
    std::uint32_t value = 0;  // token
  };

  void require(bool is_plain) const {
    if (!is_plain) search_.is_clear = false;
  }

  const CodeToken& token(std::uint32_t at) const { return code_.tokens[at]; }

  // The only assignment to a variable at the top level; nullptr: none.
  const CodeStatement* only_assignment(std::string_view variable) const {
    const CodeStatement* found = nullptr;
    for (const CodeStatement& statement : code_.statements) {
      if (!token(statement.first).is_name(variable)) continue;
      const bool is_plain = statement.indent == 0 && statement.end - statement.first > 2 &&
                            token(statement.first + 1).is_op("=");
      require(found == nullptr && is_plain);
      if (is_plain) found = &statement;
    }
    return found;
  }

  // Of `X = dict(a=1)` or `X = {'a': 1}`.
  std::vector<Member> members_of_dict(const CodeStatement& statement) const {
    std::uint32_t open = statement.first + 2;
    const bool is_call = token(open).is_name("dict");
    if (is_call) ++open;
    std::vector<Member> members;
    const bool is_dict = open < statement.end && token(open).is_op(is_call ? "(" : "{") &&
                         token(open).partner + 1 == statement.end;
    require(is_dict);
    if (!is_dict) return members;
    const std::uint32_t close = token(open).partner;
    bool is_first = true;
    for (std::uint32_t at = open + 1; at < close; at = std::max(token(at).partner, at) + 1) {
      if (token(at).is_op(",")) {
        is_first = true;
        continue;
      }
      if (!std::exchange(is_first, false)) continue;
      const bool is_named = at + 2 < close && token(at + 1).is_op(is_call ? "=" : ":");
      require(is_named);
      if (!is_named) continue;
      members.push_back({is_call ? std::string(token(at).text) : plain_string(token(at).text),
                         ends_after(at + 2, close) ? at + 2 : close});
    }
    return members;
  }

  bool ends_after(std::uint32_t value, std::uint32_t close) const {
    return value + 1 == close || token(value + 1).is_op(",");
  }

  std::uint32_t find(const std::vector<Member>& members, std::string_view name) const {
    if (name.empty()) return 0;
    const auto is_it = [&](const Member& member) { return member.name == name; };
    require(std::count_if(members.begin(), members.end(), is_it) <= 1);
    const auto found = std::find_if(members.begin(), members.end(), is_it);
    return found == members.end() ? 0 : found->value;
  }

  // A number, or a variable with a number.
  std::int64_t number_at(std::uint32_t at) const {
    if (token(at).kind == TokenKind::name) {
      const CodeStatement* statement = only_assignment(token(at).text);
      if (statement != nullptr && statement->end == statement->first + 3) at = statement->first + 2;
    }
    const std::string_view text = token(at).text;
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    constexpr std::int64_t most_samples = 1'000'000;
    require(failure == std::errc() && end == text.data() + text.size() && number > 0 &&
            number <= most_samples);
    return number;
  }

  std::optional<std::int64_t> number_of_bases(const BatchSetting& setting) const {
    const bool imports_bases =
        std::any_of(code_.tokens.begin(), code_.tokens.end(),
                    [](const CodeToken& each) { return each.is_name("read_base"); });
    require(!imports_bases);
    std::optional<std::int64_t> number;
    const CodeStatement* statement = only_assignment("_base_");
    if (statement == nullptr) return number;
    for (std::uint32_t at = statement->first + 2; at < statement->end && search_.is_clear; ++at) {
      if (token(at).kind == TokenKind::op) continue;
      const std::string base = plain_string(token(at).text);
      // "mmdet::a/b.py" is a file of another package.
      require(!base.empty() && base.find("::") == std::string::npos);
      if (!search_.is_clear) break;
      const auto of_base = Configuration(folder_ / base, depth_ + 1, search_).number_of(setting);
      require(!number || !of_base);
      if (of_base) number = of_base;
    }
    return number;
  }

  fs::path folder_;
  int depth_;
  BatchSearch& search_;
  std::string text_;
  PythonCode code_;
};

}  // namespace

std::optional<std::int64_t> configured_batch(const std::vector<fs::path>& files) {
  std::set<std::int64_t> numbers;
  BatchSearch search;
  try {
    for (const fs::path& file : files) {
      if (file.extension() != ".py") continue;
      for (const BatchSetting& setting : batch_settings) {
        if (const auto number = Configuration(file, 0, search).number_of(setting))
          numbers.insert(*number);
      }
    }
  } catch (const Error&) {
    return std::nullopt;  // a file that cannot be read
  }
  return search.is_clear && numbers.size() == 1 ? std::optional(*numbers.begin()) : std::nullopt;
}

}  // namespace topsctl
