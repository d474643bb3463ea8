"""Emacs with eglot or lsp-mode, on a terminal."""
import subprocess

from editor import CONFIGURATIONS, ESCAPE, HERE, Editor
from place import ask


def quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Emacs(Editor):
    tells_origins = True
    configuration = ""
    package = ""

    def version(self):
        first = subprocess.run(["emacs", "--version"], stdout=subprocess.PIPE).stdout.decode()
        lisp = (f"(progn (require 'package) (package-initialize) (princ (package-desc-version "
                f"(cadr (assq '{self.package} package-alist)))))")
        answer = subprocess.run(["emacs", "--batch", "--eval", lisp],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        number = answer.stdout.decode().strip("()").replace(" ", ".")
        return f"{first.split(chr(10))[0].replace('GNU ', '')} with {self.package} {number}"

    def command(self, path):
        self.socket = self.place.folder / "run" / f"emacs-{self.starts}"
        # There is no init file in the private home; `-q` would also leave Debian's packages out.
        return ["emacs", "-nw", "--no-splash", "-l", str(HERE / "settings.el"),
                "-l", str(CONFIGURATIONS / self.configuration),
                "--eval", f"(check-listen {quoted(self.socket)})", str(path)]

    def text(self, path):
        out = self.place.folder / "buffer"
        answer = ask(["emacsclient", "-s", str(self.socket), "--eval",
                      f"(check-write {quoted(path)} {quoted(out)})"], self.place.environment)
        return out.read_bytes() if answer == b"t" else None

    def add_line(self, text):
        self.send(ESCAPE + ">" + text.replace("\n", "\r") + "\r")

    def extend_last_line(self, text):
        self.send(ESCAPE + ">" + text)

    def change_last_line(self, text):
        # Up, start, right, delete.
        self.send(ESCAPE + ">\x10\x01\x06\x04" + text)

    def paste(self, text):
        self.send(ESCAPE + ">\x1b[200~" + text + "\x1b[201~")

    def agent(self, name, line):
        self.send(ESCAPE + ">")
        self.run("eval-expression",
                 f"(editlog-during '(:agent \"{name}\") #'insert \"{line}\\n\")")

    def undo(self):
        self.send("\x1f")

    def redo(self):
        self.send(ESCAPE + "\x1f")

    def run(self, command, *answers):
        self.send(ESCAPE + "x" + "\r".join([command, *answers]) + "\r")

    def replace_all(self, old, new):
        self.send(ESCAPE + "<")
        self.run("replace-string", old, new)

    def delete_all(self):
        self.send("\x18h\x17")

    def visit(self, path):
        self.send(f"\x18\x06{path}\r")

    def save(self):
        self.send("\x18\x13")

    def save_as(self, path):
        self.send(f"\x18\x17{path}\r")

    def reload(self):
        self.run("revert-buffer-quick")

    def use_crlf(self):
        self.send("\x18\rfdos\r")

    def type_nul(self):
        self.send(ESCAPE + ">a\x11\x00b\r")

    def leave(self):
        self.run("kill-emacs")


class EmacsEglot(Emacs):
    configuration = "emacs-eglot/editlog.el"
    package = "eglot"


class EmacsLSPMode(Emacs):
    configuration = "emacs-lsp-mode/editlog-lsp.el"
    package = "lsp-mode"
