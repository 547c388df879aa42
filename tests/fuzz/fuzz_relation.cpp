// Feeds text to the parser of package relations, and its canonical form back to it.
#include "pieces.hpp"
#include "topsctl/model/relation.hpp"
#include "topsctl/model/relation_parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  const std::string_view text = fuzz::text_of(data, size);
  for (const RelationSource source : {RelationSource::package, RelationSource::status_file}) {
    try {
      const std::vector<Clause> clauses = parse_relations(text, "sample.deb", source);
      const std::string canonical = to_text(clauses);
      const std::vector<Clause> again = parse_relations(canonical, "sample.deb", source);
      fuzz::expect(again == clauses);
      fuzz::expect(to_text(again) == canonical);
      for (const Clause& clause : clauses) {
        for (const Relation& relation : clause.alternatives) {
          concerns_architecture(relation, "amd64");
          const bool is_met = accepts(relation, relation.version);
          const bool has_equality =
              relation.test == VersionTest::equal || relation.test == VersionTest::at_least ||
              relation.test == VersionTest::at_most || relation.test == VersionTest::any;
          fuzz::expect(is_met == has_equality);
        }
      }
    } catch (const Error& error) {
      fuzz::expect_told(error);
    }
  }
  return 0;
}
