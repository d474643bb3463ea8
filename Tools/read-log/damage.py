"""Changes bytes in stores, makes all checksums good again, and compares two readers.

    damage.py ROOT WORK EDITLOG [SEED [COUNT]]

What is left to refuse is what the articles say of columns and records. Both readers must print
the same lines of such a store, or both must refuse.
"""

import pathlib
import random
import shutil
import struct
import subprocess
import sys

import read_log

CHAIN = b"the chain cannot be checked"


def checksum(data, before=0):
    return struct.pack("<I", read_log.crc32c(data, before))


def change(random, data):
    """Changes one or two bytes, most often near the front; where, and what they are now."""
    changes = []
    for _ in range(random.choice([1, 1, 2])):
        at = random.randrange(min(len(data), random.choice([60, 400, 1 << 30])))
        old = data[at]
        new = [old ^ 1 << random.randrange(8), random.randrange(256), old + 1 & 255, old - 1 & 255]
        data[at] = random.choice(new)
        changes.append((at, data[at]))
    return changes


def change_segment(random, folder):
    """Changes the columns of a block; the blocks become plain ones, without parity."""
    store = read_log.Store(str(folder))
    document = random.choice(store.documents)
    segment = document.segments[0]
    blocks, context, at = [], [], 64
    for header in segment.blocks:
        context = context if header.flags & 2 else []
        payload = segment.data[at + 64 : at + 64 + header.payload]
        prefix = b"".join(context)
        context.append(read_log.block_columns(header, payload, prefix, segment.place, at))
        blocks.append((header, bytearray(context[-1])))
        at += 64 + header.payload
    changes = change(random, random.choice(blocks)[1])
    data, headers = segment.data[:64], b""
    for old, columns in blocks:
        header = old.bytes[:32] + struct.pack("<QQ", len(columns), len(columns))
        header += 2 * checksum(columns) + struct.pack("<I", 1)
        header += checksum(header)
        headers += header
        data += header + columns
    sections = {kind: cursor.data for kind, cursor in segment.footer.sections.items()}
    sections[2] = read_log.varint(len(blocks)) + headers
    footer = struct.pack("<I", len(sections))
    for kind, section in sections.items():
        footer += struct.pack("<IQ", kind, len(section)) + section
    trailer = b"\x89ELF\r\n\x1a\n" + struct.pack("<QQ", len(data), len(footer)) + checksum(footer)
    path = folder / segment.place
    path.write_bytes(data + footer + trailer + checksum(trailer))
    return [document.name], f"{segment.place}: {changes}"


def change_journal(random, folder):
    """Changes the body of a batch; the batches are rechained."""
    path = next((folder / "journal").iterdir())
    data = path.read_bytes()
    store, at, batches = data[24:40], 64, []
    while batch := read_log.Batch.at(data, at, store):
        batches.append((batch, bytearray(batch.body)))
        at = batch.end
    changes = change(random, random.choice([body for _, body in batches if body]))
    out, previous = data[:64], batches[0][0].previous
    for batch, body in batches:
        header = data[batch.start : batch.start + 24] + previous + checksum(body)
        header += checksum(header, read_log.crc32c(store))
        previous = read_log.sha256(header, body)
        out += header + body
    path.write_bytes(out)
    return ["essay", "third"], f"{path.name}: {changes}"


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def same(folder, name, editlog):
    """Whether both readers read a history, or both refuse it; and whether they read it."""
    theirs = run(editlog, "log", "--json", "--store", folder, "--", name)
    ours = run(sys.executable, read_log.__file__, folder, name)
    if b"Traceback" in ours.stderr:
        return False, False
    if theirs.stdout and b"may lack edits" in theirs.stderr:
        incomplete = b"incomplete: " in ours.stderr
        statuses = (ours.returncode, theirs.returncode)
        return incomplete and statuses == (65, 65) and ours.stdout == theirs.stdout, True
    refuses = ours.returncode != 0
    if folder.name == "sealed":  # That the chain does not hold any more is not asked for.
        refuses = b"columns: byte" in ours.stderr
    elif CHAIN in ours.stderr:
        refuses = ours.stderr.count(b"damage: ") > 1
    if refuses or theirs.returncode != 0:
        return refuses == (theirs.returncode != 0), False
    return ours.stdout == theirs.stdout, True


def main():
    root, work, editlog = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 40
    chance, outcomes = random.Random(seed), {True: 0, False: 0}
    for number in range(count):
        fixture = ["sealed", "journal"][number % 2]
        change_store = [change_segment, change_journal][number % 2]
        folder = work / fixture
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(root / "Tests/EditLogTests/Fixtures/v1.1" / fixture / "store", folder)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o700 if path.is_dir() else 0o600)
        names, what = change_store(chance, folder)
        for name in names:
            agree, read = same(folder, name, editlog)
            outcomes[read] += 1
            if not agree:
                print(f"FAILED with seed {seed}: the readers differ on {name} after {what}")
                return 1
    print(f"ok damage: {outcomes[True]} read and {outcomes[False]} refused by both, seed {seed}")
    return 0


sys.exit(main())
