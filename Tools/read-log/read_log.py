#!/usr/bin/env python3
"""Reads a store of EditLog, and shares no code with EditLog.

It is written from the two articles `FileFormat.md` and `Blocks.md` in
Sources/EditLogFormat/EditLogFormat.docc alone, and goes through them in their order. It
changes nothing.

    read-log STORE              the documents, one JSON object a line
    read-log STORE NAME         the history of a document, as `editlog log NAME --json` prints it
    read-log --verify STORE     everything that is not as it was written

Exit status: 0 done; 64 usage; 65 damage; 66 no such document or store; 78 a newer format.
What was damaged and could be mended is told on standard error, and is status 0.
"""

import argparse
import base64
import datetime
import hashlib
import itertools
import json
import os
import re
import stat
import struct
import sys

import zstandard

MAX_NUMBER = 1 << 60  # of journals, documents, batches and entries
MAX_TEXT = (1 << 31) - 1  # UTF-16 units of a text
MIB = 1 << 20
WORD = (1 << 64) - 1
ORIGINS = ["typing", "removal", "paste", "undo", "redo", "load", "format", "program", "external"]


class Damaged(Exception):
    """Bytes that no writer wrote. Says the file, the byte and what is wrong."""

    def __init__(self, place, byte, what):
        super().__init__(f"{place}: byte {byte}: {what}")
        self.place, self.byte, self.what = place, byte, what


class NewerFormat(Exception):
    """A sound file of a version that this reader does not know."""


class Redacted(Exception):
    """A segment that says that something in it was redacted: it is not gone by."""


class Unknown(Exception):
    """There is no such document or store."""


# ------------------------------------------------------------------------------- bytes


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = crc_table()


def crc32c(data, crc=0):
    """The CRC-32C of data, or, with crc, that of bytes with checksum crc followed by data."""
    crc ^= 0xFFFFFFFF
    table = CRC_TABLE
    for byte in data:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def u16(data, at):
    return struct.unpack_from("<H", data, at)[0]


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def zeros_only(data):
    return not data.strip(b"\0")


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def string(text):
    data = text.encode()
    return varint(len(data)) + data


def zigzag(number):
    return number << 1 if number >= 0 else (-number << 1) - 1


def unzigzag(number):
    return number >> 1 if number & 1 == 0 else -(number >> 1) - 1


class Cursor:
    """Reads bytes from front to back and refuses to read past the end."""

    def __init__(self, data, place, base=0):
        self.data, self.at, self.place, self.base = data, 0, place, base

    def again(self):
        """A cursor at the front of the same bytes."""
        return Cursor(self.data, self.place, self.base)

    def bad(self, what):
        return Damaged(self.place, self.base + self.at, what)

    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        if size > self.left():
            raise self.bad(f"{size} bytes are wanted, {self.left()} are left")
        self.at += size
        return self.data[self.at - size : self.at]

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return u32(self.take(4), 0)

    def u64(self):
        return u64(self.take(8), 0)

    def i64(self):
        return struct.unpack("<q", self.take(8))[0]

    def varint(self):
        return self.varint_after(self.u8(), self)

    def varint_after(self, byte, rest):
        """The number whose first byte is given and whose other bytes are next in `rest`."""
        number, shift = byte & 127, 0
        while byte & 128:
            byte = rest.u8()
            shift += 7
            number |= (byte & 127) << shift
            if shift == 63 and byte > 1:
                raise rest.bad("a varint of more than 64 bits")
        if shift and byte == 0:
            raise rest.bad("a varint that is not the shortest")
        return number

    def number(self):
        """The number of a document, a link or an entry."""
        number = self.varint()
        if not 1 <= number <= MAX_NUMBER:
            raise self.bad(f"the number {number}")
        return number

    def count(self, size=1):
        """A varint, how many things of at least `size` bytes follow."""
        number = self.varint()
        if number * size > self.left():
            raise self.bad(f"a count of {number}, and {self.left()} bytes are left")
        return number

    def string(self, least=0, most=None):
        data = self.take(self.count())
        if len(data) < least or most is not None and len(data) > most:
            raise self.bad(f"a string of {len(data)} bytes")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self.bad("a string that is not UTF-8") from None

    def end(self):
        if self.left():
            raise self.bad(f"{self.left()} bytes too many")


# ------------------------------------------------------------------------- files, headers


def read_file(path, place):
    """The bytes of a file of the store, which must be the user's own and a plain one."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
        own = status.st_uid == os.geteuid() and not status.st_mode & 0o022
        if not plain or not own:
            raise Damaged(place, 0, "not a plain file of the reader's own")
        return file.read()


def number_names(folder, ending):
    """The numbers in the names of a folder that have 20 digits and this ending, ascending."""
    pattern = re.compile(r"([0-9]{20})" + re.escape(ending))
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(int(match[1]) for match in map(pattern.fullmatch, names) if match)


CATALOG_FLAG = 2
SELECTIONS_FLAG = 4
LONG_NAMES_FLAG = 8
NAME_SIZE_MAX = 12292


class Header:
    """The first 64 bytes of a file."""

    def __init__(self, data, kind, place, byte=0):
        data = data[byte : byte + 64]
        if len(data) < 64 or data[:8] != b"\x89EL" + kind + b"\r\n\x1a\n":
            raise Damaged(place, byte, "no header of this kind of file")
        if crc32c(data[:60]) != u32(data, 60):
            raise Damaged(place, byte + 60, "the header's checksum does not agree")
        self.store, self.number, self.second = data[24:40], u64(data, 40), u64(data, 48)
        if u16(data, 8) != 1:
            raise NewerFormat(f"{place}: byte {byte + 8}: major version {u16(data, 8)}")
        known = CATALOG_FLAG if kind in (b"R", b"W", b"L") else 0
        known |= LONG_NAMES_FLAG if kind == b"R" else 0
        known |= SELECTIONS_FLAG if kind in (b"J", b"S") else 0
        if u32(data, 12) & ~known:
            raise NewerFormat(f"{place}: byte {byte + 12}: incompatible flags {u32(data, 12):#x}")
        self.has_catalog = bool(u32(data, 12) & CATALOG_FLAG)
        self.has_selections = bool(u32(data, 12) & SELECTIONS_FLAG)

    def expect(self, place, store, number, second=None):
        if self.store != store:
            raise Damaged(place, 24, "this is a file of another store")
        if self.number != number or second is not None and self.second != second:
            raise Damaged(place, 40, "this file belongs elsewhere")


# ------------------------------------------------------------------------- text, attributes

PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def text_of_wtf8(data, place, byte):
    """Text as UTF-16, two bytes a unit."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Damaged(place, byte + error.start, "text that is not WTF-8") from None
    if PAIR.search(text):
        raise Damaged(place, byte, "a surrogate pair in six bytes")
    return text.encode("utf-16-le", "surrogatepass")


def wtf8_of_text(units):
    return units.decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass")


def take_text(cursor, units):
    """Takes `units` units of WTF-8. Something else may follow them."""
    data, at = cursor.data, cursor.at
    while units > 0:
        if at >= len(data):
            raise cursor.bad("the text is too short")
        lead = data[at]
        at += 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        units -= 1 if lead < 0xF0 else 2
    if units < 0:
        raise cursor.bad("half of a surrogate pair is wanted")
    start = cursor.base + cursor.at
    return text_of_wtf8(cursor.take(at - cursor.at), cursor.place, start)


def read_value(cursor, depth):
    tag = cursor.u8()
    if tag in (0, 1):
        return tag == 1
    if tag == 2:
        return unzigzag(cursor.varint())
    if tag == 3:
        bits = cursor.take(8)
        value = struct.unpack("<d", bits)[0]
        if value != value and u64(bits, 0) != 0x7FF8000000000000:
            raise cursor.bad("a NaN other than the one")
        return value
    if tag == 4:
        return cursor.string()
    if tag == 5:
        return cursor.take(cursor.count())
    if tag not in (6, 7):
        raise cursor.bad(f"an attribute value with tag {tag}")
    if depth == 32:
        raise cursor.bad("values that nest more than 32 deep")
    if tag == 6:
        return [read_value(cursor, depth + 1) for _ in range(cursor.count())]
    return read_set(cursor, depth + 1)


def read_set(cursor, depth=0):
    """A set of named values."""
    values, last = {}, None
    for _ in range(cursor.count(2)):
        name = cursor.string()
        if last is not None and name.encode() <= last:
            raise cursor.bad("names out of order or doubled")
        last = name.encode()
        values[name] = read_value(cursor, depth)
    return values


def read_change(cursor, kind, units):
    """The bytes of a change of attributes, of an edit whose new range has `units` units."""
    start = cursor.at
    if kind in (1, 2):
        covered = 0
        for _ in range(cursor.count(2)):
            length = cursor.varint()
            covered += length
            if length == 0:
                raise cursor.bad("a run of no units")
            read_set(cursor)
        if covered != units:
            raise cursor.bad(f"runs over {covered} of {units} units")
    elif kind == 3:
        for _ in range(cursor.count()):
            cursor.string()
    elif kind:
        raise cursor.bad(f"a change of kind {kind}")
    return cursor.data[start : cursor.at]


def change_value(kind, data):
    """What `read_change` found valid, as the member `attributes` of the JSON."""
    cursor = Cursor(data, "attributes")
    if kind == 3:
        return {"remove": [cursor.string() for _ in range(cursor.count())]}
    runs = []
    for _ in range(cursor.count()):
        length = cursor.varint()
        runs.append({"length": length, "attributes": json_value(read_set(cursor), top=True)})
    return {("set" if kind == 1 else "merge"): runs}


# --------------------------------------------------------------------------------- records


