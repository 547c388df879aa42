// The file systems of a host that may have packages, and their free space.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The mount points of /proc/PID/mountinfo (proc(5)) in their order, without free space. Skips
// invalid lines.
std::vector<MountPoint> parse_mountinfo(std::string_view text);

// All mount points of the host by path, including "/", of any type and in any place, without free
// space.
std::map<std::string, MountPoint> all_mounts(const Host& host, std::string_view mountinfo);

// Whether a file system type is a network file system, which may not answer; and whether it cannot
// have files that packages change (proc, cgroup and the like, squashfs).
bool is_on_a_network(const std::string& type);
bool holds_no_packages(const std::string& type);

// "/" and the other mount points of the host, sorted by path, at most 200. Omits file systems
// without package files (proc, cgroup and the like, squashfs), mounts below /dev, /proc, /run and
// /sys, and below /home and /media, where paths contain names of persons. Omits a network file
// system that does not answer within five seconds.
std::vector<MountPoint> read_mounts(const Host& host);
// The same for a given mount table.
std::vector<MountPoint> read_mounts(const Host& host, std::string_view mountinfo);

}  // namespace topsctl
