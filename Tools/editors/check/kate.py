"""Kate in an X server of its own. It cannot be asked for its buffer: the text compared is the one
that it saves after each step."""
import os
import shutil
import signal
import subprocess

from editor import CONFIGURATIONS, Editor
from place import wait


class Kate(Editor):
    # There are no keys for them.
    without = ("NUL", "line ends", "asked edits")

    def __init__(self, place):
        super().__init__(place)
        self.kate, self.others = None, []
        self.environment = dict(
            place.environment, XDG_RUNTIME_DIR=str(place.folder / "run"), QT_QPA_PLATFORM="xcb",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={place.folder}/run/bus")
        settings = place.folder / "home" / ".config"
        (settings / "kate" / "lspclient").mkdir(parents=True)
        shutil.copy(CONFIGURATIONS / "kate" / "settings.json", settings / "kate" / "lspclient")
        # What a user chooses in dialogs: the plug-in, and that this server may be started.
        command = shutil.which("editlog", path=place.environment["PATH"])
        (settings / "katerc").write_text(
            "[General]\nShow welcome view for new window=false\n"
            "[KTextEditor Document]\nNewline at End of File=false\nRemove Spaces=0\n"
            "[Kate Plugins]\nlspclientplugin=true\n"
            f"[lspclient]\nIncrementalSync=true\nAllowedServerCommandLines={command} lsp\n")

    def version(self):
        answer = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "kate"],
                                stdout=subprocess.PIPE)
        return "Kate " + answer.stdout.decode().split(":")[-1].split("-")[0]

    def spawn(self, *command, **options):
        with open(self.place.folder / "kate.log", "ab") as log:
            return subprocess.Popen(command, env=self.environment, cwd=str(self.place.files),
                                    stderr=log, **options)

    def run(self, *command, **options):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=20, **options).stdout.decode()

    def desktop(self):
        """An X server on a free display, a session bus, and a window manager for the focus."""
        reading, writing = os.pipe()
        self.others.append(self.spawn("Xvfb", "-displayfd", str(writing), "-screen", "0",
                                      "1000x700x24", "-nolisten", "tcp", pass_fds=[writing]))
        os.close(writing)
        with os.fdopen(reading) as displays:
            self.environment["DISPLAY"] = ":" + displays.readline().strip()
        bus = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        self.others.append(self.spawn("dbus-daemon", "--session", "--nofork", "--address=" + bus,
                                      stdout=subprocess.DEVNULL))
        wait((self.place.folder / "run" / "bus").exists, "a session bus")
        self.others.append(self.spawn("ratpoison"))

    def start(self, path):
        if not self.others:
            self.desktop()
        self.starts += 1
        self.kate = self.spawn("kate", "-b", str(path), stdout=subprocess.DEVNULL)
        self.wait_for_title(path.name)

    def wait_for_title(self, name):
        wait(lambda: name in self.run("xdotool", "getwindowfocus", "getwindowname"),
             f"Kate shows {name}")

    def text(self, path):
        return path.read_bytes() if path.exists() else b""

    def keys(self, *names):
        self.run("xdotool", "key", "--delay", "20", *names)

    def write(self, text):
        if text.isascii() and "\t" not in text:
            self.run("xdotool", "type", "--delay", "4", text)
        else:
            # There are no keys for these characters.
            subprocess.run(["xclip", "-selection", "clipboard", "-in"], env=self.environment,
                           input=text.encode("utf-8"), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            self.keys("ctrl+v")

    def add_line(self, text):
        self.keys("ctrl+End")
        self.write(text)
        self.keys("Return", "ctrl+s")

    def extend_last_line(self, text):
        self.keys("ctrl+End")
        self.write(text)
        self.save()

    def change_last_line(self, text):
        self.keys("ctrl+End", "Up", "Home", "Right", "Delete")
        self.write(text)
        self.save()

    def paste(self, text):
        self.keys("ctrl+End")
        self.write(text)
        self.save()

    def undo(self):
        self.keys("ctrl+z", "ctrl+s")

    def redo(self):
        self.keys("ctrl+shift+z", "ctrl+s")

    def replace_all(self, old, new):
        # The bar's fields are filled and its button is pressed by keys.
        self.keys("ctrl+Home", "ctrl+r", "ctrl+a")
        self.write(old)
        self.keys("Tab")
        self.write(new)
        self.keys("alt+a")
        # A key that comes while it replaces ends it.
        self.wait_for_title(" * ")
        self.keys("Escape")
        self.save()

    def delete_all(self):
        self.keys("ctrl+a", "Delete", "ctrl+s")

    def visit(self, path):
        # A second Kate passes the file to the first.
        self.run("kate", "--pid", str(self.kate.pid), str(path))
        self.wait_for_title(path.name)

    def save(self):
        self.keys("ctrl+s")

    def save_as(self, path):
        self.keys("ctrl+shift+s")
        wait(lambda: "Save" in self.run("xdotool", "getwindowfocus", "getwindowname"),
             "the dialog to save")
        self.write(str(path))
        self.keys("Return")
        self.wait_for_title(path.name)

    def reload(self):
        self.keys("F5")

    def quit(self):
        self.keys("ctrl+q")
        wait(lambda: self.kate.poll() is not None, "Kate ended")

    def kill(self):
        self.kate.kill()
        self.kate.wait()

    def is_running(self):
        return self.kate is not None and self.kate.poll() is None

    def end(self):
        for process in [self.kate, *reversed(self.others)]:
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def words(self):
        return [self.run("xdotool", "getwindowfocus", "getwindowname").strip()]
