// Whether an interpreter of a target can install a wheel.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/package.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

enum class WheelObstacle { none, architecture, glibc, python, native_code };

struct WheelVerdict {
  WheelObstacle obstacle = WheelObstacle::none;
  std::string why;  // for both answers
  bool fits() const { return obstacle == WheelObstacle::none; }
};

// Judges by the tags of the file name (PEP 425, 600; "py3.8" means only 3.8, and so does "py38"),
// Requires-Python, and the names of the contained extension modules: "core.cpython-36m-x86_64.so"
// is for 3.6 regardless of the tags. Unreadable data do not count against it.
WheelVerdict wheel_verdict(const Package& wheel, const PythonFacts& python,
                           const TargetSnapshot& target);

// "x86_64" for dpkg's "amd64"; the same name if both agree or it is unknown.
std::string machine_of(std::string_view dpkg_architecture);

}  // namespace topsctl
