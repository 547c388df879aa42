// Answers questions about versions and relations in bulk, one a line, for the tests that compare
// topsctl with its peers.
//
//   deb A B       -1, 0 or 1: Debian's order
//   py A B        -1, 0 or 1: Python's order
//   pep440 A      yes or no
//   rel FIELD     the relations in canonical form, or "error: ..."
//   status FIELD  the same, for a field of dpkg's status file
//   arch A FIELD  of each first alternative yes or no: does it count on architecture A
//
// Words are separated by one blank each; "%0A" is the byte 0A, in questions and in answers.
#include <charconv>
#include <iostream>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/python_version.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/relation.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc{}) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '%')
      out.push_back(c);
    else
      out += concat('%', digits[byte >> 4], digits[byte & 15]);
  }
  return out;
}

std::string sign(int order) {
  return std::to_string((order > 0) - (order < 0));
}

std::string canonical(const std::string& field, RelationSource source) {
  try {
    return escaped(to_text(parse_relations(field, "field", source)));
  } catch (const Error& error) {
    return escaped(concat("error: ", error.message()));
  }
}

std::string concerned(const std::string& architecture, const std::string& field) {
  std::vector<std::string> answers;
  for (const Clause& clause : parse_relations(field, "field"))
    answers.emplace_back(concerns_architecture(clause.alternatives.front(), architecture) ? "yes"
                                                                                          : "no");
  return joined(answers, " ");
}

std::string answer(const std::string& question) {
  std::vector<std::string> words = split(question, ' ');
  for (std::string& word : words) word = unescaped(word);
  const std::string& kind = words.front();
  if (kind == "deb" && words.size() == 3) return sign(compare_debian_versions(words[1], words[2]));
  if (kind == "py" && words.size() == 3) return sign(compare_python_versions(words[1], words[2]));
  if (kind == "pep440" && words.size() == 2) return is_pep440_version(words[1]) ? "yes" : "no";
  if (kind == "rel" && words.size() == 2) return canonical(words[1], RelationSource::package);
  if (kind == "status" && words.size() == 2)
    return canonical(words[1], RelationSource::status_file);
  if (kind == "arch" && words.size() == 3) return concerned(words[1], words[2]);
  return "unknown question";
}

}  // namespace
}  // namespace topsctl

int main() {
  std::ios::sync_with_stdio(false);
  std::string question;
  while (std::getline(std::cin, question)) std::cout << topsctl::answer(question) << '\n';
  return std::cout.flush() ? 0 : 1;
}
