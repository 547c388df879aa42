# Writes a C++ file with the bytes of every data file and command page, keyed by name.
file(GLOB data_files RELATIVE ${DATA} ${DATA}/*/*)
file(GLOB page_files RELATIVE ${PAGES} ${PAGES}/*.md)
set(entries "")
function(append_entry key file)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  # Cut into pieces: a hex escape must not run into what follows, and no literal may grow without bound.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?)" "\"\\1\"\n" bytes "${bytes}")
  file(SIZE ${file} size)
  set(entries "${entries}    {\"${key}\", std::string_view(${bytes}\"\", ${size})},\n" PARENT_SCOPE)
endfunction()
foreach(name IN LISTS data_files)
  append_entry("${name}" "${DATA}/${name}")
endforeach()
foreach(name IN LISTS page_files)
  append_entry("commands/${name}" "${PAGES}/${name}")
endforeach()
file(WRITE ${OUTPUT}.new "// Generated from src/data and docs/commands.
#include \"topsctl/base/embedded.hpp\"

namespace topsctl {

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files = {
${entries}  };
  return files;
}

}  // namespace topsctl
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
