// A view of the machine in which programs may write what they like: the machine gets none of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "topsctl/host/filesystem/sandbox_setup.hpp"
#include "topsctl/host/filesystem/upper_layer.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct OverlayRequest {
  std::string hidden;  // a folder of the machine of which the view shows only `shown`, `folders`
  std::string layers;  // a folder below it, in which the layers lie; it is emptied before and after
  std::vector<std::string> written;  // paths that are expected to be written
  std::vector<ShownFile> shown;
  std::vector<std::string> folders;
  std::uint64_t needed_bytes = 0;  // room that the layers must have
};

// What was written on one mount of the machine.
struct MountChanges {
  std::string mount;
  std::vector<LayerChange> changes;  // paths as the machine sees them
};

// Namespaces of mounts, processes, network, IPC and host name, held by a child process, with an
// overlay over every mount of the machine that can have one. Services are not started
// (policy-rc.d), and programs lack what would reach the machine itself: see Enclosure. All of it,
// and every program in it, ends with the object, and with topsctl, however that ends; only a folder
// with the layers may be left, which the next view removes.
class OverlaySandbox {
 public:
  // Throws Error{host_unfit} that says what is not possible here, Error{no_space}, or
  // Error{interrupted, terminated}.
  OverlaySandbox(const Host& host, const OverlayRequest& request);
  ~OverlaySandbox();
  OverlaySandbox(const OverlaySandbox&) = delete;
  OverlaySandbox& operator=(const OverlaySandbox&) = delete;

  // The machine as it is in the view; its programs are run in it.
  const Host& host() const;
  LayerStore store() const;
  // What was written up to now, by mount. Left out is what is ours: the hidden folder, and
  // policy-rc.d.
  std::vector<MountChanges> changes() const;
  // What the layers may still take.
  std::uint64_t free_bytes() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

// Removes what a view left on the disk that was cut off. The caller holds the machine's lock.
void remove_layers(const Host& host, const std::string& layers);

}  // namespace topsctl
