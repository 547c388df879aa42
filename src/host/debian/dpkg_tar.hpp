// What dpkg takes of tar archives, which is less than tar readers know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topsctl/host/archive/source.hpp"

namespace topsctl {

// Hands a tar on and looks at the type of each entry, which libarchive does not tell: what it does
// not know it takes for a plain file. Throws Error{bad_package}, naming `subject`, for a type that
// dpkg does not take (lib/dpkg/tarfn.c): sparse, multi-volume and unknown ones. pax headers pass,
// though dpkg refuses them, too: packages of other makers have them. Where the headers cannot be
// followed, it says nothing.
class DpkgTar : public Source {
 public:
  // The tar must outlive this.
  DpkgTar(Source& tar, std::string subject) : tar_(tar), subject_(std::move(subject)) {}
  std::string_view piece() override;

 private:
  void follow(std::string_view bytes);
  void take_header();

  Source& tar_;
  std::string subject_;
  std::string header_;         // what came of the current header
  std::uint64_t to_skip_ = 0;  // bytes until the next header
  bool is_followed_ = true;
};

}  // namespace topsctl
