// The libraries that a host's loader finds: /etc/ld.so.cache, or its default directories.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The x86-64 libraries of a cache in their order of preference (glibc, sysdeps/generic/dl-cache.h:
// format "glibc-ld.so.cache1.1", alone or after the older one). Nothing if the bytes are not such a
// cache, are truncated, or have invalid offsets.
std::optional<std::vector<CachedLibrary>> parse_loader_cache(std::string_view bytes);

// The cache's libraries; without a valid cache, the files of the default directories, which the
// loader finds by name. At most 100,000.
std::vector<CachedLibrary> read_libraries(const Host& host);

}  // namespace topsctl
