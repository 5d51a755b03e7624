"""Damages bytes at random, whatever their format: damage(); and a tar whose checksums are right again."""

NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
WORDS = [b"-1", b"18446744073709551615", b"9223372036854775808", b"1e400", b"nan", b"NaN", b"[", b"{", b'"', b"\\u0000", b"\xff\xfe",
         b"\xe2\x80\xae", b"\n", b"\r", b"\0", b",", b"'|O8'", b"0" * 4000, b"[" * 2000, b"../../x", b"::error::x\n"]
HEADER = 64  # most formats say there what follows


# Each changes the bytearray b in place, at `at` or somewhere else; other: bytes of another file of the format.

def flip_bits(b, _at, r, _other):
    for _ in range(r.choice((1, 1, 2, 8))):
        if b:
            b[r.randrange(len(b))] ^= 1 << r.randrange(8)


def cut(b, at, _r, _other):
    del b[at:]


def remove(b, at, r, _other):
    del b[at:at + r.choice((1, 4, 64, 512))]


def repeat(b, at, r, _other):
    b[at:at] = b[at:at + r.choice((1, 16, 512, 4096))] * r.choice((1, 2, 50))


def write_word(b, at, r, _other):
    b[at:at + r.choice((0, 1, 8))] = r.choice(WORDS)


def write_number(b, at, r, _other):
    size, order = r.choice((1, 2, 4, 8)), r.choice(("little", "big"))
    number = r.choice(NUMBERS) & ((1 << 8 * size) - 1)
    b[at:at + size] = number.to_bytes(size, order)


def graft(b, at, r, other):
    b[at:at + 64] = other[r.randrange(len(other) + 1):][:64]


def write_noise(b, at, r, _other):
    b[at:at + 16] = r.randbytes(16)


def change_header(b, _at, r, _other):
    if b:
        b[r.randrange(min(len(b), HEADER))] = r.randrange(256)


KINDS = (flip_bits, cut, remove, repeat, write_word, write_number, graft, write_noise, change_header)


def damage(data, r, others):
    """One to four kinds of damage. r: a random.Random; others: what parts may come from."""
    b = bytearray(data)
    for _ in range(r.choice((1, 1, 1, 2, 4))):
        r.choice(KINDS)(b, r.randrange(len(b) + 1), r, r.choice(others))
    return bytes(b)


def mend_tar(b):
    """The checksum of one header after the other."""
    out = bytearray(b)
    for at in range(0, len(out) - 511, 512):
        if out[at + 257:at + 262] == b"ustar":
            out[at + 148:at + 156] = b" " * 8
            out[at + 148:at + 156] = b"%06o\0 " % sum(out[at:at + 512])
    return bytes(out)
