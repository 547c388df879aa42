// Reads the arguments of calls.
#include "topsctl/host/observation/path_touches.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/observation/observed_calls.hpp"

namespace topsctl {

namespace {

constexpr unsigned exchange_flag = 2;  // RENAME_EXCHANGE

class CallReader {
 public:
  CallReader(const CallNotice& notice, const CallShape& shape, CallerPaths& paths,
             const IsKnown& is_known)
      : notice_(notice), shape_(shape), paths_(paths), is_known_(is_known) {}

  std::vector<PathTouch> read() {
    switch (shape_.kind) {
      case CallKind::open:
        add_opened(argument(shape_.flags));
        break;
      case CallKind::create:
        add_opened(O_WRONLY | O_CREAT | O_TRUNC);
        break;
      case CallKind::open_how:
        add_opened_how();
        break;
      case CallKind::truncate:
        add(find(CallerLink::follow), Touch::content);
        break;
      case CallKind::remove:
        add_removed();
        break;
      case CallKind::make:
        add(find(CallerLink::keep), Touch::name);
        break;
      case CallKind::make_folder:
        add(find(CallerLink::keep), Touch::folder_name);
        break;
      case CallKind::rename:
        add_renamed();
        break;
      case CallKind::link:
        add_linked();
        break;
      case CallKind::set:
      case CallKind::set_link:
        add_set();
        break;
      case CallKind::set_open:
        add_set_open(descriptor(0));
        break;
      case CallKind::new_tree:
        paths_.know_nothing();
        break;
      case CallKind::bind:
        add_bound(argument(1), argument(2));
        break;
      case CallKind::socketcall:
        add_bound_by_socketcall();
        break;
    }
    return std::move(touches_);
  }

 private:
  std::uint64_t argument(int index) const {
    return index < 0 ? 0 : notice_.arguments.at(static_cast<std::size_t>(index));
  }
  // Without one, paths begin in the working directory.
  int descriptor(int index) const {
    return index < 0 ? AT_FDCWD : static_cast<int>(static_cast<std::uint32_t>(argument(index)));
  }
  std::string text(int index) const { return text_in_process(notice_.process, argument(index)); }

  CallerPlace find(CallerLink last) const {
    return paths_.find(notice_.process, descriptor(shape_.folder), text(shape_.path), last);
  }
  CallerPlace find_second(CallerLink last) const {
    return paths_.find(notice_.process, descriptor(shape_.to_folder), text(shape_.to_path), last);
  }

  void add(CallerPlace place, Touch touch) {
    if (!place.path.empty() || place.is_there) touches_.push_back({std::move(place), touch});
  }

  void add_opened(std::uint64_t flags, std::uint64_t resolving = 0) {
    if ((flags & O_PATH) != 0) return;
    // An unnamed file: its directory is not changed.
    if ((flags & O_TMPFILE) == O_TMPFILE) return;
    const bool makes = (flags & O_CREAT) != 0;
    const bool keeps_link = (flags & O_NOFOLLOW) != 0 || (makes && (flags & O_EXCL) != 0);
    const CallerLink last = keeps_link ? CallerLink::keep : CallerLink::follow;
    // A file that is only created.
    if (makes && (flags & O_EXCL) != 0 && (resolving & RESOLVE_IN_ROOT) == 0 &&
        is_known(paths_.name_of(notice_.process, descriptor(shape_.folder), text(shape_.path))))
      return;
    CallerPlace place =
        (resolving & RESOLVE_IN_ROOT) != 0
            ? paths_.find_below(notice_.process, descriptor(shape_.folder), text(shape_.path), last)
            : find(last);
    if (!place.is_there) {
      if (makes) add(std::move(place), Touch::name);
      return;
    }
    if (makes && (flags & O_EXCL) != 0) return;  // EEXIST
    const bool writes = (flags & (O_WRONLY | O_RDWR | O_TRUNC)) != 0;
    if (writes && S_ISREG(place.status.st_mode)) add(std::move(place), Touch::content);
  }

  void add_opened_how() {
    open_how how{};
    const std::string bytes = bytes_in_process(notice_.process, argument(shape_.flags), sizeof how);
    std::memcpy(&how, bytes.data(), sizeof how);
    add_opened(how.flags, how.resolve);
  }

  // Whether the path needs no check.
  bool is_known(const std::string& name) const { return name.empty() || is_known_(name); }

