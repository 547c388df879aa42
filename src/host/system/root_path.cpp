// Resolves a path inside a root directory without ever leaving it.
#include "topsctl/host/system/root_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <deque>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

void push_front(std::deque<std::string>& todo, std::string_view path) {
  std::vector<std::string> parts = split(path, '/');
  std::for_each(parts.rbegin(), parts.rend(),
                [&](std::string& part) { todo.push_front(std::move(part)); });
}

std::string on_machine(const fs::path& root, const std::string& inside) {
  const std::string prefix = root.string();
  return prefix == "/" ? inside : concat(prefix, inside);
}

}  // namespace

std::string canonical_in_root(const fs::path& root, std::string_view path, LastLink last_link) {
  constexpr int most_links = 40;  // the kernel's own limit
  std::deque<std::string> todo;
  push_front(todo, path);
  std::string done;  // "/usr/lib", without links
  for (int links = 0; !todo.empty();) {
    const std::string part = std::move(todo.front());
    todo.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      done.erase(std::min(done.rfind('/'), done.size()));
      continue;
    }
    const bool kept = last_link == LastLink::keep &&
                      std::all_of(todo.begin(), todo.end(),
                                  [](const std::string& p) { return p.empty() || p == "."; });
    const std::string next = concat(done, "/", part);
    const std::string here = on_machine(root, next);
    struct stat status {};
    if (kept || ::lstat(here.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
      done = next;
      continue;
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(here.c_str(), target.data(), target.size());
    if (size <= 0) {  // it was replaced since
      done = next;
      continue;
    }
    if (++links > most_links) {
      throw Error(ErrorCode::host_unfit,
                  format("cannot follow {}: too many links", in_quotes(path)));
    }
    const std::string_view to(target.data(), static_cast<std::size_t>(size));
    if (to.front() == '/') done.clear();
    push_front(todo, to);
  }
  return done.empty() ? "/" : done;
}

fs::path resolved_in_root(const fs::path& root, std::string_view path, LastLink last_link) {
  return on_machine(root, canonical_in_root(root, path, last_link));
}

}  // namespace topsctl
