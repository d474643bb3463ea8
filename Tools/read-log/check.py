"""Reads the examples of the articles, and all stores of Tests/EditLogTests/Fixtures.

    check.py ROOT WORK EDITLOG      the project's folder, a folder to work in, the command
"""

import hashlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import read_log

failures = 0


def expect(what, found, expected):
    global failures
    if found == expected:
        print(f"ok {what}")
        return
    failures += 1
    print(f"FAILED {what}")
    print("  found:", *found, sep="\n    ")
    print("  expected:", *expected, sep="\n    ")


# ---------------------------------------------------------------------------- the articles


def code_block(article, sign):
    """The lines of the article's code block that holds `sign`."""
    blocks = re.findall(r"^```\n(.*?)^```", article.read_text(), re.M | re.S)
    return next(block for block in blocks if sign in block).splitlines()


def check_examples(articles):
    lines = code_block(articles / "FileFormat.md", "magic J")
    journal = bytes.fromhex("".join(line[4:53] for line in lines))
    header = read_log.Header(journal, b"J", "the example")
    batch = read_log.Batch.at(journal, 64, header.store)
    first = hashlib.sha256(b"EditLog journal" + header.store).digest()
    found = [len(journal), batch.number, batch.previous]
    expect("the journal in FileFormat", found, [128, 1, first])

    lines = code_block(articles / "Blocks.md", "version 1, from edit 1")
    columns = bytes.fromhex("".join(re.split("  +", line.strip())[0] for line in lines
                                    if re.match("[0-9a-f]{2}", line) or "00 00 00" in line))
    header = read_log.BlockHeader.__new__(read_log.BlockHeader)
    header.first, header.edits, header.events = 1, 7, 0
    header.first_time, header.last_time = 1_000_000_000, 1_600_000_000
    edits = read_log.decode_block(header, columns, "the example", 0)
    expect(
        "the block in Blocks",
        [(edit.location, edit.length, edit.text.decode("utf-16-le")) for edit in edits],
        [(at, 0, letter) for at, letter in enumerate("hello")] + [(4, 1, ""), (3, 1, "")],
    )


# ---------------------------------------------------------------------------- the fixtures


def row_digest(entries):
    digest = hashlib.sha256()
    for entry in entries:
        content = entry.content()
        for part in (entry.meta(content), content):
            digest.update(struct.pack("<Q", len(part)) + part)
    return digest.hexdigest()


def findings(folder):
    """What is found in a store, in the lines of a fixture's `expected`."""
    try:
        store = read_log.Store(folder)
    except read_log.NewerFormat:
        return ["verdict newer"]
    lines, severities = [], {severity for severity, _ in store.findings}
    if store.journals.torn:
        lines.append(f"torn {store.journals.torn}")
    lines += ["journal-damage %d %d %d" % damage for damage in store.journals.damages]
    documents = []
    for document in store.documents:
        read_log.verify_document(document)
        entries = list(document.entries())
        edits = sum(1 for entry in entries if entry.is_edit)
        severities |= {severity for severity, _ in document.findings}
        for damage in document.damages:
            lines.append("history-damage %d %d %d %d %d" % (document.number, *damage))
        documents.append(f"document {document.number} {edits} {len(entries) - edits} "
                         f"{row_digest(entries)} {document.name}")  # fmt: skip
    newer = any(isinstance(error, read_log.NewerFormat) for _, error in store.refused)
    lines += [f"refused {number}" for number, _ in store.refused]
    verdict = "sound"
    if newer:
        verdict = "newer"
    elif "damage" in severities or store.refused:
        verdict = "damaged"
    elif "mended" in severities:
        verdict = "repairable"
    if "unusable" in severities:
        lines.append("an unusable checkpoint")
    return [f"verdict {verdict}"] + lines + documents


def check_log(what, folder, name, editlog):
    """Compares a history with what EditLog prints of it."""
    command = [editlog, "log", "--json", "--store", folder, "--", name]
    theirs = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    command = [sys.executable, read_log.__file__, folder, name]
    ours = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    ours, theirs = ours.splitlines(), theirs.splitlines()
    different = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:1]
    expect(f"{what}: log of {name}", [len(ours), *different], [len(theirs)])


SIDES = [
    [], [[0, 0]], [[2, 1]], [[3, 0], [0, 2]], [[1, 0]], [[0, 3]], [[0, 3, True]],
    [[3, 0], [1, 2, True]],
]  # fmt: skip


def check_selections(work, editlog):
    """A history of edits with every form of selection, in a journal and in a segment."""
    lines = []
    for number in range(200):
        edit = {"actions": ["characters"], "location": number % 3 + min(number, 3),
                "length": 0, "changeInLength": 1, "text": "x"}  # fmt: skip
        if number < 6:
            edit["location"] = number
        at = edit["location"]
        sides = SIDES[number // 7 % 8], SIDES[number // 3 % 8]
        if number % 4 == 0 or number > 120:
            sides = [[at, 0]], [[at, 1, True]] if number % 5 == 0 else [[at + 1, 0]]
        if number > 10 and any(sides):
            edit["selection"] = {
                name: [dict(zip(("location", "length", "reversed"), range)) for range in side]
                for name, side in zip(("before", "after"), sides)
                if side
            }
        lines.append(json.dumps(edit))
    for what, count in [("selections in a journal", 60), ("selections in a segment", 200)]:
        folder = str(work / what.replace(" ", "-"))
        command = [editlog, "append", "--store", folder, "s"]
        text = "\n".join(lines[:count])
        subprocess.run(command, input=text.encode(), stdout=subprocess.DEVNULL, check=True)
        check_log(what, folder, "s", editlog)
        store = read_log.Store(folder)
        for document in store.documents:
            read_log.verify_document(document)
        expect(what, [store.refused, store.findings], [[], []])


def main():
    root, work, editlog = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    check_examples(root / "Sources/EditLogFormat/EditLogFormat.docc")
    for expected in sorted(root.glob("Tests/EditLogTests/Fixtures/*/*/expected")):
        what = "/".join(expected.parts[-3:-1])
        folder = work / "store"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(expected.parent / "store", folder)
        for path in folder.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        folder.chmod(0o700)
        lines = expected.read_text().splitlines()
        expect(what, findings(str(folder)), lines)
        for line in lines:
            number = line.split(" ")[1]
            # EditLog prints no history that lacks something.
            lacks = any(other.startswith(f"history-damage {number} ") for other in lines)
            if line.startswith("document ") and not lacks:
                check_log(what, str(folder), line.split(" ", 5)[5], editlog)
    check_selections(work, editlog)
    return 1 if failures else 0


sys.exit(main())
