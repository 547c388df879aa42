"""Packs the members of a real deb again in another compression or format, its tars untouched."""

import subprocess

from .corpus.formats import SUFFIX, ar, compressed

FORMATS = ("none", "gzip", "zstd", "bzip2", "lzma", "0.939000")


def repacked(deb, form, folder):
    """The deb as `folder`/FORM-NAME.deb; the form is a compression of the data archive, or the old format."""
    control = subprocess.run(["dpkg-deb", "--ctrl-tarfile", deb], stdout=subprocess.PIPE, check=True).stdout
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE, check=True).stdout
    output = folder / f"{form}-{deb.name}"
    if form == "0.939000":
        first = compressed(control, "gzip")
        output.write_bytes(b"0.939000\n%d\n" % len(first) + first + compressed(data, "gzip"))
    else:
        # dpkg-deb reads control archives in three compressions only.
        inner = form if form in ("none", "zstd") else "gzip"
        output.write_bytes(ar([("debian-binary", b"2.0\n"), ("control.tar" + SUFFIX[inner], compressed(control, inner)),
                               ("data.tar" + SUFFIX[form], compressed(data, form))]))
    return output