  void add_removed() {
    const std::string path = text(shape_.path);
    const std::string name = paths_.name_of(notice_.process, descriptor(shape_.folder), path);
    paths_.forget_folder(name);
    if (is_known(name)) return;
    CallerPlace place =
        paths_.find(notice_.process, descriptor(shape_.folder), path, CallerLink::keep);
    if (place.is_there) add(std::move(place), Touch::name);
  }

  void add_set_open(int opened) {
    const std::string name = paths_.name_of_open(notice_.process, opened);
    if (!name.empty() && is_known_(name)) return;
    add(paths_.find_open(notice_.process, opened), Touch::attributes);
  }

  void add_renamed() {
    const bool exchanges = (argument(shape_.flags) & exchange_flag) != 0;
    CallerPlace from = find(CallerLink::keep);
    if (!from.is_there || from.path.empty()) return;
    CallerPlace to;
    to.path = paths_.name_of(notice_.process, descriptor(shape_.to_folder), text(shape_.to_path));
    if (to.path.empty()) return;
    const bool is_folder = S_ISDIR(from.status.st_mode);
    if (is_folder || exchanges) paths_.forget_tree(from.path);
    if (is_folder || exchanges) paths_.forget_tree(to.path);
    if (!is_folder && !exchanges && is_known(from.path) && is_known(to.path)) return;
    to = find_second(CallerLink::keep);
    if (exchanges)
      touches_.push_back({to, Touch::tree, from.path});
    else
      touches_.push_back({to, Touch::name});
    touches_.push_back({std::move(from), Touch::tree, to.path});
  }

  // A file with an additional name may be written through that name.
  void add_linked() {
    const std::uint64_t flags = argument(shape_.flags);
    const std::string from = text(shape_.path);
    const CallerPlace file =
        from.empty()
            ? paths_.find_open(notice_.process, descriptor(shape_.folder))
            : paths_.find(notice_.process, descriptor(shape_.folder), from,
                          (flags & AT_SYMLINK_FOLLOW) != 0 ? CallerLink::follow : CallerLink::keep);
    // A file without a name may get one.
    if (file.is_there) add(file, Touch::attributes);
    add(find_second(CallerLink::keep), Touch::name);
  }

  void add_set() {
    const bool is_of_link =
        shape_.kind == CallKind::set_link || (argument(shape_.flags) & AT_SYMLINK_NOFOLLOW) != 0;
    const bool is_open = argument(shape_.path) == 0 || text(shape_.path).empty();
    CallerPlace place;
    if (!is_open) {
      place = find(is_of_link ? CallerLink::keep : CallerLink::follow);
    } else if (descriptor(shape_.folder) != AT_FDCWD) {
      place = paths_.find_open(notice_.process, descriptor(shape_.folder));
    } else {
      place = paths_.find(notice_.process, AT_FDCWD, ".", CallerLink::follow);
    }
    if (place.is_there) add(std::move(place), Touch::attributes);
  }

  void add_bound(std::uint64_t address, std::uint64_t size) {
    sockaddr_un name{};
    constexpr std::uint64_t before_path = offsetof(sockaddr_un, sun_path);
    if (size <= before_path || size > sizeof name) return;
    const std::string bytes = bytes_in_process(notice_.process, address, size);
    std::memcpy(&name, bytes.data(), bytes.size());
    if (name.sun_family != AF_UNIX || name.sun_path[0] == '\0') return;
    const std::string path(name.sun_path,
                           ::strnlen(name.sun_path, static_cast<std::size_t>(size - before_path)));
    add(paths_.find(notice_.process, AT_FDCWD, path, CallerLink::keep), Touch::name);
  }

  void add_bound_by_socketcall() {
    struct {
      std::uint32_t socket;
      std::uint32_t address;
      std::uint32_t size;
    } arguments{};
    const std::string bytes = bytes_in_process(notice_.process, argument(1), sizeof arguments);
    std::memcpy(&arguments, bytes.data(), sizeof arguments);
    add_bound(arguments.address, arguments.size);
  }

  const CallNotice& notice_;
  const CallShape& shape_;
  CallerPaths& paths_;
  const IsKnown& is_known_;
  std::vector<PathTouch> touches_;
};

}  // namespace

std::vector<PathTouch> touches_of(const CallNotice& notice, CallerPaths& paths,
                                  const IsKnown& is_known) {
  const CallShape* shape = shape_of_call(notice.architecture, notice.number);
  if (shape == nullptr)
    throw Error(ErrorCode::host_unfit, format("an unknown system call: {}", notice.number));
  return CallReader(notice, *shape, paths, is_known).read();
}

}  // namespace topsctl
