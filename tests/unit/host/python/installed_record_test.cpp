// RECORD and direct_url.json, byte for byte as Python's csv and json modules write them.
#include "host/python/installed_record.hpp"
#include "topsctl/host/python/wheel_record.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(InstalledRecords, AreSortedAndRelativeToTheLibraryFolder) {
  InstalledRecord record("/usr/local/lib/python3.8/dist-packages");
  const std::string site = "/usr/local/lib/python3.8/dist-packages/";
  RecordLine claim;
  claim.algorithm = "sha512";
  claim.digest = "abc";
  claim.size = 3;
  record.add_claim(site + "b.py", claim);
  record.add_claim(site + "a, \"b\".py", {});
  record.add("/usr/local/bin/run", "");
  record.add_unhashed(site + "x-1.dist-info/RECORD");
  EXPECT_EQ(record.text(),
            "../../../bin/run,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
            "\"a, \"\"b\"\".py\",,\n"
            "b.py,sha512=abc,3\n"
            "x-1.dist-info/RECORD,,\n");
}

TEST(DirectUrls, NameTheFileAndItsDigest) {
  EXPECT_EQ(direct_url("/srv/a b/torch+1\xe8.whl", "00ff"),
            R"({"archive_info": {"hash": "sha256=00ff", "hashes": {"sha256": "00ff"}}, )"
            R"("url": "file:///srv/a%20b/torch%2B1%E8.whl"})");
}

}  // namespace
}  // namespace topsctl
