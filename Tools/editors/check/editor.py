"""What an editor has to be able to do, to be checked."""
import pathlib

from place import wait
from terminal import Terminal

CONFIGURATIONS = pathlib.Path(__file__).resolve().parents[1]
HERE = pathlib.Path(__file__).resolve().parent
ESCAPE = "\x1b"


class Editor:
    """An editor with EditLog's configuration, on a terminal. Methods named after what a writer does
    send keys, and do not wait for their effect unless they say so."""

    # Steps of steps.py that this editor cannot do.
    without = ()
    # True if its configuration tells what is an undo, a redo, a paste.
    tells_origins = False
    def __init__(self, place):
        self.place = place
        self.terminal = None
        self.starts = 0

    # To be defined for each editor.

    def command(self, path):
        """The command line that starts the editor with a file."""
        raise NotImplementedError

    def text(self, path):
        """The buffer of a file as the editor has it, in UTF-8; None if it cannot say (yet)."""
        raise NotImplementedError

    def version(self):
        raise NotImplementedError

    # The same for all editors on a terminal.

    def start(self, path):
        """Starts the editor with a file, and waits until it answers."""
        self.starts += 1
        self.terminal = Terminal(
            self.command(path), self.place.environment, str(self.place.files))
        wait(lambda: self.text(path) is not None, "the editor answers")

    def send(self, keys):
        self.terminal.send(keys)

    def quit(self):
        """Ends the editor without saving, and waits for its end."""
        self.leave()
        wait(self.terminal.has_ended, "the editor ended")

    def kill(self):
        """Ends the editor by SIGKILL."""
        self.terminal.end()

    def end(self):
        """Ends the editor and what was started for it."""
        if self.terminal:
            self.terminal.end()

    def is_running(self):
        return self.terminal is not None and not self.terminal.has_ended()

    def words(self):
        return self.terminal.words() if self.terminal else []
