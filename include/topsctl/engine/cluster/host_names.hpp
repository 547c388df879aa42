// Lists of hosts as Slurm writes them: "n[00-15,20],login".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

inline constexpr std::size_t most_cluster_hosts = 10'000;

// Every host in the order of the list; numbers keep their width. One pair of brackets a name, as
// scontrol(1) prints them ("hostlist"). Throws Error{usage} for what is no such list, a host that
// stands twice, and more than most_cluster_hosts.
std::vector<std::string> host_names_in(std::string_view list);

// As Slurm numbers the nodes of a job: by their names, numbers in them by value.
void sort_as_slurm(std::vector<std::string>& hosts);

}  // namespace topsctl
