// Prints how topsctl cuts Python files into tokens, for the comparison with Python's tokenize.
//
// Reads paths, one a line. For each file one line "TOKENS PROBLEM-LINE PROBLEM", then one for each
// token: "KIND LINE TEXT" with the text's bytes in hexadecimal digits.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "topsctl/engine/diagnosis/python_tokens.hpp"

namespace {

constexpr const char* kinds[] = {"NAME", "NUMBER", "STRING", "OP", "COMMENT", "NL", "NEWLINE"};
constexpr const char* hexadecimal = "0123456789abcdef";

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string path;
  while (std::getline(std::cin, path)) {
    std::ifstream file(path, std::ios::binary);
    const std::string source((std::istreambuf_iterator<char>(file)), {});
    const topsctl::PythonTokens tokens = topsctl::python_tokens(source);
    std::string out = std::to_string(tokens.tokens.size()) + ' ' +
                      std::to_string(tokens.problem_line) + ' ' + tokens.problem + '\n';
    for (const topsctl::PythonToken& token : tokens.tokens) {
      out +=
          std::string(kinds[static_cast<int>(token.kind)]) + ' ' + std::to_string(token.line) + ' ';
      for (const char c : source.substr(token.offset, token.size)) {
        const auto byte = static_cast<unsigned char>(c);
        out += hexadecimal[byte >> 4U];
        out += hexadecimal[byte & 15U];
      }
      out += '\n';
    }
    std::cout << out;
  }
  return 0;
}
