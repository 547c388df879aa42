// Parses host lists in Slurm's form: "n[00-15,20],login".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

inline constexpr std::size_t most_cluster_hosts = 10'000;

// Every host in the order of the list; numbers keep their width. One pair of brackets per name, as
// scontrol(1) prints them ("hostlist"). Throws Error{usage} for an invalid list, a duplicate host,
// and more than most_cluster_hosts.
std::vector<std::string> host_names_in(std::string_view list);

// Sorts as Slurm numbers the nodes of a job: by name, with numbers compared by value.
void sort_as_slurm(std::vector<std::string>& hosts);

}  // namespace topsctl
