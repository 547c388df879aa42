// JSON form of an inspection.
#include "topsctl/model/inspection.hpp"

#include <nlohmann/json.hpp>

namespace topsctl {

std::string_view name(Depth depth) {
  switch (depth) {
    case Depth::fast:
      return "fast";
    case Depth::digest:
      return "digest";
    case Depth::deep:
      return "deep";
  }
  return "digest";
}

Json to_json(const ContainerFile& container) {
  return {{"path", container.path},
          {"container", container.container},
          {"kind", container.kind},
          {"compression", text_or_null(container.compression)},
          {"size", container.size},
          {"sha256", text_or_null(container.sha256)},
          {"label", text_or_null(container.label)},
          {"start_script", text_or_null(container.start_script)},
          {"checksums", container.checksums},
          {"problem", text_or_null(container.problem)}};
}

Json to_json(const OtherFile& file) {
  return {{"path", file.path}, {"container", file.container}, {"size", file.size}};
}

}  // namespace topsctl
