// The file systems of a machine on which packages may lie, and the room on them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The mount points of /proc/PID/mountinfo (proc(5)) in their order, without what is free there.
// Lines of another form are passed over.
std::vector<MountPoint> parse_mountinfo(std::string_view text);

// All mount points of the machine by their paths in it, "/" among them, whatever their type and
// wherever they are, without what is free there.
std::map<std::string, MountPoint> all_mounts(const Host& host, std::string_view mountinfo);

// Whether a file system of this type is a server's, and may not answer; whether it holds no files
// that packages could change (proc, cgroup and the like, squashfs).
bool is_on_a_network(const std::string& type);
bool holds_no_packages(const std::string& type);

// "/" and the other mount points of the machine, sorted by path, at most 200. Left out: file
// systems that hold no files of packages (proc, cgroup and the like, squashfs), what is mounted
// below /dev, /proc, /run and /sys, and below /home and /media, where paths have names of persons.
// A network file system that does not answer within five seconds is left out.
std::vector<MountPoint> read_mounts(const Host& host);
// The same of a given mount table.
std::vector<MountPoint> read_mounts(const Host& host, std::string_view mountinfo);

}  // namespace topsctl
