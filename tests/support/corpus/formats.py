"""The bytes of ar, tar, xz, gzip and zstd archives, also such as no tool would write."""

import bz2
import gzip
import io
import lzma
import struct
import subprocess
import zlib

EPOCH = 1706572800
BLOCK = 512
LZW_CLEAR, MOST_LZW_BITS = 256, 16
SUFFIX = {"none": "", "gzip": ".gz", "xz": ".xz", "zstd": ".zst", "bzip2": ".bz2", "lzma": ".lzma"}


def compressed(data, compression):
    """The bytes of `data` in one of the compressions of debs."""
    if compression == "none":
        return data
    if compression == "gzip":
        return gzip.compress(data, 6, mtime=0)
    if compression == "xz":
        return lzma.compress(data, lzma.FORMAT_XZ, preset=1)
    if compression == "lzma":
        return lzma.compress(data, lzma.FORMAT_ALONE, preset=1)
    if compression == "bzip2":
        return bz2.compress(data)
    assert compression == "zstd", compression
    return subprocess.run(["zstd", "-3", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def lzw(data):
    """As compress(1) writes it: codes of 9 to 16 bits in groups of eight, which a wider code begins anew."""
    out, bits, held, width, in_group = bytearray(b"\x1f\x9d\x90"), 0, 0, 9, 0
    table, free = {bytes([byte]): byte for byte in range(256)}, LZW_CLEAR + 1

    def put(code):
        nonlocal bits, held, in_group
        bits |= code << held
        held += width
        in_group = (in_group + 1) % 8
        while held >= 8:
            out.append(bits & 255)
            bits, held = bits >> 8, held - 8

    known = b""
    for at in range(len(data)):
        longer = known + data[at:at + 1]
        if longer in table:
            known = longer
            continue
        put(table[known])
        if free > (1 << width) - 1 and width < MOST_LZW_BITS:
            while in_group:
                put(0)
            width += 1
        if free < 1 << MOST_LZW_BITS:
            table[longer], free = free, free + 1
        known = data[at:at + 1]
    if known:
        put(table[known])
    if held:
        out.append(bits & 255)
    return bytes(out)


def ar_member(name, data, size=None, slash=False):
    """One member of an ar archive; `size` is what the header claims."""
    header = "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n".format(
        name + ("/" if slash else ""), EPOCH, 0, 0, "100644", len(data) if size is None else size)
    assert len(header) == 60, header
    return header.encode() + data + b"\n" * (len(data) % 2)


def ar(members, slash=False):
    return b"!<arch>\n" + b"".join(ar_member(name, data, slash=slash) for name, data in members)


def octal(value, width):
    return b"%0*o\0" % (width - 1, value)


def base256(value, width):
    """A number too large for octal digits, as GNU tar writes it."""
    return b"\x80" + value.to_bytes(width - 1, "big")


def tar_header(name, size=0, typeflag=b"0", mode=0o644, link=b"", device=(0, 0), prefix=b"", magic=b"ustar  \0",
               mtime=EPOCH, owner=(0, 0, b"root", b"root")):
    """One block of a tar; `size` above 8 GiB is written base-256."""
    name = name if isinstance(name, bytes) else name.encode()
    link = link if isinstance(link, bytes) else link.encode()
    assert len(name) <= 100 and len(link) <= 100, name
    uid, gid, user, group = owner
    number = octal(size, 12) if size < 1 << 33 else base256(size, 12)
    fields = [name.ljust(100, b"\0"), octal(mode, 8), octal(uid, 8), octal(gid, 8), number, octal(mtime, 12),
              b" " * 8, typeflag, link.ljust(100, b"\0"), magic, user.ljust(32, b"\0"), group.ljust(32, b"\0"),
              octal(device[0], 8), octal(device[1], 8), prefix.ljust(155, b"\0")]
    block = b"".join(fields).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def padded(data):
    return data + b"\0" * (-len(data) % BLOCK)


def tar_entry(name, data=b"", **more):
    return tar_header(name, more.pop("size", len(data)), **more) + padded(data)


def pax_entry(records, following):
    """A pax header with these records (key -> value), and the entry it is for."""
    body = b""
    for key, value in records.items():
        rest = b" " + key.encode() + b"=" + value.encode() + b"\n"
        length = len(rest) + 1
        while len(b"%d" % length) + len(rest) != length:
            length += 1
        body += b"%d" % length + rest
    return tar_entry("./PaxHeaders/x", body, typeflag=b"x", magic=b"ustar\00000") + following


TAR_END = b"\0" * (2 * BLOCK)


def zeros_file_tar(name, size):
    """(head, number of zero bytes that follow it) of a tar with one file of zeros."""
    assert size % BLOCK == 0
    return tar_header("./", typeflag=b"5", mode=0o755) + tar_header(name, size), size + len(TAR_END)


def zeros_xz(head, zeros, unit=64 << 20):
    """`head` and then zeros as one xz stream of many blocks, without compressing all of them."""
    first, many = _xz_block(head.ljust(unit, b"\0")), _xz_block(b"\0" * unit)
    count = (zeros - (unit - len(head)) + unit - 1) // unit
    blocks = [first] + [many] * count
    records = b"".join(_multibyte(unpadded) + _multibyte(unit) for _, unpadded in blocks)
    index = b"\0" + _multibyte(len(blocks)) + records
    index += b"\0" * (-len(index) % 4)
    index += struct.pack("<I", zlib.crc32(index))
    flags = b"\0\1"  # CRC32
    start = b"\xfd7zXZ\0" + flags + struct.pack("<I", zlib.crc32(flags))
    tail = struct.pack("<I", len(index) // 4 - 1) + flags
    return start + b"".join(data for data, _ in blocks) + index + struct.pack("<I", zlib.crc32(tail)) + tail + b"YZ"


def _xz_block(data):
    """The one block of a stream that liblzma made, and its size without padding."""
    stream = lzma.compress(data, lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=1)
    backward = (struct.unpack("<I", stream[-8:-4])[0] + 1) * 4
    index = stream[-12 - backward:-12]
    unpadded, shift, position = 0, 0, 2
    while True:
        byte = index[position]
        unpadded |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return stream[12:-12 - backward], unpadded


def _multibyte(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def zeros_gzip(head, zeros, unit=4 << 20):
    """`head` and then zeros as one gzip member: flushed pieces of deflate data can be repeated."""
    maker = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = maker.compress(head) + maker.flush(zlib.Z_FULL_FLUSH)
    piece = maker.compress(b"\0" * unit) + maker.flush(zlib.Z_FULL_FLUSH)
    last = maker.flush(zlib.Z_FINISH)
    count = -(-zeros // unit)
    check = _crc_of_repeated_zeros(zlib.crc32(head), unit, count)
    length = (len(head) + unit * count) & 0xFFFFFFFF
    return (b"\x1f\x8b\x08\0\0\0\0\0\x02\x03" + first + piece * count + last + struct.pack("<II", check, length))


def _crc_of_repeated_zeros(crc, unit, count):
    # The checksum is linear: what `unit` zeros make of each single bit tells what they make of any value.
    plain = zlib.crc32(b"\0" * unit, 0)
    row = [zlib.crc32(b"\0" * unit, 1 << bit) ^ plain for bit in range(32)]
    for _ in range(count):
        following = plain
        for bit in range(32):
            if crc >> bit & 1:
                following ^= row[bit]
        crc = following
    return crc


def zeros_zstd(head, zeros):
    """`head` and then zeros as one zstd frame: a raw block and then run-length blocks of 128 KiB."""
    block = 128 << 10
    assert len(head) < block
    # Window of 1 MiB, no checksum, no content size.
    frame = io.BytesIO(b"")
    frame.write(struct.pack("<IBB", 0xFD2FB528, 0, (20 - 10) << 3))
    frame.write(struct.pack("<I", len(head) << 3)[:3] + head)
    count = -(-zeros // block)
    frame.write((struct.pack("<I", block << 3 | 1 << 1)[:3] + b"\0") * (count - 1))
    frame.write(struct.pack("<I", block << 3 | 1 << 1 | 1)[:3] + b"\0")
    return frame.getvalue()
