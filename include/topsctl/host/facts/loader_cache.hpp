// The libraries that the loader of a machine finds: /etc/ld.so.cache, or its default folders.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The x86-64 libraries of a cache in their order, which is that of preference (glibc,
// sysdeps/generic/dl-cache.h: the form "glibc-ld.so.cache1.1", alone or after the older one).
// Nothing if the bytes are no such cache, are cut short, or point outside themselves.
std::optional<std::vector<CachedLibrary>> parse_loader_cache(std::string_view bytes);

// The cache's libraries; without a sound cache the files of the default folders, which the loader
// finds by their names. At most 100,000.
std::vector<CachedLibrary> read_libraries(const Host& host);

}  // namespace topsctl
