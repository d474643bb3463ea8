"""Neovim, and Vim with ALE or vim-lsp."""
import json
import os
import socket
import subprocess

from editor import CONFIGURATIONS, ESCAPE, HERE, Editor
from place import Failure, ask, wait


class VimKeys(Editor):
    """The keys of Vim."""

    def ask(self, expression):
        """The value of a Vim expression; None if the editor does not answer (yet)."""
        raise NotImplementedError

    def text(self, path):
        name = "bufnr('" + str(path).replace("'", "''") + "')"
        answer = self.ask(f"[getbufline({name}, 1, '$'), getbufvar({name}, '&eol'), "
                          f"getbufvar({name}, '&ff')]")
        if not answer or not answer[0]:
            return None
        lines, ends, form = answer
        newline = "\r\n" if form == "dos" else "\n"
        # Vim holds NUL as a newline within a line.
        text = newline.join(line.replace("\n", "\0") for line in lines)
        return (text + (newline if ends else "")).encode("utf-8")

    def escape(self):
        # A terminal reads ESC and a key that follows at once as one key with Alt.
        self.send(ESCAPE)
        wait(lambda: self.ask("mode()") == "n", "normal mode")

    def insert(self, keys, text):
        self.send(keys + text.replace("\n", "\r"))
        self.escape()

    def add_line(self, text):
        self.insert("Go", text)

    def extend_last_line(self, text):
        self.insert("GA", text)

    def change_last_line(self, text):
        self.insert("G0ls", text)

    def paste(self, text):
        self.insert("Go", "")
        self.send("A\x1b[200~" + text + "\x1b[201~")
        self.escape()

    def undo(self):
        self.send("u")

    def redo(self):
        self.send("\x12")

    def run(self, command):
        self.send(f":{command}\r")

    def replace_all(self, old, new):
        self.run(f"%s/{old}/{new}/g")

    def delete_all(self):
        self.send("ggdG")

    def visit(self, path):
        self.run(f"e {path}")

    def save(self):
        self.run("w")

    def save_as(self, path):
        self.run(f"saveas {path}")

    def reload(self):
        self.run("e!")

    def use_crlf(self):
        self.run("set ff=dos")

    def type_nul(self):
        self.insert("Go", "a\x16" + "000b")

    def leave(self):
        self.run("qa!")


class Neovim(VimKeys):
    tells_origins = True

    def agent(self, name, line):
        self.run(f"lua editlog.during({{ agent = '{name}' }}, function() "
                 f"vim.api.nvim_buf_set_lines(0, -1, -1, true, {{ '{line}' }}) end)")

    def __init__(self, place):
        super().__init__(place)
        self.program = os.environ.get("NVIM", "nvim")

    def version(self):
        first = subprocess.run([self.program, "--version"], stdout=subprocess.PIPE).stdout
        return first.decode().split("\n")[0].replace("NVIM v", "Neovim ")

    def command(self, path):
        self.socket = self.place.folder / "run" / f"nvim-{self.starts}"
        return [self.program, "--clean", "-n", "-i", "NONE", "--listen", str(self.socket),
                "--cmd", f"source {HERE / 'settings.vim'}",
                "-c", f"luafile {CONFIGURATIONS / 'neovim' / 'editlog.lua'}",
                "-c", f"edit {path}"]

    def ask(self, expression):
        # `--remote-expr` prints shortened what is long.
        out = self.place.folder / "answer"
        answer = ask([self.program, "--server", str(self.socket), "--remote-expr",
                      f"writefile([json_encode({expression})], '{out}')"], self.place.environment)
        return json.loads(out.read_bytes()) if answer == b"0" else None


class Vim(VimKeys):
    """Vim, which is asked over a channel: it connects to a socket of this check."""

    def version(self):
        lines = subprocess.run(["vim", "--version"], stdout=subprocess.PIPE).stdout.decode()
        return lines.split("Vi IMproved ")[-1].split(" ")[0]

    def commands(self):
        """The command lines that load the plug-in and EditLog's configuration."""
        raise NotImplementedError

    def command(self, path):
        name = str(self.place.folder / "run" / f"vim-{self.starts}")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(name)
        self.listener.listen(1)
        self.listener.settimeout(10)
        self.channel = None
        arguments = [word for command in self.commands() for word in ("--cmd", command)]
        return ["vim", "-N", "-n", "-i", "NONE", "-u", str(HERE / "settings.vim"), *arguments,
                "-c", f"let g:asked = ch_open('unix:{name}', {{'mode': 'json'}})",
                "--", str(path)]

    def ask(self, expression):
        if self.channel is None:
            self.channel, _ = self.listener.accept()
            self.channel.settimeout(10)
            self.answers = self.channel.makefile("rb")
        self.channel.sendall(json.dumps(["expr", expression, -1]).encode() + b"\n")
        data = b""
        while True:
            data += self.channel.recv(1 << 20)
            try:
                return json.loads(data)[1]
            except ValueError:
                if not data:
                    raise Failure("Vim closed its channel") from None


class VimALE(Vim):
    without = ("asked edits",)

    def version(self):
        return f"Vim {super().version()} with ALE"

    def commands(self):
        return ["packadd! ale", f"source {CONFIGURATIONS / 'vim-ale' / 'editlog.vim'}"]


class VimLSP(Vim):
    """VIM_LSP names the folder of the plug-in, which Debian does not have."""

    def version(self):
        return f"Vim {super().version()} with vim-lsp"

    def commands(self):
        return [f"set runtimepath^={os.environ['VIM_LSP']}",
                f"source {CONFIGURATIONS / 'vim-lsp' / 'editlog.vim'}"]
