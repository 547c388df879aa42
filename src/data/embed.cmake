# Writes a C++ file with the bytes of every data file and command page, keyed by name.
file(GLOB data_files RELATIVE ${DATA} ${DATA}/*/*)
file(GLOB page_files RELATIVE ${PAGES} ${PAGES}/*.md)
file(GLOB chinese_page_files RELATIVE ${PAGES}/../zh/commands ${PAGES}/../zh/commands/*.md)
set(arrays "")
set(entries "")
set(count 0)
function(append_entry key file)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  math(EXPR number "${count} + 1")
  set(count ${number} PARENT_SCOPE)
  set(arrays "${arrays}const unsigned char file_${number}[] = {\n${bytes}0};\n" PARENT_SCOPE)
  set(entries "${entries}    {\"${key}\", bytes_of(file_${number})},\n" PARENT_SCOPE)
endfunction()
foreach(name IN LISTS data_files)
  append_entry("${name}" "${DATA}/${name}")
endforeach()
foreach(name IN LISTS page_files)
  append_entry("commands/${name}" "${PAGES}/${name}")
endforeach()
foreach(name IN LISTS chinese_page_files)
  append_entry("zh/commands/${name}" "${PAGES}/../zh/commands/${name}")
endforeach()
file(WRITE ${OUTPUT}.new "// Generated from src/data and docs/commands.
#include \"topsctl/base/embedded.hpp\"

#include <cstddef>

namespace topsctl {

namespace {

${arrays}
// Without the zero at the end.
template <std::size_t size>
std::string_view bytes_of(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size - 1};
}

}  // namespace

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files = {
${entries}  };
  return files;
}

}  // namespace topsctl
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
