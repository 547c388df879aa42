// What must not leave a host with its logs.
#include "topsctl/engine/diagnosis/redaction.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

std::string redacted(std::string_view line, Addresses addresses = Addresses::shown) {
  return Redaction(addresses).line(line);
}

TEST(Redactions, blank_every_form_of_secret) {
  for (const char* line :
       {"password=hunter2-x", "PASSWORD: hunter2-x", "{\"api_key\": \"hunter2-x\"}",
        "export AWS_SECRET_ACCESS_KEY='hunter2-x'", "--password hunter2-x",
        "--auth-token=hunter2-x", "Authorization: Bearer hunter2-x",
        "https://ops:hunter2-x@example.com/repo", "curl -H 'X-Api-Key: hunter2-x'",
        "wandb_token = hunter2-x", "db.passwd=hunter2-x", "MYSQL_PASSPHRASE=\"hunter2-x and more\"",
        "bearer hunter2-xhunter2-x", "ghp_hunter2xhunter2xhunter2x", "key AKIAHUNTER2XHUNTER2X",
        "eyJhunter2xx.hunter2xxx.hunter2x", "hf_hunter2xhunter2xhunter2x"}) {
    const std::string out = redacted(line);
    EXPECT_EQ(out.find("unter2"), std::string::npos) << out;
    EXPECT_EQ(out.find("UNTER2"), std::string::npos) << out;
    EXPECT_NE(out.find("[blanked]"), std::string::npos) << out;
  }
}

TEST(Redactions, leave_what_is_none) {
  for (const char* line : {"loss: 0.31", "tokens per second 1200", "File \"tokenizer.py\", line 3",
                           "keys: 12", "10.0.0.1:29500", "epoch 3/10", "AttributeError: 'x'"}) {
    EXPECT_EQ(redacted(line), line);
  }
}

TEST(Redactions, blank_the_lines_of_a_private_key) {
  Redaction redaction(Addresses::shown);
  EXPECT_EQ(
      redaction.whole("a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n-----END OPENSSH PRIVATE "
                      "KEY-----\nz"),
      "a\n[blanked]\n[blanked]\n[blanked]\nz");
}

TEST(Redactions, name_the_same_address_alike) {
  Redaction redaction(Addresses::hidden);
  EXPECT_EQ(redaction.line("10.1.2.3 and 10.1.2.4 and 10.1.2.3"),
            "address-1 and address-2 and address-1");
  EXPECT_EQ(redaction.line("10.1.2.4 at 02:42:ac:11:00:02"), "address-2 at address-3");
  EXPECT_EQ(redaction.line("fe80::1 127.0.0.1 12:30:01"), "address-4 127.0.0.1 12:30:01");
}

TEST(RedactedEnvironments, show_the_variables_of_stacks_and_launchers_alone) {
  EXPECT_EQ(redacted_environment({{"ECCL_DEBUG", "INFO"}, {"RANK", "0"}, {"WANDB_API_KEY", "x"}}),
            "ECCL_DEBUG=INFO\nRANK=0\nWANDB_API_KEY=[blanked]\n");
}

}  // namespace
}  // namespace topsctl