class Edit:
    """An edit. `text` is UTF-16, or nothing where the edit replaces nothing."""

    is_edit = True

    def __init__(self):
        self.client_time = self.selection = None
        self.author = self.session = None
        self.counter = self.transaction = self.kind = 0
        self.change, self.text = b"", None

    def place(self):
        return self.sequence

    def spans(self):
        """The edited range before the edit and after it."""
        return (self.location, self.length), (self.location, self.end_after())

    def end_after(self):
        """How many units the edit leaves in the place of the ones it was made on."""
        return self.length if self.text is None else len(self.text) // 2

    def meta(self, content):
        flags, ticket = add_ticket(self, 0)
        fields = varint(self.sequence) + varint(self.location) + varint(self.length)
        if self.text is not None:
            flags |= 2
            fields += varint(len(self.text) // 2)
        fields += varint(len(content)) + struct.pack("<q", self.time)
        if self.transaction:
            flags |= 4
            fields += varint(self.transaction)
        fields += ticket
        if self.client_time is not None:
            flags |= 64
            fields += struct.pack("<q", self.client_time)
        if self.selection is not None:
            flags |= 128
            for ranges, span in zip(self.selection, self.spans()):
                fields += bytes_of_side(side_of_ranges(ranges, span))
        return bytes([flags, self.origin | self.kind << 4]) + fields

    def content(self):
        return (b"" if self.text is None else wtf8_of_text(self.text)) + self.change


class Event:
    """An event. `meta_bytes` and `content_bytes` are its record as it was read."""

    is_edit = False

    def place(self):
        return self.after

    def meta(self, _):
        return self.meta_bytes

    def content(self):
        return self.content_bytes


def add_ticket(entry, flags):
    """Flags and bytes of author, session and counter."""
    fields = b""
    if entry.author is not None:
        flags |= 8
        fields += string(entry.author)
    if entry.session is not None:
        flags |= 16
        fields += string(entry.session)
    if entry.counter:
        flags |= 32
        fields += varint(entry.counter)
    return flags, fields


def read_ticket(cursor, entry, flags):
    entry.author = cursor.string() if flags & 8 else None
    entry.session = cursor.string(1, 128) if flags & 16 else None
    entry.counter = cursor.varint() if flags & 32 else 0
    if flags & 32 and not entry.counter:
        raise cursor.bad("a counter of 0")


REVERSED = 260


def forms_of_side(span):
    """The ranges (location, length, whether the head is the start) that a number alone stands for."""
    start, length = span
    return {0: [], 1: [(start, 0, False)], 2: [(start + length, 0, False)], 3: [(start, length, False)],
            REVERSED: [(start, length, True)]}  # fmt: skip


def side_of_ranges(ranges, span):
    """A side of a selection as it is written: a number, or the ranges themselves."""
    return next((number for number, form in forms_of_side(span).items() if form == ranges), ranges)


def ranges_of_side(side, span):
    return side if isinstance(side, list) else forms_of_side(span)[side]


def bytes_of_side(side):
    if not isinstance(side, list):
        return varint(side)
    directed = any(is_reversed for _, _, is_reversed in side)
    data, end = varint((REVERSED if directed else 3) + len(side)), 0
    for location, length, is_reversed in side:
        data += varint(zigzag(location - end)) + varint(2 * length + is_reversed if directed else length)
        end = location + length
    return data


def read_side(cursor):
    number = cursor.varint()
    if number < 4 or number == REVERSED:
        return number
    if number > REVERSED + 256:
        raise cursor.bad(f"the side {number} of a selection")
    directed = number > REVERSED
    side, end = [], 0
    for _ in range(number - (REVERSED if directed else 3)):
        location, length = end + unzigzag(cursor.varint()), cursor.varint()
        is_reversed = directed and bool(length & 1)
        length = length >> 1 if directed else length
        end = location + length
        if location < 0 or end > MAX_TEXT:
            raise cursor.bad("a selection outside of every text")
        if is_reversed and not length:
            raise cursor.bad("a caret with a direction")
        side.append((location, length, is_reversed))
    if directed and not any(is_reversed for _, _, is_reversed in side):
        raise cursor.bad("a selection that has a shorter form")
    ascending = sorted(side)
    for (start, length, _), (other, other_length, _) in zip(ascending, ascending[1:]):
        if start + length > other or (start, length) == (other, other_length):
            raise cursor.bad("ranges of a selection that overlap")
    return side


def read_selection(cursor, edit):
    """The selection of a record, whose sides have the only form they can have."""
    sides = [read_side(cursor), read_side(cursor)]
    selection = [ranges_of_side(side, span) for side, span in zip(sides, edit.spans())]
    if not any(selection):
        raise cursor.bad("a selection without a range")
    if [side_of_ranges(ranges, span) for ranges, span in zip(selection, edit.spans())] != sides:
        raise cursor.bad("a selection that has a shorter form")
    return selection


def check_place(cursor, edit):
    if edit.location + max(edit.length, edit.end_after()) > MAX_TEXT:
        raise cursor.bad("an edit outside of every text")
    if not edit.kind and edit.text is None:
        raise cursor.bad("an edit that does nothing")


def read_edit(meta, content):
    """The edit whose record the two cursors hold, each of them alone."""
    edit = Edit()
    flags, kinds = meta.u8(), meta.u8()
    if flags & 1:
        raise meta.bad(f"the flags of an edit are {flags}")
    edit.origin, edit.kind = kinds & 15, kinds >> 4
    if edit.origin >= len(ORIGINS) or edit.kind > 3:
        raise meta.bad(f"the kinds of an edit are {kinds}")
    edit.sequence, edit.location, edit.length = meta.varint(), meta.varint(), meta.varint()
    if not 1 <= edit.sequence < 1 << 63:
        raise meta.bad(f"sequence number {edit.sequence}")
    new_length = meta.varint() if flags & 2 else None
    if meta.varint() != len(content.data):
        raise meta.bad("the content is of another size")
    edit.time = meta.i64()
    edit.transaction = meta.varint() if flags & 4 else 0
    if flags & 4 and not 0 < edit.transaction < edit.sequence:
        raise meta.bad(f"a transaction of {edit.transaction} edits before edit {edit.sequence}")
    read_ticket(meta, edit, flags)
    edit.client_time = meta.i64() if flags & 64 else None
    if new_length is not None:
        edit.text = take_text(content, new_length)
    edit.change = read_change(content, edit.kind, edit.end_after())
    content.end()
    if flags & 128:
        edit.selection = read_selection(meta, edit)
    meta.end()
    check_place(meta, edit)
    return edit


EVENTS = ["mark", "baseline", "saved", "closed", "closed", "divergence", "renamed", "session",
          "copied", "undo"]


def read_event_meta(meta):
    """An event without its content, which has `content_size` bytes."""
    event, start = Event(), meta.at
    flags, event.kind = meta.u8(), meta.u8()
    if flags & ~(8 | 16 | 32) != 1 or event.kind >= len(EVENTS):
        raise meta.bad(f"an event with flags {flags} of kind {event.kind}")
    event.after, event.content_size, event.time = meta.varint(), meta.varint(), meta.i64()
    if event.kind and event.content_size:
        raise meta.bad("content of an event that has none")
    read_ticket(meta, event, flags)
    if event.kind == 0:
        event.at = meta.varint()
    elif event.kind in (1, 2):
        event.digest = meta.take(32)
    elif event.kind == 5:
        event.ours, event.theirs = meta.take(32), meta.take(32)
    elif event.kind == 6:
        event.old_name = meta.string(1, NAME_SIZE_MAX)
    elif event.kind == 7:
        event.client = meta.string(1, 256)
        event.version, event.host = meta.string(0, 256), meta.string(0, 256)
        event.process = meta.varint()
        if event.process >= 1 << 32:
            raise meta.bad(f"a session of process {event.process}")
    elif event.kind == 8:
        event.origin = meta.string(1, NAME_SIZE_MAX)
        event.origin_version = meta.varint()
    elif event.kind == 9:
        event.undone = read_numbers(meta, event.after)
        event.redone = read_numbers(meta, event.after)
        event.target = meta.varint()
        both = [a for a in event.undone for b in event.redone if a[0] <= b[1] and b[0] <= a[1]]
        if both or event.target > event.after + 1:
            raise meta.bad("an undo that cannot be")
    event.meta_bytes = meta.data[start : meta.at]
    return event


def read_numbers(meta, most):
    """Ranges of sequence numbers, ascending, each relative to the one before."""
    ranges, last = [], 0
    for _ in range(meta.varint()):
        gap, length = meta.varint(), meta.varint()
        if gap <= (1 if ranges else 0) or last + gap + length > most:
            raise meta.bad("ranges of edits that do not ascend")
        ranges.append((last + gap, last + gap + length))
        last += gap + length
    return ranges


def read_event_content(event, content):
    event.content_bytes = content.take(event.content_size)
    try:
        event.label = event.content_bytes.decode()
    except UnicodeDecodeError:
        raise content.bad("a label that is not UTF-8") from None
    return event


def read_record(meta, content):
    if meta.data[:1] and meta.data[0] & 1:
        event = read_event_meta(meta)
        meta.end()
        read_event_content(event, content)
        content.end()
        return event
    return read_edit(meta, content)


# ---------------------------------------------------------------------------------- blocks


class BlockHeader:
    def __init__(self, data, place, byte):
        if len(data) < 64 or crc32c(data[:60]) != u32(data, 60):
            raise Damaged(place, byte, "no header of a block")
        (self.first, self.edits, self.events, self.first_time, self.last_time, self.columns,
         self.payload, self.columns_crc, self.payload_crc, self.flags) = struct.unpack(
            "<QIIqqQQIII", data[:60])  # fmt: skip
        self.bytes = data
        entries = self.edits + self.events
        if self.flags > 2 or self.edits > 262_144 or self.events > 65_536 or not entries:
            raise Damaged(place, byte, "a block with other flags or counts than there are")
        if not 0 < self.first <= MAX_NUMBER:
            raise Damaged(place, byte, f"a block that starts at edit {self.first}")
        most = 64 * MIB if entries > 1 else 8 << 30
        if self.columns > most or (self.columns > 64 * MIB and self.columns // 1024 > self.payload):
            raise Damaged(place, byte + 32, f"columns of {self.columns} bytes")
        if self.flags == 1 and self.columns != self.payload:
            raise Damaged(place, byte + 40, "plain columns of another size than the payload")


def check_frame(data, content_size, place, byte):
    """Refuses whatever is not exactly one zstd frame with a size and a checksum."""
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 6:
        raise Damaged(place, byte, "not a zstd frame")
    descriptor = data[4]
    single = descriptor & 32
    at = 5
    if descriptor & 0b1000 or descriptor & 3 or not descriptor & 4:
        raise Damaged(place, byte + 4, "a frame without checksum, or with a dictionary")
    if not single:
        exponent, mantissa = data[5] >> 3, data[5] & 7
        window = (1 << (10 + exponent)) * (8 + mantissa) // 8
        if window > max(128 * MIB, content_size):
            raise Damaged(place, byte + 5, f"a frame with a window of {window} bytes")
        at = 6
    width = [1 if single else 0, 2, 4, 8][descriptor >> 6]
    size = int.from_bytes(data[at : at + width], "little") + (256 if width == 2 else 0)
    if width == 0 or size != content_size:
        raise Damaged(place, byte + at, f"a frame of another size than {content_size}")
    at += width
    last = False
    while not last:
        if at + 3 > len(data):
            raise Damaged(place, byte + at, "a frame that is cut short")
        head = int.from_bytes(data[at : at + 3], "little")
        last, kind = head & 1, head >> 1 & 3
        at += 3 + (1 if kind == 1 else head >> 3)
    if at + 4 != len(data):
        raise Damaged(place, byte + at, "bytes after the frame")


def decompress(data, size, prefix, place, byte):
    check_frame(data, size, place, byte)
    dictionary = None
    if prefix:
        dictionary = zstandard.ZstdCompressionDict(prefix, zstandard.DICT_TYPE_RAWCONTENT)
    try:
        out = zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data)
    except zstandard.ZstdError as error:
        raise Damaged(place, byte, f"zstd: {error}") from None
    if len(out) != size:
        raise Damaged(place, byte, f"{len(out)} bytes in place of {size}")
    return out


def block_columns(header, payload, context, place, byte):
    if crc32c(payload) != header.payload_crc:
        raise Damaged(place, byte, "the payload's checksum does not agree")
    if header.flags == 1:
        columns = payload
    else:
        prefix = context if header.flags == 2 else b""
        columns = decompress(payload, header.columns, prefix, place, byte)
    if crc32c(columns) != header.columns_crc:
        raise Damaged(place, byte, "the columns' checksum does not agree")
    return columns


class Exceptions:
    """A column that holds only what is not as predicted."""

    def __init__(self, cursor):
        self.cursor = cursor
        self.count()

    def count(self):
        self.ahead = self.cursor.varint() if self.cursor.left() else None

    def next(self):
        """Whether the next value is an exception; who hears yes reads it, then calls `count`."""
        if not self.ahead:
            return self.ahead == 0
        self.ahead -= 1
        return False

    def end(self):
        if self.ahead is not None:
            raise self.cursor.bad("an exception after the last edit")


def read_steps(bytes_, bits, count):
    """The steps of a column and its bits."""
    steps, pool, have = [], 0, 0
    while len(steps) < count:
        byte = bytes_.u8()
        if byte == 0:
            more = bytes_.varint()
            if len(steps) + 1 + more > count:
                raise bytes_.bad("a run of zeros that is too long")
            steps.extend([0] * (1 + more))
        elif byte < 8:
            steps.append(byte)
        elif byte < 252:
            width = (byte - 4) >> 2
            while have < width:
                pool |= bits.u8() << have
                have += 8
            low = pool & ((1 << width) - 1)
            pool >>= width
            have -= width
            steps.append((4 | byte & 3) << width | low)
        else:
            raise bytes_.bad(f"a step that begins with {byte}")
    if pool:
        raise bits.bad("the last bits are not 0")
    return steps


COLUMNS = [
    "times", "time bits", "origins", "authors", "sessions", "counters", "transactions",
    "client runs", "client times", "selections", "events", "labels", "counts", "lengths", "attributes",
    "position tails", "rows", "positions", "text",
]  # fmt: skip


class Places:
    """Where spans start: the cursor, and the places that were left."""

    def __init__(self, positions, tails):
        self.positions, self.tails = positions, tails
        self.cursor, self.left = 0, []

    def start(self, elsewhere):
        if not elsewhere:
            return self.cursor
        number = self.positions.varint_after(self.positions.u8(), self.tails)
        if number < 4:
            if number >= len(self.left):
                raise self.positions.bad(f"there is no recent position {number}")
            start = self.left[number]
            known = self.left.index(start) == number
        else:
            start = self.cursor + unzigzag(number - 3)
            known = start not in self.left
        if start == self.cursor or not known:
            raise self.positions.bad("a place that has a shorter name")
        if number < 4:
            del self.left[number]
        self.left.insert(0, self.cursor)
        del self.left[4:]
        return start

    def replace(self, start, end, new_end):
        """Moves the recent positions: what was from start to end is now from start to new_end."""
        for index, place in enumerate(self.left):
            if place > start:
                self.left[index] = place + new_end - end if place >= end else start


def read_spans(column, units, first):
    """The edits of a block, with nothing but what they do."""
    rows, counts, lengths = column["rows"], column["counts"], column["lengths"]
    attributes, text = column["attributes"], column["text"]
    data = text_of_wtf8(text.take(text.left()), text.place, text.base)
    if len(data) != 2 * units:
        raise text.bad(f"{len(data) // 2} units of text in place of {units}")
    places = Places(column["positions"], column["position tails"])
    edits, text_at = [], 0
    while rows.left():
        row = rows.u8()
        form = row & 7
        count = 1 + (row >> 4)
        if count == 16:
            count += counts.varint()
        if len(edits) + count > 262_144:
            raise rows.bad("too many edits")
        size, removed, inserted, kind, change = 1, 0, 0, 0, b""
        if form in (4, 5, 6):
            size = lengths.varint()
            if size < 2:
                raise lengths.bad(f"a span of {size} units in the form of many")
        if form in (0, 4):
            inserted = size
        elif form in (1, 2, 5, 6):
            removed = size
        else:
            removed, inserted = lengths.varint(), lengths.varint()
        if form == 7:
            inserted = inserted - 1 if inserted else None
            kind = attributes.u8()
            change = read_change(attributes, kind, removed if inserted is None else inserted)
            if kind == 0:
                raise attributes.bad("no change of attributes in a span of form 7")
        if form == 3 and (count > 1 or (removed == 0) != (inserted == 0)):
            raise rows.bad("a span of form 3 that is none")
        if form == 7 and count > 1 and (removed or not inserted or kind != 3 and change[0] != 1):
            raise rows.bad("a run of form 7 that is none")
        start = places.start(row & 8)
        for index in range(count):
            edit = Edit()
            edit.sequence = first + len(edits)
            if form in (1, 5):
                edit.location = start - (index + 1) * size
            else:
                edit.location = start + index * (inserted or 0)
            edit.length, edit.kind, edit.change = removed, kind, change
            if inserted is not None:
                edit.text = data[text_at : text_at + 2 * inserted]
                text_at += 2 * inserted
                if len(edit.text) != 2 * inserted:
                    raise text.bad("the edits insert more than the text")
            if edit.location < 0:
                raise rows.bad("an edit before the text")
            check_place(rows, edit)
            edits.append(edit)
        if form in (1, 5):
            places.replace(start - count * size, start, start - count * size)
            places.cursor = start - count * size
        elif form in (2, 6):
            places.replace(start, start + count * size, start)
            places.cursor = start
        elif inserted is None:
            places.replace(start, start + removed, start + removed)
            places.cursor = start + removed
        else:
            places.replace(start, start + removed, start + count * inserted)
            places.cursor = start + count * inserted
    if text_at != len(data):
        raise text.bad("the edits insert less than the text")
    return edits


def signed(number):
    number &= WORD
    return number - (1 << 64) if number >> 63 else number


def read_names(column, edits, member, least, most):
    """Authors or sessions: one name for each edit, or none."""
    exceptions, names, last = Exceptions(column), [None], 0
    for edit in edits:
        if exceptions.next():
            number = column.varint()
            if number > len(names):
                raise column.bad(f"name {number}, where {len(names) - 1} are known")
            if number == len(names):
                names.append(column.string(least, most))
            last = number
            exceptions.count()
        setattr(edit, member, names[last])
    exceptions.end()


def read_times(column, edits, first_time, divisor):
    time = first_time
    for edit, step in zip(edits, read_steps(column["times"], column["time bits"], len(edits))):
        time = signed(time + step * divisor)
        edit.time = time
    exceptions, has_client_time = Exceptions(column["client runs"]), False
    for edit in edits:
        if exceptions.next():
            has_client_time = not has_client_time
            exceptions.count()
        if has_client_time:
            edit.client_time = signed(edit.time + unzigzag(column["client times"].varint()))
    exceptions.end()


def shape_of(edit):
    """0: it inserts only; 1: it deletes only; 2: other."""
    if edit.text is None or bool(edit.length) == bool(edit.text):
        return 2
    return 1 if edit.length else 0


def read_origins(column, edits):
    exceptions, predicted = Exceptions(column), [0, 1, 0]
    for edit in edits:
        shape = shape_of(edit)
        edit.origin = predicted[shape]
        if exceptions.next():
            edit.origin = column.u8()
            if edit.origin >= len(ORIGINS):
                raise column.bad(f"origin {edit.origin}")
            exceptions.count()
        predicted[shape] = edit.origin
    exceptions.end()


def read_transactions(column, edits):
    exceptions, last = Exceptions(column), 0
    for edit in edits:
        edit.transaction = last + 1 if last else 0
        if exceptions.next():
            edit.transaction = column.varint()
            exceptions.count()
        if edit.transaction >= edit.sequence:
            raise column.bad("a transaction that starts before the first edit")
        last = edit.transaction
    exceptions.end()


def read_counters(column, edits):
    exceptions, last, steps = Exceptions(column), {}, [1, 0]
    for edit in edits:
        goes_on = 1 if edit.transaction else 0
        if exceptions.next():
            steps[goes_on] = unzigzag(column.varint())
            exceptions.count()
        edit.counter = (last.get(edit.session, 0) + steps[goes_on]) & WORD
        last[edit.session] = edit.counter
    exceptions.end()


def read_selections(column, edits):
    exceptions, predicted = Exceptions(column), [(0, 0)] * 3
    for edit in edits:
        shape = shape_of(edit)
        sides = predicted[shape]
        if exceptions.next():
            sides = read_side(column), read_side(column)
            if not any(isinstance(side, list) for side in sides):
                predicted[shape] = sides
            exceptions.count()
        selection = [ranges_of_side(side, span) for side, span in zip(sides, edit.spans())]
        edit.selection = selection if any(selection) else None
    exceptions.end()


def decode_block(header, columns, place, byte):
    """The entries of a block, in their order. Damage is told by the byte of the columns."""
    place = f"{place}: block at byte {byte}: columns"
    cursor = Cursor(columns, place)
    version = cursor.u8()
    if version not in (1, 2):
        raise cursor.bad("an unknown version of columns")
    if (cursor.varint(), cursor.varint(), cursor.varint()) != (
        header.first, header.edits, header.events):  # fmt: skip
        raise cursor.bad("the columns are not of this header")
    units = cursor.varint()
    first_time, divisor = cursor.i64(), cursor.varint()
    if divisor == 0 or header.edits == 0 and first_time:
        raise cursor.bad("a divisor of 0, or a first time without an edit")
    names = [name for name in COLUMNS if version == 2 or name != "selections"]
    sizes = [cursor.varint() for _ in names]
    column = {}
    for name, size in zip(names, sizes):
        start = cursor.at
        column[name] = Cursor(cursor.take(size), place, start)
    cursor.end()
    edits = read_spans(column, units, header.first)
    if len(edits) != header.edits:
        raise column["rows"].bad(f"{len(edits)} edits in place of {header.edits}")
    read_times(column, edits, first_time, divisor)
    if edits and edits[0].time != first_time:
        raise column["times"].bad("the first edit has another time than the first")
    read_origins(column["origins"], edits)
    read_names(column["authors"], edits, "author", 0, None)
    read_names(column["sessions"], edits, "session", 1, 128)
    read_transactions(column["transactions"], edits)
    read_counters(column["counters"], edits)
    if version == 2:
        if not column["selections"].left():
            raise cursor.bad("an empty column of selections")
        read_selections(column["selections"], edits)
    events = [read_event_meta(column["events"]) for _ in range(header.events)]
    for event in events:
        read_event_content(event, column["labels"])
    for cursor in column.values():
        cursor.end()
    entries = merge(edits, events, header, column["events"])
    if (entries[0].time, entries[-1].time) != (header.first_time, header.last_time):
        raise Damaged(place, 0, "the header tells other times than the entries")
    return entries


def merge(edits, events, header, cursor):
    """Edits and events in the order of the history."""
    entries, taken, after = [], 0, header.first - 1
    for event in events:
        if not after <= event.after <= header.first - 1 + len(edits):
            raise cursor.bad("an event that is out of order")
        after = event.after
        end = after - header.first + 1
        entries += edits[taken:end]
        taken = max(taken, end)
        entries.append(event)
    return entries + edits[taken:]


# -------------------------------------------------------------------------------- segments

UNIT, SMALL_UNIT, SMALL_SIZE, STRIPE = 4096, 512, 3072, 16


def ceiling(number, unit):
    return -(-number // unit)


class Parity:
    """The numbers of a parity area, from one of its two headers."""

    def __init__(self, file, at):
        data = file[at : at + 64]
        if len(data) < 64 or data[:8] != b"\x89ELP\r\n\x1a\n" or crc32c(data[:60]) != u32(data, 60):
            raise ValueError
        self.size, self.table_crc = u64(data, 8), u32(data, 24)
        self.data_unit = u32(data, 16)
        sizes = {UNIT: 1 << 36, SMALL_UNIT: SMALL_SIZE}
        if not 1 <= self.size <= sizes.get(self.data_unit, 0) or u32(data, 20) != STRIPE:
            raise ValueError
        self.units = ceiling(self.size, self.data_unit)
        self.start = self.units * self.data_unit
        self.stripes = ceiling(self.units, STRIPE)
        self.unit = min(self.data_unit, self.size)
        self.parity_at = self.start + 64 + 4 * (self.units + self.stripes)
        self.end = self.parity_at + self.stripes * self.unit + 64


def find_parity(file):
    """The parity area of a file, or nothing where no header of one counts."""
    try:
        parity = Parity(file, len(file) - 64)
        if parity.end == len(file):
            return parity
    except ValueError:
        pass
    small = min(len(file), SMALL_SIZE) // SMALL_UNIT * SMALL_UNIT
    places = [range(len(file) // UNIT * UNIT, 0, -UNIT), range(small, 0, -SMALL_UNIT)]
    for at in itertools.chain(*places):
        try:
            parity = Parity(file, at)
            if parity.start == at:
                return parity
        except ValueError:
            pass
    return None


def exclusive_or(units):
    total = 0
    for unit in units:
        total ^= int.from_bytes(unit, "little")
    return total.to_bytes(UNIT, "little")


def mended_data(file, place, report):
    """The data of a segment, mended where that is needed and possible."""
    parity = find_parity(file)
    if parity is None:
        report("damage", Damaged(place, len(file) - 64, "no header of a parity area"))
        return file, False
    data = bytearray(file[: parity.size])
    data.extend(bytes(parity.size - len(data)))
    table = file[parity.start + 64 : parity.parity_at]
    whole = len(file) == parity.end and file[parity.start : parity.start + 64] == file[-64:]
    if not whole or not zeros_only(file[parity.size : parity.start]):
        report("mended", Damaged(place, parity.size, "a bad parity area"))
    if crc32c(table) != parity.table_crc:
        report("damage", Damaged(place, parity.start + 64, "a bad table of checksums"))
        return bytes(data), True
    sums = struct.unpack(f"<{len(table) // 4}I", table)
    starts = range(0, parity.size, parity.data_unit)
    spans = [slice(at, min(at + parity.data_unit, parity.size)) for at in starts]
    bad = {i for i, span in enumerate(spans) if crc32c(data[span]) != sums[i]}
    for stripe in range(parity.stripes):
        at = parity.parity_at + stripe * parity.unit
        spare = file[at : at + parity.unit]
        spare_is_good = crc32c(spare) == sums[parity.units + stripe]
        if not spare_is_good:
            report("mended", Damaged(place, at, "a bad unit of parity"))
        members = range(stripe, parity.units, parity.stripes)
        for index in bad.intersection(members):
            span = spans[index]
            others = [data[spans[other]] for other in members if other != index]
            mended = exclusive_or(others + [spare])[: span.stop - span.start]
            if crc32c(mended) == sums[index]:
                data[span] = mended
                report("mended", Damaged(place, span.start, "a bad unit"))
            else:
                report("damage", Damaged(place, span.start, "a bad unit that cannot be mended"))
    return bytes(data), True


class Footer:
    """What the sections of a footer say."""

    def __init__(self, data, place, base):
        cursor = Cursor(data, place, base)
        self.sections = {}
        for _ in range(cursor.u32()):
            kind, size, start = cursor.u32(), cursor.u64(), cursor.at
            if kind in self.sections:
                raise cursor.bad(f"a second section of kind {kind}")
            self.sections[kind] = Cursor(cursor.take(size), place, base + start + 12)
        self.size = cursor.at
        if 9 in self.sections:
            raise Redacted(f"{place}: byte {base}: redaction is not a feature of this version")
        self.read_summary()
        self.read_blocks()
        self.read_sessions()
        self.read_events()
        self.read_chain()
        self.read_notes()
        for kind in range(1, 9):
            if kind in self.sections:
                self.sections[kind].end()

    def section(self, kind):
        if kind not in self.sections:
            raise Damaged(next(iter(self.sections.values())).place, 0, f"no section {kind}")
        return self.sections[kind]

    def read_summary(self):
        cursor = self.section(1)
        self.last_index, self.last_sequence = cursor.u64(), cursor.u64()
        self.journal = cursor.u64()
        if max(self.last_index, self.journal) > MAX_NUMBER or self.last_sequence > self.last_index:
            raise cursor.bad("numbers that no history has")
        if cursor.varint() != 1:
            raise cursor.bad("a head that is not one")
        self.head = cursor.take(32)

    def read_blocks(self):
        cursor = self.section(2)
        self.blocks = []
        for _ in range(cursor.count(64)):
            at = cursor.base + cursor.at
            self.blocks.append(BlockHeader(cursor.take(64), cursor.place, at))

    def read_sessions(self):
        cursor = self.section(3)
        self.sessions, last = {}, b""
        for _ in range(cursor.count(3)):
            name = cursor.string(1, 128)
            if name.encode() <= last:
                raise cursor.bad("sessions out of order")
            last = name.encode()
            self.sessions[name] = (cursor.varint(), cursor.varint())

    def read_events(self):
        cursor = self.section(4)
        count = cursor.count()
        size = cursor.count()
        metas = Cursor(cursor.take(size), cursor.place, cursor.base + cursor.at - size)
        self.events = [read_event_meta(metas) for _ in range(count)]
        metas.end()
        for event in self.events:
            read_event_content(event, cursor)

    def read_chain(self):
        cursor = self.section(5)
        first = cursor.varint()
        self.salts = {first + i: cursor.take(16) for i in range(cursor.count(16))}
        first = cursor.varint()
        self.links = {first + i: cursor.take(32) for i in range(cursor.count(32))}

    def read_notes(self):
        cursor = self.section(6)
        self.damage = []
        for _ in range(cursor.count(4)):
            self.damage.append([cursor.varint() for _ in range(4)])
        name = self.section(7)
        self.name = name.string(1, NAME_SIZE_MAX) if name.left() else None
        compacted = self.section(8)
        if compacted.varint() > len(self.blocks):
            raise compacted.bad("more compacted blocks than blocks")


class Segment:
    """One segment. Where its footer is lost, `footer` is nothing, and the blocks were walked."""

    def __init__(self, path, place, store, document, first, report):
        file = read_file(path, place)
        self.place, self.first, self.footer = place, first, None
        try:  # A newer format may have another parity, but no other header.
            Header(file, b"S", place)
        except Damaged:
            pass
        self.data, self.end_known = mended_data(file, place, report)
        Header(self.data, b"S", place).expect(place, store, document, first)
        try:
            self.footer = self.footer_by_trailer()
            self.blocks = self.footer.blocks
        except Damaged as damage:
            report("damage", damage)
            self.blocks, end = self.walk_blocks()
            self.footer = self.footer_after(end, report)

    def read_trailer(self, at):
        trailer = self.data[at : at + 32]
        if len(trailer) < 32 or trailer[:8] != b"\x89ELF\r\n\x1a\n":
            raise Damaged(self.place, at, "no trailer")
        if crc32c(trailer[:28]) != u32(trailer, 28):
            raise Damaged(self.place, at + 28, "the trailer's checksum does not agree")
        return u64(trailer, 8), u64(trailer, 16), u32(trailer, 24)

    def footer_by_trailer(self):
        end = len(self.data) - 32
        if not self.end_known:
            raise Damaged(self.place, end, "nothing tells where the data ends")
        offset, size, checksum = self.read_trailer(end)
        if offset + size != end or size > 1 << 30:
            raise Damaged(self.place, end + 8, "the footer does not reach to the trailer")
        return self.checked_footer(offset, size, checksum)

    def checked_footer(self, offset, size, checksum):
        data = self.data[offset : offset + size]
        if crc32c(data) != checksum:
            raise Damaged(self.place, offset, "the footer's checksum does not agree")
        footer = Footer(data, self.place, offset)
        if footer.size != size:
            raise Damaged(self.place, offset + footer.size, "bytes after the footer's sections")
        self.check_blocks(footer, offset)
        return footer

    def footer_after(self, end, report):
        """The footer after the last block, or None."""
        try:
            cursor = Cursor(self.data[end:], self.place, end)
            for _ in range(cursor.u32()):
                cursor.u32()
                cursor.take(cursor.u64())
            offset, size, checksum = self.read_trailer(end + cursor.at)
            if (offset, size) != (end, cursor.at):
                raise cursor.bad("a trailer of another footer")
            footer = self.checked_footer(offset, size, checksum)
            report("mended", Damaged(self.place, end, "the footer was found after the blocks"))
            return footer
        except Damaged as damage:
            report("damage", damage)
            return None

    def check_blocks(self, footer, end):
        at, sequence, columns, blocks = 64, self.first, 0, 0
        for block in footer.blocks:
            if block.first != sequence:
                raise Damaged(self.place, at, f"a block of edit {block.first}, not {sequence}")
            if block.flags & 2 and (not 0 < blocks <= 15 or columns > MIB):
                raise Damaged(self.place, at, "a block that refers to what no context holds")
            if not block.flags & 2:
                columns, blocks = 0, 0
            columns += block.columns
            blocks += 1
            at += 64 + block.payload
            sequence += block.edits
        if at != end or sequence - 1 != footer.last_sequence:
            raise Damaged(self.place, at, "the blocks do not fill the file, or not the history")

    def walk_blocks(self):
        at, sequence, blocks = 64, self.first, []
        while at + 64 <= len(self.data):
            try:
                block = BlockHeader(self.data[at : at + 64], self.place, at)
            except Damaged:
                break
            end = at + 64 + block.payload
            if end > len(self.data) or block.first != sequence:
                break
            blocks.append(block)
            at, sequence = end, sequence + block.edits
        return blocks, at

    def entries(self, report):
        """The entries of each block in turn, or nothing in place of a block that is unreadable."""
        at, context = 64, []
        for block in self.blocks:
            if not block.flags & 2:
                context = []
            columns = None
            try:
                if self.data[at : at + 64] != block.bytes:
                    raise Damaged(self.place, at, "the block has another header than the footer")
                if None in context:
                    raise Damaged(self.place, at, "a block whose context is not there")
                payload = self.data[at + 64 : at + 64 + block.payload]
                prefix = b"".join(context) if block.flags & 2 else b""
                columns = block_columns(block, payload, prefix, self.place, at + 64)
                entries = decode_block(block, columns, self.place, at)
            except Damaged as damage:
                report("damage", damage)
                entries = None
            context.append(columns)
            at += 64 + block.payload
            yield block, entries


# -------------------------------------------------------------------------------- journals


class Batch:
    """A valid batch, or nothing: `Batch.at` tells."""

    @staticmethod
    def at(data, at, store):
        header = data[at : at + 64]
        if len(header) < 64 or header[:4] != b"\x89EB\n" or header[4] > 1:
            return None
        if crc32c(header[:60], crc32c(store)) != u32(header, 60):
            return None
        size = u32(header, 16)
        body = data[at + 64 : at + 64 + size]
        if size > 1 << 30 or len(body) < size or crc32c(body) != u32(header, 56):
            return None
        return Batch(header, body, at)

    def __init__(self, header, body, at):
        self.kind, self.number, self.records = header[4], u64(header, 8), u32(header, 20)
        self.previous, self.body, self.start = header[24:56], body, at
        self.end = at + 64 + len(body)
        self.hash = sha256(header, body)


class JournalEntry:
    """An entry as it stands in a journal. `place` is nothing where its meta does not tell one."""

    def __init__(self, journal, index, meta, content):
        self.journal, self.index, self.meta, self.content = journal, index, meta, content
        self.is_edit, self.place = True, None
        try:
            self.read_place(meta.again())
        except Damaged:
            pass

    def read_place(self, meta):
        flags = meta.u8()
        self.is_edit = not flags & 1
        if not self.is_edit and flags & ~(1 | 8 | 16 | 32):
            raise meta.bad(f"flags {flags}")
        meta.u8()
        place = meta.varint()
        if self.is_edit:
            for _ in range(3 if flags & 2 else 2):
                meta.varint()
        size = meta.varint()
        if place >= 1 << 63 or self.is_edit and not place or size != len(self.content.data):
            raise meta.bad("no place of an entry")
        meta.i64()
        self.place = place

    def entry(self):
        return read_record(self.meta.again(), self.content.again())


class DurableMark:
    """What was durable, as the file `confirmed` says."""

    def __init__(self, slot):
        self.oldest = self.limit = 0
        self.catalog = None  # generation, size, hash
        if len(slot) == 64:
            self.number = self.batch = u64(slot, 0)
            self.journal = u64(slot, 8)
            return
        fields = struct.unpack_from("<7Q", slot)
        self.number, self.batch, self.journal, self.oldest, self.limit = fields[:5]
        self.catalog = (fields[5], fields[6], slot[56:88])


def read_mark(folder, store):
    """The newest durable mark; nothing if the file cannot be read."""
    try:
        data = read_file(os.path.join(folder, "confirmed"), "confirmed")
        size = 128 if Header(data, b"W", "confirmed").has_catalog else 64
    except (OSError, Damaged):
        return None
    slots = [data[at : at + size] for at in (4096, 8192)]
    whole = [
        DurableMark(slot)
        for slot in slots
        if len(slot) == size and crc32c(slot[:-4], crc32c(store)) == u32(slot, size - 4)
    ]
    return max(whole, key=lambda mark: mark.number, default=None)


class Listing:
    """What the catalog says of one document."""

    def __init__(self, cursor):
        flags = cursor.u8()
        self.name = cursor.take(cursor.count()).decode()
        self.last_index, self.last_sequence = cursor.varint(), cursor.varint()
        self.head, self.journal = cursor.take(32), cursor.varint()
        if flags & 1:
            self.times = (cursor.i64(), cursor.i64())
        self.segments = [
            (cursor.varint(), cursor.varint(), cursor.varint()) for _ in range(cursor.count(3))
        ]  # each: first edit, last entry, bytes


class Catalog:
    """What must be in a store: the file `catalog`, or another one of its form."""

    def __init__(self, folder, store, mark, place="catalog"):
        self.documents, self.losses = {}, {}
        self.attachments = {}  # by document: the size of each by its digest
        data = read_file(os.path.join(folder, place), place)
        header = Header(data, b"L", place)
        if header.store != store:
            raise Damaged(place, 24, "this is a file of another store")
        at, digest = 64, sha256(data[:64])
        reached = mark is None or mark.catalog is None or mark.catalog[0] < header.number
        reached = reached or mark.catalog == (header.number, at, digest)
        while at + 8 <= len(data):
            size = u32(data, at)
            body = data[at + 8 : at + 8 + size]
            checksum = crc32c(body, crc32c(data[at : at + 4], crc32c(digest)))
            if not 0 < size <= 1 << 24 or len(body) < size or checksum != u32(data, at + 4):
                break
            self.read(Cursor(body, place, at + 8))
            at, digest = at + 8 + size, sha256(digest, body)
            reached = reached or mark.catalog == (header.number, at, digest)
        if not reached:
            raise Damaged(place, at, "it is damaged from here on, or an older copy")

    def read(self, cursor):
        while cursor.left():
            tag = cursor.u8()
            if tag == 0:
                number = cursor.varint()
                self.documents[number] = Listing(cursor)
            elif tag == 1:
                number = cursor.varint()
                self.documents.pop(number, None)
                self.attachments.pop(number, None)
            elif tag == 2:
                self.read_loss(cursor)
            elif tag == 3:
                stored = self.attachments.setdefault(cursor.varint(), {})
                digest, size = cursor.take(32).hex(), cursor.varint()
                stored.pop(digest, None)
                if size:
                    stored[digest] = size - 1
            else:
                raise cursor.bad(f"a record of kind {tag}")

    def read_loss(self, cursor):
        kind = cursor.u8()
        key, file, what = (cursor.take(cursor.count()).decode() for _ in range(3))
        cursor.i64()
        accepted = cursor.i64() if cursor.u8() else None
        self.losses[key] = (kind, file, what, accepted)


class Journals:
    """All journals of a store, and the verdict on each."""

    def __init__(self, folder, store):
        self.folder, self.store = os.path.join(folder, "journal"), store
        self.findings, self.damages = [], []  # damages: journal, byte, missing batches
        self.names, self.salts, self.entries = {}, {}, {}
        self.forgotten, self.losses = set(), set()  # losses: keys, as the catalog has them
        self.number = self.hash = None  # of the last batch
        self.torn, self.end = 0, None  # bytes; the last journal's place, number and end
        mark = read_mark(folder, store)  # before the journals: they only grow beyond it
        numbers = number_names(self.folder, ".journal")
        for number in numbers:
            self.read(number)
        self.newest = None  # the newest journal there can have been, if that is known
        if mark:
            self.newest = max(numbers + [mark.journal])
            self.compare(mark, numbers)

    def compare(self, mark, numbers):
        """Journals that must be there, and batches after the last one found, are missing."""
        if mark.oldest:
            inside = [number for number in numbers if mark.oldest <= number <= mark.journal]
            next_number = mark.oldest
            for number in inside + [mark.journal + 1]:
                if number > next_number:
                    missing = number - next_number
                    self.damage(next_number, 0, 0, f"{missing} journals are missing", missing)
                next_number = number + 1
        found = self.number or 0
        # If the newest journal is missing, so are its batches.
        if mark.batch <= found or mark.oldest and mark.journal not in numbers:
            return
        last = self.end if self.end and self.end[0] >= mark.journal else (mark.journal, 0)
        self.damage(*last, mark.batch - found, f"{mark.batch - found} batches are missing")

    def damage(self, journal, byte, lost, what, missing=0):
        place = f"journal/{journal:020}.journal"
        self.damages.append((journal, byte, lost))
        if lost or missing:
            self.losses.add(f"journal {journal} byte {byte} batches {lost} files {missing}")
        self.findings.append(("damage", Damaged(place, byte, what)))

    def read(self, number):
        place = f"journal/{number:020}.journal"
        data = read_file(os.path.join(self.folder, f"{number:020}.journal"), place)
        expected = self.number + 1 if self.number is not None else None
        try:
            header = Header(data, b"J", place)
            header.expect(place, self.store, number)
            if expected is None:
                expected = header.second
            if header.second == 1:
                self.hash = sha256(b"EditLog journal", self.store)
        except Damaged as damage:
            self.damage(number, 0, 0, damage.what)
        at = 64
        while at < len(data):
            batch = self.next_batch(data, at)
            if batch is None:
                self.note_end(place, data, at)
                break
            self.check_place(batch, number, at, expected)
            self.number, self.hash = batch.number, batch.hash
            expected = self.number + 1
            self.read_records(batch, number, place)
            at = batch.end
        self.end = (number, at)

    def note_end(self, place, data, at):
        torn = len(data[at:].rstrip(b"\0"))
        if torn:
            self.torn += torn
            self.findings.append(("torn", Damaged(place, at, f"{torn} bytes of a write cut short")))

    def check_place(self, batch, journal, at, expected):
        """Whether a batch is the next one, and where it should be."""
        lost = batch.number - expected if expected is not None else 0
        if batch.start == 64 and lost > 0 and self.end:
            self.damage(*self.end, lost, f"{lost} batches are missing at the end")
        elif batch.start != at:
            self.damage(journal, at, lost, f"unreadable up to byte {batch.start}")
        elif lost:
            self.damage(journal, at, lost, f"batch {batch.number} in place of {expected}")
        elif self.hash is not None and batch.previous != self.hash:
            self.damage(journal, at, 0, "the batch does not follow the one before")

    def next_batch(self, data, at):
        """The next valid batch that is newer than the last, at this byte or after it."""
        while at >= 0:
            batch = Batch.at(data, at, self.store)
            if batch and (self.number is None or batch.number > self.number):
                return batch
            at = data.find(b"\x89EB\n", at + 1)
        return None

    def read_records(self, batch, journal, place):
        cursor = Cursor(batch.body, place, batch.start + 64)
        start = 0
        try:
            if batch.kind == 1 and batch.records:
                raise cursor.bad("records in a confirmation")
            for _ in range(batch.records):
                start = cursor.at
                self.read_record(cursor, journal)
            start = cursor.at
            cursor.end()
        except Damaged as damage:
            what = f"a record that does not parse: {damage.what}"
            self.damage(journal, cursor.base + start, 1, what)

    def read_record(self, cursor, journal):
        tag = cursor.u8()
        if tag > 4:
            raise cursor.bad(f"a record with tag {tag}")
        document = cursor.number()
        if tag == 1:
            self.names.setdefault(document, []).append((journal, cursor.string(1, NAME_SIZE_MAX)))
        elif tag == 2:
            link = cursor.number()
            self.salts.setdefault(document, {})[link] = cursor.take(16)
        elif tag in (3, 4):
            self.forgotten.add(document)
            for records in (self.names, self.salts, self.entries):
                records.pop(document, None)
        else:
            index = cursor.number()
            parts = []
            for _ in range(2):
                data = cursor.take(cursor.count())
                parts.append(Cursor(data, cursor.place, cursor.base + cursor.at - len(data)))
            entry = JournalEntry(journal, index, *parts)
            self.entries.setdefault(document, []).append(entry)


def read_journals(folder, store):
    """The journals, read again where one went away meanwhile, or where one seems damaged."""
    journals = None
    for _ in range(100):
        try:
            again, journals = journals, Journals(folder, store)
        except FileNotFoundError:
            continue
        if not journals.damages or again:
            return journals
    raise Damaged("journal", 0, "the journals do not hold still")


# ------------------------------------------------------------------------------- histories


class Chain:
    """The hash chain of a document. `link` is nothing where it cannot be known."""

    def __init__(self, store, document, salts, links):
        self.salts, self.links = salts, links
        self.number, self.open = 1, None
        self.link = sha256(b"EditLog document", store, struct.pack("<Q", document))

    def add(self, meta, content):
        if self.open is None:
            self.open = (hashlib.sha256(), hashlib.sha256(self.salts.get(self.number, b"")))
            if self.number not in self.salts:
                self.link = None
        for digest, part in zip(self.open, (meta, content)):
            digest.update(struct.pack("<Q", len(part)) + part)

    def head(self):
        if self.open is None or self.link is None:
            return self.link
        return sha256(self.link, self.open[0].digest(), self.open[1].digest())

    def close(self, last):
        """Ends a link after the edit `last`; returns whether it is what the footer says."""
        known, link = self.links.get(self.number), self.head()
        self.number, self.open = last // 4096 + 1, None
        self.link = known or link
        return known is None or link is None or known == link

    def lose(self, last):
        """Entries up to the edit `last` could not be read."""
        self.number = last // 4096 + 1
        self.link, self.open = self.links.get(self.number - 1), None
        if last % 4096:
            self.link, self.open = None, (hashlib.sha256(), hashlib.sha256())


class Document:
    """A history. Its findings grow while its entries are read."""

    def __init__(self, store, number):
        self.store, self.number, self.findings = store, number, []
        self.place = f"documents/{number:020}"
        self.folder = os.path.join(store.folder, self.place)
        self.refusal = None
        self.segments, self.last_sequence, self.last_index, journal = [], 0, 0, 0
        self.damages = []  # each: after which edit, entries lost, unreachable, the journal
        self.salts, self.links = {}, {}
        self.salts.update(store.journals.salts.get(number, {}))
        self.lone = f"documents/{number:020}.segment"
        for first in self.segment_names():
            segment = self.open_segment(first)
            self.segments.append(segment)
            journal = self.add_footer(segment)
        self.check_listing(store.listing(number))
        self.check_last_footer(store.listing(number))
        self.take_from_journals(journal)
        self.name = self.find_name(journal)

    def report(self, severity, finding):
        self.findings.append((severity, finding))

    def segment_names(self):
        """The first segment may be beside the folder; of two, the one in the folder counts."""
        firsts = number_names(self.folder, ".segment")
        if 1 not in firsts and os.path.lexists(os.path.join(self.store.folder, self.lone)):
            return [1] + firsts
        self.lone = None
        return firsts

    def check_listing(self, listing):
        """What the catalog names must be there."""
        if listing is None:
            return
        found = {segment.first: segment for segment in self.segments}
        for position, (first, last_index, _) in enumerate(listing.segments, 1):
            if first not in found:
                raise Damaged(f"{self.place}/{first:020}.segment", 0, "the segment is missing")
            footer = found[first].footer
            may_grow = position == len(listing.segments)
            is_later = footer and footer.last_index > last_index
            if footer and footer.last_index != last_index and not (is_later and may_grow):
                what = f"it ends with entry {footer.last_index}, not {last_index}"
                raise Damaged(found[first].place, 0, what)
        for first in found.keys() - {first for first, _, _ in listing.segments}:
            if first <= listing.last_sequence:
                raise Damaged(found[first].place, 0, "a segment of this name was never sealed")
        if not self.segments:
            return
        last = self.segments[-1]
        if (self.last_sequence, self.last_index) < (listing.last_sequence, listing.last_index):
            what = f"it ends with edit {self.last_sequence}, not {listing.last_sequence}"
            raise Damaged(last.place, 0, what)
        if last.footer and self.last_index == listing.last_index:
            if last.footer.head != listing.head:
                raise Damaged(last.place, 0, "it ends with another head than the sealed one")

    def check_last_footer(self, listing):
        """A right checksum does not make a journal or a name that never was."""
        footer = self.segments[-1].footer if self.segments else None
        newest = self.store.journals.newest
        if footer is None:
            return
        if newest is not None and footer.journal > newest:
            what = f"it names journal {footer.journal}, which is newer than any that was"
            raise Damaged(self.segments[-1].place, 0, what)
        is_listed = listing and footer.last_index == listing.last_index and not footer.damage
        if listing and (footer.journal < listing.journal
                        or is_listed and footer.journal != listing.journal):  # fmt: skip
            raise Damaged("catalog", 0, "the journal is not the one that the last segment names")
        if listing and footer.name and footer.name != listing.name:
            if self.number not in self.store.journals.names:
                raise Damaged("catalog", 0, "the name is not the one that the last segment has")

    def open_segment(self, first):
        place = f"{self.place}/{first:020}.segment"
        if first == 1 and self.lone:
            place = self.lone
        path = os.path.join(self.store.folder, place)
        if first != self.last_sequence + 1:
            self.report("damage", Damaged(place, 0, f"edit {self.last_sequence + 1} is not there"))
        return Segment(path, place, self.store.id, self.number, first, self.report)

    def add_footer(self, segment):
        edits = sum(block.edits for block in segment.blocks)
        counted = edits + sum(block.events for block in segment.blocks)
        segment.index_before = self.last_index
        self.last_index += counted
        self.last_sequence = segment.first + edits - 1
        footer = segment.footer
        if footer is None:
            return 0
        if footer.last_index < self.last_index:
            self.report("damage", Damaged(segment.place, 0, "more entries than the footer counts"))
        self.last_index = footer.last_index
        self.salts.update(footer.salts)
        self.links.update(footer.links)
        self.damages = list(footer.damage)
        return footer.journal

    def take_from_journals(self, journal):
        """The verdict's three rules."""
        self.new, stopped, sealed = [], False, self.last_index
        for item in self.store.journals.entries.get(self.number, []):
            if item.journal < journal or item.index <= sealed:
                continue
            expected = self.last_sequence + 1 if item.is_edit else self.last_sequence
            goes_on = not stopped and item.index > self.last_index and item.place == expected
            lost = max(item.index - self.last_index - 1, 0)
            if not stopped and (lost or not goes_on):
                self.damages.append([self.last_sequence, lost, 0, item.journal])
            if goes_on:
                self.new.append(item)
                self.last_index, self.last_sequence = item.index, item.place
            else:
                stopped = True
                self.damages[-1][2] += 1

    def find_name(self, journal):
        """The name in a journal, the catalog, the file of format 1.0, or the last footer."""
        listing, name = self.store.listing(self.number), self.read_name()
        if listing:
            name = listing.name
        if name is None and self.segments and self.segments[-1].footer:
            name = self.segments[-1].footer.name
        for number, new in self.store.journals.names.get(self.number, []):
            if number >= journal:
                name = new
        return name

    def read_name(self):
        path, place = os.path.join(self.folder, "name"), f"{self.place}/name"
        try:
            data = read_file(path, place)
            Header(data, b"N", place).expect(place, self.store.id, self.number)
            cursor = Cursor(data[64:], place, 64)
            size, checksum = cursor.u32(), cursor.u32()
            text = cursor.take(size)
            cursor.end()
            if crc32c(text) != checksum:
                raise Damaged(place, 68, "the name's checksum does not agree")
            return text.decode()
        except FileNotFoundError:
            return None
        except (Damaged, UnicodeDecodeError) as damage:
            if not isinstance(damage, Damaged):
                damage = Damaged(place, 72, "the name is not UTF-8")
            self.report("mended", damage)
            return None

    def entries(self, heads=None):
        """All entries in their order. `heads`, if given, gets the head after its edits."""
        chain = Chain(self.store.id, self.number, self.salts, self.links)
        sequence, time = 0, None
        for segment in self.segments:
            events, sessions, whole = [], {}, True
            for block, entries in segment.entries(self.report):
                if entries is None or block.first != sequence + 1:
                    whole = False
                    chain.lose(block.first + block.edits - 1)
                for entry in entries or []:
                    self.follow(chain, entry, heads)
                    time = self.check_time(segment.place, entry, time)
                    if entry.session is not None:
                        sessions[entry.session] = (entry.counter, entry.place())
                    if not entry.is_edit:
                        events.append((entry.meta_bytes, entry.content_bytes))
                    yield entry
                sequence = block.first + block.edits - 1
            if segment.footer and whole:
                self.check_footer(segment, events, sessions, chain.head())
        for item in self.new:
            try:
                entry = item.entry()
            except Damaged as damage:
                self.report("damage", damage)
                chain.lose(item.place)
                continue
            self.follow(chain, entry, heads)
            time = self.check_time("journal", entry, time)
            yield entry
        self.head = chain.head()
        if self.head is None:
            self.report("damage", Damaged(self.place, 0, "the chain cannot be checked to its end"))

    def check_time(self, place, entry, before):
        if before is not None and entry.time < before:
            what = f"time goes back at edit {entry.place()}"
            self.report("disorder", Damaged(place, 0, what))
        return entry.time

    def check_footer(self, segment, events, sessions, head):
        """Whether a footer says of the entries what they are."""
        told = [(event.meta_bytes, event.content_bytes) for event in segment.footer.events]
        for what, same in [
            ("other events", told == events),
            ("other sessions", segment.footer.sessions == sessions),
            ("another end of the chain", head is None or head == segment.footer.head),
        ]:
            if not same:
                self.report("damage", Damaged(segment.place, 0, f"the footer tells {what}"))

    def follow(self, chain, entry, heads):
        content = entry.content()
        chain.add(entry.meta(content), content)
        if not entry.is_edit:
            return
        if heads is not None and entry.sequence in heads:
            heads[entry.sequence] = chain.head()
        if entry.sequence % 4096 == 0 and not chain.close(entry.sequence):
            what = f"the chain differs at edit {entry.sequence}"
            self.report("damage", Damaged(self.place, 0, what))

    def damage_lines(self):
        for after, lost, unreachable, journal in self.damages:
            yield (f"{self.place}: after edit {after}: {lost} entries were lost and {unreachable}"
                   f" made unreachable by damage to journal {journal}")  # fmt: skip


class Store:
    def __init__(self, folder):
        if not os.path.isdir(folder):
            raise Unknown(f"{folder}: no such store")
        self.folder, self.findings = folder, []
        self.id, has_catalog = self.read_format()
        self.documents, self.refused = [], []
        self.attachments = self.read_attachments()
        self.catalog = self.read_catalog() if has_catalog else None
        self.journals = read_journals(folder, self.id)
        self.findings += self.journals.findings
        # What a document that was forgotten leaves is an empty folder.
        documents = os.path.join(folder, "documents")
        numbers = {
            number
            for number in number_names(documents, "") + number_names(documents, ".segment")
            if os.path.lexists(os.path.join(documents, f"{number:020}.segment"))
            or os.listdir(os.path.join(documents, f"{number:020}"))
        }
        if self.catalog:
            numbers |= set(self.catalog.documents)
        numbers -= self.journals.forgotten
        for number in sorted(numbers | set(self.journals.entries) | set(self.journals.names)):
            try:
                self.documents.append(Document(self, number))
            except (Damaged, NewerFormat, Redacted) as error:
                self.refused.append((number, error))

    def read_catalog(self):
        """The catalog, read before the journals and after the mark; twice before it is refused."""
        for attempt in range(2):
            try:
                return Catalog(self.folder, self.id, read_mark(self.folder, self.id))
            except (Damaged, OSError) as error:
                if attempt:
                    if not isinstance(error, Damaged):
                        error = Damaged("catalog", 0, "there is none")
                    self.findings.append(("mended", error))
        return None

    def read_attachments(self):
        """The sizes of the attachments that must be there, by document and digest."""
        try:
            return Catalog(self.folder, self.id, None, "attachments").attachments
        except FileNotFoundError:
            return {}
        except Damaged as error:
            self.findings.append(("damage", error))
            return {}

    def may_lack_entries(self):
        """Whether entries of any document may be lost, and no person has accepted it."""
        listed = self.catalog.losses if self.catalog else {}
        return not self.journals.losses <= set(listed) or any(
            kind == 0 and time is None and not file.startswith("documents/")
            for kind, file, _, time in listed.values()
        )

    def listing(self, number):
        return self.catalog.documents.get(number) if self.catalog else None

    def read_format(self):
        path = os.path.join(self.folder, "format")
        if not os.path.exists(path):
            if os.path.isdir(os.path.join(self.folder, "journal")):
                raise Damaged("format", 0, "there is none")
            return bytes(16), False
        data, copies, damage = read_file(path, "format"), [], []
        for at in (0, 4096):
            try:
                copies.append(Header(data, b"R", "format", at))
            except Damaged as error:
                damage.append(error)
        if not copies:
            raise damage[0]
        for error in damage:
            self.findings.append(("mended", error))
        if len(copies) == 2 and copies[0].store != copies[1].store:
            raise Damaged("format", 4096 + 24, "two stores")
        return copies[0].store, copies[0].has_catalog

    def document(self, name):
        for document in self.documents:
            if document.name == name:
                return document
        raise Unknown(f"{name}: no such document")


# ----------------------------------------------------------------------------- checkpoints


class Checkpoint:
    """A checkpoint, checked but for its head and its base. Its state is one of the text
    (".checkpoint") or of projections (".projections")."""

    KINDS = {".checkpoint": b"C", ".projections": b"F"}

    def __init__(self, document, sequence, ending):
        self.place = place = f"{document.place}/{sequence:020}{ending}"
        data = read_file(os.path.join(document.store.folder, place), place)
        Header(data, self.KINDS[ending], place).expect(place, document.store.id, document.number, sequence)
        if len(data) < 140 or crc32c(data[64:136]) != u32(data, 136):
            raise Damaged(place, 136, "the checksum does not agree")
        self.sequence, self.head = sequence, data[64:96]
        self.size, payload_size, self.base = struct.unpack_from("<QQQ", data, 96)
        self.depth, self.base_crc, self.state_crc, payload_crc = struct.unpack_from(
            "<IIII", data, 120)  # fmt: skip
        self.payload = data[140:]
        if self.size > 1 << 33 or payload_size != len(self.payload):
            raise Damaged(place, 96, "a state or a payload of another size")
        if crc32c(self.payload) != payload_crc:
            raise Damaged(place, 132, "the payload's checksum does not agree")
        if self.depth > 3 or bool(self.depth) != bool(self.base) or self.base >= sequence:
            raise Damaged(place, 112, "no such base")

    def state(self, checkpoints):
        prefix = b""
        if self.base:
            base = checkpoints.get(self.base)
            if base is None or (base.depth, base.state_crc) != (self.depth - 1, self.base_crc):
                raise Damaged(self.place, 112, "the base is not there, or another")
            prefix = base.state(checkpoints)
        excess = self.size - 2 * len(prefix)
        if excess > 64 * MIB and excess // 1024 > len(self.payload):
            raise Damaged(self.place, 96, f"a state of {self.size} bytes from so small a payload")
        state = decompress(self.payload, self.size, prefix, self.place, 140)
        if crc32c(state) != self.state_crc:
            raise Damaged(self.place, 128, "the state's checksum does not agree")
        return state


# ---------------------------------------------------------------------------------- traces


def read_traces(document):
    """What edits cost as they happened: the edit's number and time, the nanoseconds, the spans."""
    place = f"{document.place}/live.traces"
    data = read_file(os.path.join(document.store.folder, place), place)
    header = Header(data, b"T", place)
    header.expect(place, document.store.id, document.number, header.second)
    if len(data) < 76 or crc32c(data[:72] + data[76:]) != u32(data, 72):
        raise Damaged(place, 72, "the checksum does not agree")
    count, size = struct.unpack_from("<II", data, 64)
    if count > 128 or size != len(data) - 76:
        raise Damaged(place, 64, "too many traces, or bytes of another size")
    traces, at = [], 76
    for _ in range(count):
        sequence, time, duration, spans = struct.unpack_from("<QqQB", data, at)
        at += 25
        found = [struct.unpack_from("<BQQ", data, at + 17 * index) for index in range(spans)]
        at += 17 * spans
        if spans > 32 or any(start + length > duration for _, start, length in found):
            raise Damaged(place, at, "a span outside of its trace")
        if traces and sequence <= traces[-1][0]:
            raise Damaged(place, at, "the numbers do not ascend")
        traces.append((sequence, time, duration, found))
    if at != len(data) or header.second != (traces[-1][0] if traces else 0):
        raise Damaged(place, at, "another number of traces")
    return traces


def verify_traces(document):
    """Reports the file of traces if it is there and not usable: it is a cache."""
    try:
        read_traces(document)
    except FileNotFoundError:
        pass
    except struct.error:
        document.report("unusable", Damaged(f"{document.place}/live.traces", 76, "too short"))
    except (Damaged, NewerFormat) as error:
        document.report("unusable", error)


# ----------------------------------------------------------------------------- attachments


def read_attachment(document, name):
    """The bytes in a file of an attachment."""
    place = f"{document.place}/{name}"
    data = read_file(os.path.join(document.store.folder, place), place)
    header = Header(data, b"A", place)
    header.expect(place, document.store.id, document.number, header.second)
    if len(data) < 76 or crc32c(data[:72]) != u32(data, 72):
        raise Damaged(place, 72, "the checksum does not agree")
    if struct.unpack_from("<Q", data, 64)[0] != len(data) - 76:
        raise Damaged(place, 64, "another size")
    if hashlib.sha256(data[76:]).hexdigest() + ".attachment" != name:
        raise Damaged(place, 76, "the content has another digest than the name")
    return data[76:]


def verify_attachments(document):
    """Reports each attachment that has changed, or is missing."""
    folder = os.path.join(document.store.folder, document.place)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for digest in sorted(document.store.attachments.get(document.number, {})):
        if f"{digest}.attachment" not in names:
            place = f"{document.place}/{digest}.attachment"
            document.report("damage", Damaged(place, 0, "the attachment is missing"))
    for name in names:
        if name.endswith(".attachment"):
            try:
                read_attachment(document, name)
            except (Damaged, NewerFormat) as error:
                document.report("damage", error)


# ----------------------------------------------------------------------------- asked edits


def read_asked(document):
    """The requests for which an editor was asked: the version and the entries of each."""
    place = f"{document.place}/asked.edits"
    data = read_file(os.path.join(document.store.folder, place), place)
    header = Header(data, b"Q", place)
    header.expect(place, document.store.id, document.number, header.second)
    if len(data) < 72 or crc32c(data[:68] + data[72:]) != u32(data, 68):
        raise Damaged(place, 68, "the checksum does not agree")
    if u32(data, 64) != len(data) - 72:
        raise Damaged(place, 64, "another size")
    return [(asked["base"], asked["entries"]) for asked in json.loads(data[72:])["asked"]]


def verify_asked(document):
    """Reports the file of asked edits if it is there and not usable: then no editor was asked."""
    try:
        read_asked(document)
    except FileNotFoundError:
        pass
    except (Damaged, NewerFormat) as error:
        document.report("unusable", error)


def verify_document(document):
    """Reads all of a document; the number of its entries."""
    verify_traces(document)
    verify_attachments(document)
    verify_asked(document)
    series, heads = [], {}
    for ending in Checkpoint.KINDS:
        checkpoints = {}
        series.append(checkpoints)
        for sequence in number_names(document.folder, ending):
            try:
                checkpoints[sequence] = Checkpoint(document, sequence, ending)
                heads[sequence] = None
            except (Damaged, NewerFormat) as error:
                document.report("unusable", error)
    count = sum(1 for _ in document.entries(heads))
    for checkpoints in series:
        for checkpoint in checkpoints.values():
            try:
                if heads[checkpoint.sequence] != checkpoint.head:
                    raise Damaged(checkpoint.place, 64, "the head is not that of the history")
                checkpoint.state(checkpoints)
            except Damaged as error:
                document.report("unusable", error)
    return count


# ------------------------------------------------------------------------------------ JSON


def time_fields(time):
    seconds, nanoseconds = divmod(time, 1_000_000_000)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    digits = f"{nanoseconds:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    text = moment.isoformat() + ("." + digits if digits else "") + "Z"
    return {"time": text, "timeMicros": time // 1000}


def json_value(value, top=False):
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"$double": str(value)}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, dict):
        members = {name: json_value(item) for name, item in value.items()}
        if not top and any(name.startswith("$") for name in members):
            return {"$map": members}
        return members
    return value


def json_integer(number):
    return number if number < 1 << 63 else str(number)


def ticket_fields(entry):
    fields = {}
    if entry.author is not None:
        fields["author"] = entry.author
    if entry.session is not None:
        fields["session"] = entry.session
    if entry.session is not None or entry.counter:
        fields["counter"] = json_integer(entry.counter)
    return fields


def edit_fields(edit):
    fields = {"v": 1, "sequence": edit.sequence, "actions": []}
    if edit.text is not None:
        fields["actions"].append("characters")
    if edit.kind:
        fields["actions"].append("attributes")
    fields["location"], fields["length"] = edit.location, edit.length
    fields["changeInLength"] = edit.end_after() - edit.length
    if edit.text is not None:
        fields["text"] = edit.text.decode("utf-16-le", "surrogatepass")
    if edit.kind:
        fields["attributes"] = change_value(edit.kind, edit.change)
    fields["origin"] = ORIGINS[edit.origin]
    fields["transaction"] = edit.sequence - edit.transaction
    fields |= ticket_fields(edit)
    fields |= time_fields(edit.time)
    if edit.client_time is not None:
        fields["clientTime"] = time_fields(edit.client_time)["time"]
    if edit.selection is not None:
        fields["selection"] = {
            side: [
                {"location": location, "length": length} | ({"reversed": True} if is_reversed else {})
                for location, length, is_reversed in ranges
            ]
            for side, ranges in zip(("before", "after"), edit.selection)
            if ranges
        }
    return fields


def event_fields(event):
    fields = {"v": 1, "event": EVENTS[event.kind], "after": event.after}
    if event.kind == 0:
        fields |= {"label": event.label, "at": json_integer(event.at)}
    elif event.kind in (1, 2):
        fields["digest"] = event.digest.hex()
    elif event.kind in (3, 4):
        fields["unsaved"] = event.kind == 4
    elif event.kind == 5:
        fields |= {"ours": event.ours.hex(), "theirs": event.theirs.hex()}
    elif event.kind == 6:
        fields["from"] = event.old_name
    elif event.kind == 8:
        fields |= {"from": event.origin, "at": event.origin_version}
    else:
        names = {"client": event.client, "version": event.version, "host": event.host}
        fields |= {name: value for name, value in names.items() if value}
        if event.process:
            fields["process"] = event.process
    return fields | ticket_fields(event) | time_fields(event.time)


# Other languages' tools end a line at U+0085, U+2028 and U+2029.
ESCAPED = re.compile('["\\\\\x00-\x1f\x85\u2028\u2029\ud800-\udfff]')
SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def json_string(text):
    def escape(match):
        return SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"

    return '"' + ESCAPED.sub(escape, text) + '"'


def json_line(value):
    """A value as JSON, in the same bytes as EditLog writes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        members = (json_string(name) + ":" + json_line(item) for name, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_line, value)) + "]"
    return "null" if value is None else json_string(value)


# ------------------------------------------------------------------------------------ main


def say(*lines):
    for line in lines:
        print(line, file=sys.stderr)


def tell(findings):
    """Tells findings on standard error; whether one of them is damage."""
    for severity, finding in findings:
        say(f"{severity}: {finding}")
    return any(severity == "damage" for severity, _ in findings)


def print_documents(store):
    for document in sorted(store.documents, key=lambda document: (document.name or "").encode()):
        fields = {"document": document.name, "number": document.number}
        fields |= {"sequence": document.last_sequence, "entries": document.last_index}
        print(json_line(fields))
    bad = tell(store.findings)
    for number, error in store.refused:
        say(f"refused: document {number}: {error}")
    return 65 if bad or store.refused else 0


def print_log(store, name):
    document = store.document(name)
    for entry in document.entries():
        print(json_line(edit_fields(entry) if entry.is_edit else event_fields(entry)))
    for line in document.damage_lines():
        say(f"known: {line}")
    tell(store.findings)
    cut_short = document.damages and document.damages[-1][0] == document.last_sequence
    if store.may_lack_entries():
        say("incomplete: acknowledged entries may be missing from this history")
    return 65 if tell(document.findings) or cut_short or store.may_lack_entries() else 0


def verify(store):
    findings, entries = list(store.findings), 0
    for document in store.documents:
        entries += verify_document(document)
        findings += document.findings
        for line in document.damage_lines():
            print(f"known: {line}")
    for kind, file, what, accepted in store.catalog.losses.values() if store.catalog else []:
        print(f"{'known' if accepted is None else 'accepted'}: {file}: {what}")
    for severity, finding in findings:
        print(f"{severity}: {finding}")
    for number, error in store.refused:
        print(f"refused: document {number}: {error}")
    print(f"{entries} entries checked, {len(findings) + len(store.refused)} findings")
    bad = any(severity in ("damage", "disorder") for severity, _ in findings)
    newer = any(isinstance(error, NewerFormat) for _, error in store.refused)
    return 65 if bad or store.refused and not newer else 78 if newer else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verify", action="store_true", help="check every byte")
    parser.add_argument("store")
    parser.add_argument("name", nargs="?")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        store = Store(arguments.store)
        if arguments.verify:
            return verify(store)
        if arguments.name is None:
            return print_documents(store)
        return print_log(store, arguments.name)
    except Damaged as error:
        say(f"damage: {error}")
        return 65
    except NewerFormat as error:
        say(f"newer format: {error}")
        return 78
    except Unknown as error:
        say(str(error))
        return 66


if __name__ == "__main__":
    sys.exit(main())
