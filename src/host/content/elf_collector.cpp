// Keeps the bytes of a streamed ELF file that contain its facts.
#include "topsctl/host/content/elf_collector.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "host/content/elf_parser.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t mebibyte = 1ULL << 20U;
// Files up to this size are kept whole; for larger ones this part is needed to find the rest.
constexpr std::uint64_t first_bytes_kept = mebibyte / 16;
// Linkers put the tables at the beginning of the first segment; tools that change them afterwards
// put new ones into a segment at the end.
constexpr std::uint64_t most_of_first = 9 * mebibyte;
constexpr std::uint64_t most_of_last = 3 * mebibyte;
constexpr std::uint64_t most_of_others = 2 * mebibyte;  // together
constexpr std::uint64_t most_of_table = mebibyte;       // the dynamic segment, the section headers
constexpr std::uint64_t most_of_tail = 4 * mebibyte;  // if the program headers are not in the head
constexpr std::uint64_t most_of_all = 16 * mebibyte;

std::uint64_t end_of(ElfStretch stretch) {
  return stretch.offset + stretch.size;
}

// The ranges of a file to keep, the most informative first, within a total limit.
class Choice {
 public:
  void add(ElfStretch stretch, std::uint64_t most) {
    stretch.size = std::min({stretch.size, most, left_});
    left_ -= stretch.size;
    if (stretch.size > 0) stretches_.push_back(stretch);
  }

  void add_segments(const std::vector<ElfSegment>& segments) {
    std::vector<ElfStretch> loaded;
    for (const ElfSegment& segment : segments) {
      if (segment.type == PT_DYNAMIC || segment.type == PT_INTERP) {
        add(segment.in_file, most_of_table);
      }
      if (segment.type == PT_LOAD && segment.in_file.size > 0) loaded.push_back(segment.in_file);
    }
    if (loaded.empty()) return;
    std::sort(loaded.begin(), loaded.end(), is_before);
    add(loaded.front(), most_of_first);
    add(loaded.back(), most_of_last);
    std::uint64_t left = most_of_others;
    for (std::size_t i = 1; i + 1 < loaded.size(); ++i) {
      if (loaded[i].size > left) continue;
      left -= loaded[i].size;
      add(loaded[i], loaded[i].size);
    }
  }

  // In order and without overlap, none beyond the file's end.
  std::vector<ElfStretch> merged(std::uint64_t file) {
    std::sort(stretches_.begin(), stretches_.end(), is_before);
    std::vector<ElfStretch> merged;
    for (ElfStretch stretch : stretches_) {
      if (stretch.offset >= file) break;
      stretch.size = std::min(stretch.size, file - stretch.offset);
      if (merged.empty() || stretch.offset > end_of(merged.back())) {
        merged.push_back(stretch);
      } else {
        merged.back().size =
            std::max(end_of(merged.back()), end_of(stretch)) - merged.back().offset;
      }
    }
    return merged;
  }

 private:
  static bool is_before(ElfStretch a, ElfStretch b) { return a.offset < b.offset; }

  std::vector<ElfStretch> stretches_;
  std::uint64_t left_ = most_of_all;
};

struct Buffer {
  std::unique_ptr<char[]> bytes;
  std::uint64_t size = 0;
};

// The next file of a thread reuses the buffer of the previous one: a new buffer of megabytes would
// cost a page fault per page. A buffer that is too small is replaced.
thread_local Buffer spare;

Buffer new_buffer(std::uint64_t size) {
  return {std::make_unique_for_overwrite<char[]>(size), size};
}

Buffer taken_buffer(std::uint64_t size) {
  Buffer buffer = std::exchange(spare, {});
  return buffer.size >= size ? std::move(buffer) : new_buffer(size);
}

void give_back(Buffer buffer) {
  if (buffer.size > std::max(spare.size, first_bytes_kept)) spare = std::move(buffer);
}

}  // namespace

