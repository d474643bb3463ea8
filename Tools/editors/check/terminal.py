"""A program on a pseudo-terminal of its own."""
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time

from place import wait


class Terminal:
    def __init__(self, arguments, environment, folder):
        self.drawn = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(folder)
                os.execvpe(arguments[0], arguments, environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        # A program whose terminal is not read stops at its next output.
        while True:
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                return
            self.drawn = (self.drawn + data)[-8000:]

    def send(self, text):
        """Sends keys, as the bytes of a terminal."""
        data = text.encode("utf-8")
        while data:
            data = data[os.write(self.descriptor, data[:256]):]

    def words(self):
        """The last words on the screen, for a report."""
        plain = re.sub(rb"\x1b(\[[^@-~]*[@-~]|\][^\x07\x1b]*\x07?|[()].|.)", b"\n", self.drawn)
        lines = [line.strip() for line in plain.decode("utf-8", "replace").split("\n")]
        return [line for line in lines if len(line) > 12][-8:]

    def has_ended(self):
        if self.pid is None:
            return True
        if os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            return False
        self.pid = None
        os.close(self.descriptor)
        return True

    def end(self):
        """Ends the program, if it still runs."""
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
            wait(self.has_ended, "the editor ended by SIGKILL")
