// Matches the parts of a pattern with tokens in sequence.
#include "engine/diagnosis/code_pattern.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using PartKind = PatternPart::Kind;

// Replaces "$" for the tokenizer by a Latin-1 letter, so that holes are names and offsets stay.
constexpr char hole_mark = '\xc2';

bool is_hole(std::string_view name) {
  return name.starts_with('$');
}

std::string_view name_at(const PythonTokens& tokens, std::string_view pattern, std::uint32_t at) {
  return at < tokens.tokens.size() ? tokens.text_of(pattern, at) : std::string_view();
}

bool is_format_string(std::string_view literal) {
  const auto quote = literal.find_first_of("\"'");
  return lower_case(literal.substr(0, quote)).find('f') != std::string::npos;
}

// Without prefix and quotes.
std::string_view inner(std::string_view literal) {
  const auto quote = literal.find_first_of("\"'");
  literal.remove_prefix(quote);
  const std::size_t quotes =
      literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0] ? 3 : 1;
  return literal.substr(quotes, literal.size() - 2 * quotes);
}

class Matcher {
 public:
  Matcher(const std::vector<PatternPart>& pattern, const PythonCode& code, PatternMatch& match)
      : pattern_(pattern),
        code_(code),
        match_(match),
        end_(code.statements[code.tokens[match.range.first].statement].end) {
    match_.parts.resize(pattern.size());
  }

  bool run(std::size_t part, std::uint32_t at) {
    if (part == pattern_.size()) {
      match_.range.end = at;
      return true;
    }
    const PatternPart& wanted = pattern_[part];
    if (wanted.kind == PartKind::hole || wanted.kind == PartKind::holes) return hole(part, at);
    const std::uint32_t end =
        wanted.kind == PartKind::chain ? chain_end(wanted, at) : end_of(wanted, at);
    if (end == at) return false;
    match_.parts[part] = {at, end};
    return run(part + 1, end);
  }

 private:
  std::uint32_t end_of(const PatternPart& wanted, std::uint32_t at) const {
    if (at >= end_) return at;
    const CodeToken& token = code_.tokens[at];
    switch (wanted.kind) {
      case PartKind::attribute:
        return token.is_op(".") && at + 1 < end_ && code_.tokens[at + 1].is_name(wanted.text)
                   ? at + 2
                   : at;
      case PartKind::string:
        return token.kind == PythonToken::Kind::string && plain_string(token.text) == wanted.text
                   ? at + 1
                   : at;
      case PartKind::format_string:
        return token.kind == PythonToken::Kind::string && is_format_string(token.text) &&
                       inner(token.text).starts_with(wanted.text)
                   ? at + 1
                   : at;
      default:
        return token.text == wanted.text && token.kind != PythonToken::Kind::string ? at + 1 : at;
    }
  }

  bool names_match(const std::string& wanted, std::string_view name, TokenRange range) {
    if (!is_hole(wanted)) return wanted == name;
    match_.holes[wanted.substr(1)] = range;
    return true;
  }

  std::uint32_t chain_end(const PatternPart& wanted, std::uint32_t at) {
    if (at >= end_ || code_.tokens[at].kind != PythonToken::Kind::name) return at;
    if (at > 0 && code_.tokens[at - 1].is_op(".")) return at;
    std::string_view meaning = code_.binding(at);
    if (meaning.empty()) return at;
    std::size_t part = 0;
    // The meaning of the first name may match several names of the pattern.
    while (!meaning.empty()) {
      const auto dot = meaning.find('.');
      if (part == wanted.names.size()) return at;
      if (!names_match(wanted.names[part++], meaning.substr(0, dot), {at, at + 1})) return at;
      meaning = dot == std::string_view::npos ? std::string_view() : meaning.substr(dot + 1);
    }
    std::uint32_t next = at + 1;
    for (; part < wanted.names.size(); ++part, next += 2) {
      if (next + 1 >= end_ || !code_.tokens[next].is_op(".") ||
          !names_match(wanted.names[part], code_.tokens[next + 1].text, {next + 1, next + 2}))
        return at;
    }
    return next;
  }

