// The one filter of libarchive that no other library here has.
#include "host/archive/compress_reader.hpp"

#include <archive.h>

#include <cerrno>
#include <exception>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

class CompressReader : public Source {
 public:
  CompressReader(Source& from, std::string subject)
      : from_(from), subject_(std::move(subject)), reader_(archive_read_new()) {
    if (reader_ == nullptr) throw Error(ErrorCode::internal, "libarchive is out of memory");
  }
  ~CompressReader() override { archive_read_free(reader_); }
  CompressReader(const CompressReader&) = delete;
  CompressReader& operator=(const CompressReader&) = delete;

  std::string_view piece() override {
    if (!is_open_) open();
    while (!has_ended_) {
      const void* bytes = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(reader_, &bytes, &size, &offset);
      if (status == ARCHIVE_EOF) has_ended_ = true;
      if (status < ARCHIVE_WARN) fail();
      if (size > 0 && status != ARCHIVE_EOF) return {static_cast<const char*>(bytes), size};
    }
    return {};
  }

 private:
  // No exception may pass through libarchive.
  static la_ssize_t read(archive* self, void* data, const void** out) {
    auto& reader = *static_cast<CompressReader*>(data);
    try {
      const std::string_view bytes = reader.from_.piece();
      *out = bytes.data();
      return static_cast<la_ssize_t>(bytes.size());
    } catch (...) {
      reader.failure_ = std::current_exception();
      archive_set_error(self, EIO, "damaged");
      return ARCHIVE_FATAL;
    }
  }

  void open() {
    is_open_ = true;
    archive_read_support_filter_compress(reader_);
    archive_read_support_format_raw(reader_);
    archive_read_support_format_empty(reader_);
    if (archive_read_open(reader_, this, nullptr, read, nullptr) != ARCHIVE_OK) fail();
    // With a truncated or invalid header the filter does not match, and all data would pass
    // unchanged.
    if (archive_filter_code(reader_, 0) != ARCHIVE_FILTER_COMPRESS) fail();
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader_, &entry);
    if (status == ARCHIVE_EOF) {
      has_ended_ = true;
    } else if (status < ARCHIVE_WARN) {
      fail();
    }
  }

  [[noreturn]] void fail() const {
    if (failure_) std::rethrow_exception(failure_);
    throw unreadable_file(subject_, "damaged compress data");
  }

  Source& from_;
  std::string subject_;
  archive* reader_;
  std::exception_ptr failure_;
  bool is_open_ = false;
  bool has_ended_ = false;
};

}  // namespace

std::unique_ptr<Source> compress_reader(Source& from, std::string subject) {
  return std::make_unique<CompressReader>(from, std::move(subject));
}

}  // namespace topsctl