struct ElfCollector::State : ElfBytes {
  struct Kept {
    ElfStretch place;
    std::uint64_t filled = 0;
    char* bytes = nullptr;  // in the buffer
  };

  explicit State(std::uint64_t file_size)
      : file(file_size), buffer(new_buffer(std::min(file, first_bytes_kept))) {
    kept.push_back({{0, std::min(file, first_bytes_kept)}, 0, buffer.bytes.get()});
  }
  ~State() override { give_back(std::move(buffer)); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::uint64_t size() const override { return is_ended ? std::min(taken, file) : file; }

  std::string_view at(std::uint64_t offset, std::uint64_t most, std::string&) override {
    for (const Kept& part : kept) {
      if (offset < part.place.offset || offset - part.place.offset >= part.filled) continue;
      const std::uint64_t into = offset - part.place.offset;
      return {part.bytes + into, std::min(most, part.filled - into)};
    }
    return {};
  }

  // Selects further ranges by the headers.
  void plan() {
    is_planned = true;
    if (file <= first_bytes_kept) return;
    Choice choice;
    choice.add({0, first_bytes_kept}, first_bytes_kept);
    try {
      const ElfImage image(*this);
      choice.add(image.section_table(), most_of_table);
      if (image.has_segments()) {
        choice.add_segments(image.segments());
      } else {
        choice.add({0, file}, most_of_first);
        choice.add({file - std::min(file, most_of_tail), most_of_tail}, most_of_tail);
      }
    } catch (const Error&) {
      return;  // the same error occurs again when the facts are requested
    }
    const std::vector<ElfStretch> places = choice.merged(file);
    std::uint64_t all = 0;
    for (const ElfStretch& place : places) all += place.size;
    Buffer larger = taken_buffer(all);
    const std::uint64_t filled = kept.front().filled;
    std::memcpy(larger.bytes.get(), buffer.bytes.get(), filled);
    buffer = std::move(larger);
    kept.clear();
    char* bytes = buffer.bytes.get();
    for (const ElfStretch& place : places) {
      kept.push_back({place, 0, bytes});
      bytes += place.size;
    }
    kept.front().filled = filled;
  }

  // Copies those of the next bytes that are to be kept.
  void keep(std::string_view bytes) {
    const std::uint64_t end = taken + bytes.size();
    while (current < kept.size()) {
      Kept& part = kept[current];
      const std::uint64_t from = std::max(part.place.offset, taken);
      const std::uint64_t to = std::min(end_of(part.place), end);
      if (from < to) {
        std::memcpy(part.bytes + (from - part.place.offset), bytes.data() + (from - taken),
                    to - from);
        part.filled += to - from;
      }
      if (end_of(part.place) > end) break;
      ++current;
    }
    taken = end;
  }

  std::uint64_t file;
  std::uint64_t taken = 0;
  bool is_planned = false;
  bool is_ended = false;
  Buffer buffer;
  std::vector<Kept> kept;  // in order
  std::size_t current = 0;
};

ElfCollector::ElfCollector(std::uint64_t size) : state_(std::make_unique<State>(size)) {}
ElfCollector::~ElfCollector() = default;
ElfCollector::ElfCollector(ElfCollector&&) noexcept = default;
ElfCollector& ElfCollector::operator=(ElfCollector&&) noexcept = default;

void ElfCollector::take(std::string_view bytes) {
  State& state = *state_;
  if (!state.is_planned && state.taken + bytes.size() >= first_bytes_kept) {
    const std::string_view head = bytes.substr(0, first_bytes_kept - state.taken);
    state.keep(head);
    bytes.remove_prefix(head.size());
    state.current = 0;
    state.plan();
  }
  state.keep(bytes);
}

ElfFacts ElfCollector::facts() {
  state_->is_ended = true;
  return parse_elf(*state_, Exports::skip);
}

}  // namespace topsctl
