// Feeds text to the readers of a project's sources: tokens lie in the text in their order, and what
// is rewritten can be read again.
#include "engine/diagnosis/source_rewriter.hpp"
#include "pieces.hpp"
#include "topsctl/engine/diagnosis/python_tokens.hpp"

namespace {

using namespace topsctl;

void expect_tokens_in_order(std::string_view text) {
  const PythonTokens tokens = python_tokens(text);
  std::size_t at = 0;
  int line = 1;
  for (const PythonToken& token : tokens.tokens) {
    fuzz::expect(token.offset >= at && token.line >= line);
    at = token.offset + token.size;
    line = token.line;
    fuzz::expect(at <= text.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SourceRewriter rewriter(rewrites_for(built_in_rewrites(), {}), PatchStyle::source,
                                       {"rank-exported", "started-without-launcher"});
  std::string_view text = fuzz::text_of(data, size);
  const auto kind = static_cast<SourceKind>(fuzz::choice(text) % 4U);
  if (kind == SourceKind::python) expect_tokens_in_order(text);
  ProjectFacts facts;
  facts.names_cuda = true;
  const RewrittenSource done = rewriter.rewrite(kind, std::string(text), facts);
  fuzz::expect(done.text.is_changed() == !done.text.unified_diff("source").empty());
  if (done.text.is_changed())
    fuzz::expect(rewriter.find(kind, done.text.text(), facts).problem.empty());
  return 0;
}
