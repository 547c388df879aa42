"""What inspect refuses though dpkg takes it: reason -> (rule, name) of the debs."""

HEADERS, NAMES, CONTROL = "data archive, headers", "data archive, names", "control archive"
LINKS, AR, COMPRESSION = "data archive, links and devices", "ar container", "compression"

STRICTER = {
    "names that are absolute or lead upwards, as no tool writes them": [
        (CONTROL, "absolute"), (NAMES, "absolute"), (NAMES, "climbs"), (NAMES, "climbs out")],
    "names that a terminal shows as others": [(NAMES, "tab"), (NAMES, "escape")],
    "a link in the control archive, which would hide a script": [(CONTROL, "beside-of-type-2")],
    "device files and pipes": [(HEADERS, "type '3'"), (HEADERS, "type '4'"), (HEADERS, "type '6'"), (LINKS, "pipe")],
    "one name twice, or a directory in the place of a link": [
        (NAMES, "file twice"), (LINKS, "symbolic twice"), ("data archive, folders", "of a link first")],
    "long names without an entry, and data behind a directory": [
        (HEADERS, "type 'K'"), (HEADERS, "type 'L'"), (NAMES, "long name without entry"), (NAMES, "file with slash")],
    "data that dpkg leaves out without a word, as its member's size is damaged": [
        (AR, "header-of-data-size-blank"), (AR, "header-of-data-size-too-small"), (AR, "header-of-data-size-zero")],
    "bytes behind the data that are no member": [
        (AR, "after-data-newline"), (AR, "after-data-zeros"), (AR, "after-data-text"), (AR, "after-data-half-header")],
    "compressed data that is none, or ends in something else": [
        (COMPRESSION, "garbage-behind.gz"), (COMPRESSION, "garbage-behind.xz"), (COMPRESSION, "garbage-behind.bz2"),
        (COMPRESSION, "plain-named.gz"), (COMPRESSION, "empty-stream.gz"), (COMPRESSION, "padding-of-five.xz")],
}
