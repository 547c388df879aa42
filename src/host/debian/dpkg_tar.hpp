// Checks tar archives as dpkg does, which accepts less than tar readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// Forwards the tar of a package and checks its headers as dpkg does, because libarchive accepts
// more and does not show it. Throws DpkgRefusal with `subject`: for invalid numbers, and in the
// data archive (lib/dpkg/tarfn.c) for entry types that dpkg does not support (pax headers, sparse
// ones) and names that are empty, too long or contain a line end; there also Error{bad_package} for
// headers that are damaged or truncated. The control archive is unpacked by GNU tar, which accepts
// more.
class DpkgTar : public Source {
 public:
  enum class Archive { control, data };
  // The tar must outlive this.
  DpkgTar(Source& tar, std::string subject, Archive archive = Archive::data)
      : tar_(tar), subject_(std::move(subject)), archive_(archive) {}
  std::string_view piece() override;

 private:
  void follow(std::string_view bytes);
  void skip(std::string_view& bytes);
  void take_header();
  void take_header_of_control();
  void take_header_of_data();
  void judge_name(std::string_view shown) const;
  std::string name_of_header() const;
  void require_whole() const;

  Source& tar_;
  std::string subject_;
  Archive archive_;
  std::string header_;                // the received part of the current header
  std::uint64_t to_skip_ = 0;         // bytes until the next header
  std::string* long_text_ = nullptr;  // receives the skipped bytes
  std::string long_name_;
  std::string long_link_;
  bool has_long_name_ = false;
  bool has_long_link_ = false;
  bool is_followed_ = true;
};

}  // namespace topsctl
