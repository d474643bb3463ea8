"""A private daemon and folder for one editor, and waiting."""
import importlib.machinery
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Seconds that a condition may take. It is never a pause: most take milliseconds.
LIMIT = 10


class Failure(Exception):
    """The editor and EditLog differ, or one of them did not do its part in time."""


def wait(condition, what, limit=LIMIT):
    """Returns the condition's first value that is true; fails with `what` after `limit` seconds."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"after {limit} s still not: {what}")
        time.sleep(0.02)


def ask(command, environment):
    """What a command prints that asks an editor; nothing if the editor does not answer in time."""
    try:
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT).stdout.strip()
    except subprocess.TimeoutExpired:
        return b""


def script(name):
    """A Python script of Tools that has no ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "Tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Place:
    """Folders, environment and daemon of one editor; nothing of the user's is read or written."""

    def __init__(self, folder, programs):
        self.folder = pathlib.Path(folder)
        self.files = self.folder / "files"
        self.spool = self.folder / "spool"
        for path in ["files", "home", "tmp", "run", "bin"]:
            (self.folder / path).mkdir(mode=0o700)
        # What editors start: each bridge writes its start, and what it says, to a file.
        self.bridges = self.folder / "bridges.log"
        bridge = self.folder / "bin" / "editlog"
        bridge.write_text(f"#!/bin/sh\nexec 2>>'{self.bridges}'\necho bridge starts >&2\n"
                          f"exec '{programs}/editlog' \"$@\"\n")
        bridge.chmod(0o700)
        self.daemon = script("check-traces").Daemon(str(programs), str(self.folder))
        keep = {name: value for name, value in os.environ.items()
                if name not in ("DISPLAY", "WAYLAND_DISPLAY", "EDITLOG_STORE", "VIMINIT")
                and not name.startswith("XDG_")}
        self.environment = dict(
            keep, PATH=f"{self.folder}/bin:{os.environ['PATH']}", HOME=str(self.folder / "home"),
            TMPDIR=str(self.folder / "tmp"), LANG="C.UTF-8", LC_ALL="C.UTF-8",
            TERM="tmux-256color", NVIM_LOG_FILE=str(self.folder / "nvim.log"), EDITLOG_SOCKET=self.daemon.socket,
            EDITLOG_SPOOL=str(self.spool), EDITLOG_TEXT_FOLDER=str(self.files))

    def write(self, name, text):
        """Writes a file as other programs do: whole, under another name, then renamed."""
        path = self.files / name
        beside = path.with_name(name + ".new")
        beside.write_bytes(text.encode("utf-8"))
        beside.rename(path)
        return path

    def shown(self, path):
        """The newest text that EditLog has of a file; None if it has no such document."""
        answer = self.daemon.editlog("show", str(path), "--socket", self.daemon.socket)
        return answer.stdout if answer.returncode == 0 else None

    def entries(self, path):
        """The edits and events of a file."""
        answer = self.daemon.editlog(
            "log", "--json", str(path), "--socket", self.daemon.socket)
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def edits(self, path):
        """The edits of a file."""
        return [entry for entry in self.entries(path) if "sequence" in entry]

    def origins(self, path):
        """The origins of a file's edits in their order, each once for those in a row."""
        origins = [edit["origin"].replace("removal", "typing") for edit in self.edits(path)]
        return [origin for origin, _ in itertools.groupby(origins)]

    def change(self, verb, path, *options, lines=b""):
        """Changes a document from outside of the editor."""
        command = [f"{self.daemon.programs}/editlog", verb, str(path), *options,
                   "--socket", self.daemon.socket]
        done = subprocess.run(command, input=lines, capture_output=True)
        if done.returncode != 0:
            raise Failure(f"{verb}: {done.stderr.decode()}")
        return done

    def append(self, path, location, length, text):
        """Replaces a range, in UTF-16 units, as another program does."""
        change = len(text.encode("utf-16-le")) // 2 - length
        edit = {"actions": ["characters"], "location": location, "length": length,
                "changeInLength": change, "text": text, "origin": "program"}
        return self.change("append", path, "--author", "agent", lines=json.dumps(edit).encode())

    def authors(self, path):
        """The authors of a document's edits."""
        return [edit["author"] for edit in self.edits(path)]

    def bridge_starts(self):
        """How often an editor has started `editlog lsp`."""
        words = self.bridges.read_text() if self.bridges.exists() else ""
        return words.count("bridge starts\n")

    def spooled(self):
        """The bytes of all edits that wait for a daemon."""
        if not self.spool.exists():
            return b""
        return b"".join(path.read_bytes() for path in sorted(self.spool.iterdir())
                        if path.is_file())
