"""Known faults: what differs, and why. All but one are faults of clients.

Each is a change that turns the editor's text into the one that EditLog has. So a step with a fault
still compares every byte, and fails if anything else differs.
"""
import collections

Fault = collections.namedtuple("Fault", ["reason", "buffer", "file"])


def same(text):
    return text


def lf(text):
    return text.replace(b"\r\n", b"\n")


def without_last_newline(text):
    return text[:-1] if text.endswith(b"\n") else text


def with_last_newline(text):
    return text if text.endswith(b"\n") else text + b"\n"


EMACS_LF = Fault("Emacs sends LF, and writes CR LF to the file", same, lf)
VIM_LF = Fault("the plug-in sends every line end as LF", lf, lf)
VIM_LAST_NEWLINE = Fault(
    "the plug-in sends a final newline that the buffer has not", with_last_newline, same)
VIM_NUL = Fault(
    "the plug-in sends NUL as a newline", lambda text: text.replace(b"\0", b"\n"), same)
VIM_FIXEOL = "Vim adds a newline to the file as it saves, and not to its buffer"

FAULTS = {
    ("neovim", "no final newline"): Fault(VIM_FIXEOL, same, without_last_newline),
    ("neovim", "line ends"): Fault("Neovim does not tell a change of 'fileformat'", lf, lf),
    ("neovim", "NUL"): Fault(
        "Neovim 0.7 counts columns wrongly after a NUL",
        lambda text: text.replace(b"a\0b", b"ab\0"), lambda text: text.replace(b"a\0b", b"ab\0")),
    ("emacs-eglot", "CR LF file"): EMACS_LF,
    ("emacs-eglot", "line ends"): EMACS_LF,
    ("emacs-lsp-mode", "CR LF file"): EMACS_LF,
    ("emacs-lsp-mode", "line ends"): EMACS_LF,
    ("vim-ale", "CR LF file"): VIM_LF,
    ("vim-ale", "line ends"): VIM_LF,
    ("vim-ale", "no final newline"): VIM_LAST_NEWLINE,
    ("vim-ale", "NUL"): VIM_NUL,
    ("kate", "CR LF file"): Fault("Kate sends LF, and writes CR LF to the file", lf, lf),
    # A fault of EditLog: the text before a save is not kept when the daemon ends.
    ("kate", "daemon killed"): Fault(
        "Kate sends changes after the save that held them; a daemon that started in between makes "
        "them twice, until the next save",
        lambda text: text + b"Typed before" + text.partition(b"Typed before")[2], same),
    ("vim-lsp", "CR LF file"): VIM_LF,
    ("vim-lsp", "line ends"): VIM_LF,
    ("vim-lsp", "no final newline"): VIM_LAST_NEWLINE,
    ("vim-lsp", "NUL"): VIM_NUL,
    ("vim-lsp", "changed on disk"): Fault(
        "vim-lsp does not tell `:edit!`; its next change is the whole text",
        lambda text: text.replace(b"Another program was here.\n", b""), same),
}
