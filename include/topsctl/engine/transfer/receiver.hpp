// The far end of a transfer: takes chunks, checks them, and puts files where they are wanted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/filesystem/chunk_store.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Speaks on two descriptors until the first ends or the files are there. What goes wrong is told in
// a failure frame. Whether it went well.
bool serve_transfer(const Host& host, const Descriptor& input, const Descriptor& output);

}  // namespace topsctl
