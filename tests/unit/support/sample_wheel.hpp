// Makes wheels for tests, sound ones and such as differ from one in a single thing.
#pragma once

#include <string>
#include <vector>

#include "archives.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

struct SampleWheel {
  std::string name = "torch_gcu";
  std::string version = "1.10.0+2.5.136";
  std::string tag = "py3.8-none-any";
  std::vector<Member> members;  // besides the metadata
  std::string entry_points;
  std::string record;  // as made by make_record(), or what the test wants

  SampleWheel() : members{{name + "/__init__.py", "version = 1\n"}, {name + "/lib.so", "bytes"}} {}

  std::string file_name() const { return name + "-" + version + "-" + tag + ".whl"; }
  std::string info() const { return name + "-" + version + ".dist-info"; }

  std::vector<Member> all_members() const {
    std::vector<Member> all = members;
    all.push_back({info() + "/METADATA", "Metadata-Version: 2.1\nName: " + name +
                                             "\nVersion: " + version +
                                             "\nRequires-Python: >=3.6\nRequires-Dist: numpy\n"
                                             "Requires-Dist: six\n\nName: prose\n"});
    all.push_back(
        {info() + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: " + tag + "\n"});
    if (!entry_points.empty()) all.push_back({info() + "/entry_points.txt", entry_points});
    return all;
  }

  static std::string record_line(const Member& member) {
    Sha256 digest;
    digest.update(member.bytes);
    return member.name + ",sha256=" + digest.base64url() + "," +
           std::to_string(member.bytes.size()) + "\n";
  }

  SampleWheel& make_record() {
    record.clear();
    for (const Member& member : all_members()) record += record_line(member);
    record += info() + "/RECORD,,\n";
    return *this;
  }

  std::string bytes() const {
    std::vector<Member> all = all_members();
    all.push_back({info() + "/RECORD", record});
    return zip_bytes(all);
  }
};

}  // namespace topsctl