  // Tokens up to a comma or the closing bracket; skips nested brackets.
  bool hole(std::size_t part, std::uint32_t at) {
    const bool is_many = pattern_[part].kind == PartKind::holes;
    if (!is_many && (at >= end_ || code_.tokens[at].is_op("*") || code_.tokens[at].is_op("**") ||
                     (at + 1 < end_ && code_.tokens[at].kind == PythonToken::Kind::name &&
                      code_.tokens[at + 1].is_op("="))))
      return false;
    std::uint32_t end = at;
    for (; end < end_; ++end) {
      const CodeToken& token = code_.tokens[end];
      if (token.is_op(")") || token.is_op("]") || token.is_op("}")) break;
      if (!is_many && (token.is_op(",") || token.is_op(";"))) break;
      if (token.partner > end) end = token.partner;
    }
    if (!is_many && end == at) return false;
    match_.holes[pattern_[part].text] = {at, end};
    match_.parts[part] = {at, end};
    return run(part + 1, end);
  }

  const std::vector<PatternPart>& pattern_;
  const PythonCode& code_;
  PatternMatch& match_;
  std::uint32_t end_;  // of the statement
};

}  // namespace

std::string_view TokenRange::text(const PythonCode& code) const {
  if (is_empty()) return {};
  const std::size_t begin = code.tokens[first].offset;
  return code.source.substr(begin, code.tokens[end - 1].end() - begin);
}

std::vector<PatternPart> pattern_parts(std::string_view text) {
  std::string source(text);
  for (char& c : source) {
    if (c == '$') c = hole_mark;
  }
  const std::string prefix = "# coding: latin-1\n";
  const std::string whole = prefix + source;
  const PythonTokens tokens = python_tokens(whole);
  if (!tokens.problem.empty())
    throw Error(ErrorCode::internal,
                format("cannot use the pattern {}: {}", in_quotes(text), tokens.problem));
  std::vector<PatternPart> parts;
  const auto word = [&](std::uint32_t at) {
    std::string name(name_at(tokens, whole, at));
    if (!name.empty() && name[0] == hole_mark) name[0] = '$';
    return name;
  };
  for (std::uint32_t at = 0; at < tokens.tokens.size(); ++at) {
    const PythonToken& token = tokens.tokens[at];
    if (token.offset < prefix.size() || token.kind == PythonToken::Kind::line_break) continue;
    if (token.kind == PythonToken::Kind::line_end && token.size == 0) continue;
    PatternPart part;
    part.offset = token.offset - prefix.size();
    std::uint32_t last = at;
    if (token.kind == PythonToken::Kind::name) {
      part.kind = PartKind::chain;
      part.names = {word(at)};
      while (name_at(tokens, whole, last + 1) == "." &&
             tokens.tokens[last + 2].kind == PythonToken::Kind::name) {
        last += 2;
        part.names.push_back(word(last));
      }
      if (last == at && is_hole(part.names[0])) {
        part.kind = PartKind::hole;
        part.text = part.names[0].substr(1);
        part.names.clear();
        if (name_at(tokens, whole, at + 1) == "...") {
          part.kind = PartKind::holes;
          ++last;
        }
      }
    } else if (token.kind == PythonToken::Kind::op && word(at) == "." &&
               tokens.tokens[at + 1].kind == PythonToken::Kind::name) {
      part.kind = PartKind::attribute;
      part.text = word(++last);
    } else if (token.kind == PythonToken::Kind::string) {
      part.kind = is_format_string(word(at)) ? PartKind::format_string : PartKind::string;
      part.text = inner(word(at));
    } else {
      part.text = word(at);
    }
    part.size = tokens.tokens[last].offset + tokens.tokens[last].size - token.offset;
    at = last;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string_view format_text(std::string_view literal) {
  return is_format_string(literal) ? inner(literal) : std::string_view();
}

bool matches_at(const std::vector<PatternPart>& pattern, const PythonCode& code,
                std::uint32_t token, PatternMatch& match) {
  match = {};
  match.range.first = token;
  return Matcher(pattern, code, match).run(0, token);
}

}  // namespace topsctl
