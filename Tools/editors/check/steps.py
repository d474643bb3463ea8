"""The steps, the same for every editor. After each the editor's buffer is EditLog's text."""
import random
import signal

from faults import FAULTS
from place import Failure, wait

ESSAY = "# Keys\n\nAn editor sends what is typed.\nA log keeps it, in order.\n"
LINES = "".join(f"Line {number} of a paste: tabs\tand \"quotes\", \\ and %s.\n"
                for number in range(1, 51))
# A text, and a word that replaces its second character.
PLANES = [
    ("emoji \U0001F469\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466 \U0001F44D\U0001F3FD.", "p1"),
    ("\U0001F1E9\U0001F1EA\U0001F1EF\U0001F1F5 flags.", "p2"),
    ("\U0002000B\U00020B9F\U00021D45 \u6F22\u5B57.", "p3"),
    ("e\u0301 a\u0323\u0308 and \u0915\u094D\u0937\u0924\u094D\u0930\u093F\u092F.", "p4"),
    ("\u05E9\u05DC\u05D5\u05DD and \u0645\u0631\u062D\u0628\u0627.", "p5"),
]


class Run:
    """One editor's way through the steps."""

    def __init__(self, place, editor, name):
        self.place, self.editor, self.name, self.file = place, editor, name, None

    def take(self, step, act):
        """Takes one step. Returns the fault of the client that made its texts differ, if any."""
        self.step, self.fault = step, None
        act(self)
        return self.fault

    def text(self, path=None):
        return self.editor.text(path or self.file)

    def until(self, condition, what):
        """Waits until the buffer's text satisfies a condition."""
        def satisfied():
            text = self.text()
            return text is not None and condition(text)
        wait(satisfied, f"the buffer has {what}")

    def until_typed(self, marker):
        self.until(lambda text: marker.encode("utf-8") in text, repr(marker))

    def agree(self, *paths):
        """Waits until EditLog shows the buffers' texts, to the byte."""
        for path in paths or [self.file]:
            self.same(path, "the editor's buffer", lambda: self.text(path), "buffer")

    def agree_with_file(self):
        """Waits until EditLog shows the text of the file that the editor saved."""
        self.same(self.file, "the saved file", self.file.read_bytes, "file")

    def same(self, path, name, read, kind):
        fault = FAULTS.get((self.name, self.step))
        reached = {}

        def equal():
            text, shown = read(), self.place.shown(path)
            reached.update(text=text, shown=shown)
            if text is None or shown is None or text == shown:
                return text is not None and text == shown
            if fault and getattr(fault, kind)(text) == shown:
                self.fault = fault
                return True
            return False
        try:
            wait(equal, "")
        except Failure:
            raise Failure(difference(path, reached["text"], name,
                                     reached["shown"], "editlog show")) from None

    def visit(self, path):
        self.file = path
        self.editor.visit(path)
        wait(lambda: self.text() is not None, f"{path.name} is open")

    def open(self, name, text):
        """Opens a new file with this text."""
        self.visit(self.place.write(name, text))
        self.agree()

    def repeat_until(self, wanted, act):
        """Presses a key until the buffer is the wanted text."""
        for _ in range(60):
            before = self.text()
            if before == wanted:
                return
            act()
            self.until(lambda text: text != before, "changed")
        raise Failure("60 presses did not lead to the text")


def difference(path, one, name, other, other_name):
    """Where two texts differ first, in words."""
    if one is None or other is None:
        missing = name if one is None else other_name
        return f"{path}: {missing} has no such document"
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    line = one[:at].count(b"\n") + 1
    return (f"{path}: the texts differ from byte {at} on, in line {line}\n"
            f"    {name} ({len(one)} bytes): {one[max(0, at - 20):at + 40]!r}\n"
            f"    {other_name} ({len(other)} bytes): {other[max(0, at - 20):at + 40]!r}")


def open_file(run):
    run.file = run.place.write("essay.txt", ESSAY)
    run.editor.start(run.file)
    run.agree()


def typing(run):
    for number in (1, 2, 3):
        run.editor.add_line(f"Typed sentence {number}, with a comma.")
        run.until_typed(f"sentence {number}, with a comma.")
    run.agree()


def undo(run):
    run.typed = run.text()
    run.repeat_until(ESSAY.encode("utf-8"), run.editor.undo)
    run.agree()


def redo(run):
    run.repeat_until(run.typed, run.editor.redo)
    run.agree()


def paste(run):
    run.editor.paste(LINES)
    run.until_typed("Line 50 of a paste")
    run.agree()


def origins(run):
    """The log has the origins of the steps so far, if the editor's hooks tell them."""
    if not run.editor.tells_origins:
        return
    reached = []

    def told():
        reached[:] = run.place.origins(run.file)
        # A line may be opened before the paste.
        return reached in (["load", "typing", "undo", "redo", "paste"],
                           ["load", "typing", "undo", "redo", "typing", "paste"])
    try:
        wait(told, "the origins")
    except Failure:
        raise Failure(f"the origins are {reached}") from None
    run.editor.agent("helper", "This line is by an agent.")
    run.until_typed("by an agent.")
    run.agree()
    last = run.place.edits(run.file)[-1]
    if (last["origin"], last["author"]) != ("program", "helper"):
        raise Failure(f"the agent's edit is {last}")
    run.editor.add_line("This one is not.")
    run.until_typed("is not.")
    run.agree()
    last = run.place.edits(run.file)[-1]
    if last["origin"] != "typing" or last["author"] == "helper":
        raise Failure(f"the edit after the agent's is {last}")


def replace_all(run):
    run.editor.replace_all("paste", "\U0001F4CB board")
    run.until(lambda text: b" paste" not in text, "no 'paste'")
    run.agree()
    before = run.text()
    run.editor.undo()
    run.until(lambda text: text != before, "changed")
    run.agree()


def planes(run):
    for text, word in PLANES:
        run.editor.add_line(text)
        run.until_typed(text[-6:])
        run.editor.change_last_line(word)
        run.until_typed(word)
    run.agree()


def delete_all(run):
    run.open("delete.txt", ESSAY)
    run.editor.delete_all()
    run.until(lambda text: len(text) <= 1, "no text")
    run.agree()
    run.editor.add_line("After all was deleted.")
    run.until_typed("was deleted.")
    run.agree()


def empty_file(run):
    run.open("empty.txt", "")
    run.editor.add_line("The first line.")
    run.until_typed("first line.")
    run.agree()


def new_file(run):
    run.visit(run.place.files / "new.txt")
    run.editor.add_line("A file that was not there.")
    run.until_typed("was not there.")
    run.agree()
    run.editor.save()
    wait(run.file.exists, "the file is saved")
    run.agree()
    run.agree_with_file()


def crlf(run):
    run.open("crlf.txt", ESSAY.replace("\n", "\r\n"))
    run.editor.add_line("A line of a CR LF file.")
    run.until_typed("CR LF file.")
    run.agree()
    save(run, "CR LF file.")


def no_newline(run):
    run.open("no-newline.txt", ESSAY + "no end")
    run.editor.extend_last_line(" of the line")
    run.until_typed("no end of the line")
    run.agree()
    save(run, "no end of the line")


def save(run, marker):
    run.editor.save()
    wait(lambda: marker.encode("utf-8") in run.file.read_bytes(), "the file is saved")
    run.agree()
    run.agree_with_file()


def two_buffers(run):
    one, two = (run.place.write(name, ESSAY) for name in ("one.txt", "two.txt"))
    for number in (1, 2, 3):
        for path in (one, two):
            run.visit(path)
            run.editor.add_line(f"Turn {number} of {path.name}.")
            run.until_typed(f"Turn {number} of {path.name}.")
    run.agree(one, two)


def changed_on_disk(run):
    run.open("disk.txt", ESSAY)
    run.place.write("disk.txt", "Another program was here.\n" + ESSAY)
    run.editor.reload()
    run.until_typed("Another program")
    run.agree()
    run.editor.add_line("After the reload.")
    run.until_typed("the reload.")
    run.agree()


def save_as(run):
    run.open("before.txt", ESSAY)
    run.editor.add_line("Saved under another name.")
    run.until_typed("another name.")
    run.agree()
    before, text = run.file, run.text()
    run.file = run.place.files / "after.txt"
    run.editor.save_as(run.file)
    wait(run.file.exists, "the file has the new name")
    run.editor.add_line("Typed under the new name.")
    run.until_typed("new name.")
    run.agree()
    # The old document stays, and the new one says where it comes from.
    if run.place.shown(before) != text:
        raise Failure(f"{before}: the old document has not kept its text")
    sources = [entry["from"] for entry in run.place.entries(run.file)
               if entry.get("event") == "copied"]
    if sources != [before.as_uri()]:
        raise Failure(f"{run.file} is a copy of {sources}, not of {before}")


def line_ends(run):
    run.open("ends.txt", ESSAY)
    run.editor.use_crlf()
    save(run, "\r\n")


def nul(run):
    run.open("nul.txt", ESSAY)
    run.editor.type_nul()
    run.until_typed("a\0b")
    run.agree()


def many_lines(run):
    run.open("lines.txt", "A line of many, many lines.\n" * 200)
    before = run.text()
    run.editor.replace_all("many", "\U0001F600 more")
    run.until(lambda text: b"many" not in text, "no 'many'")
    run.agree()
    run.repeat_until(before, run.editor.undo)
    run.agree()


def editor_killed(run):
    run.open("crash.txt", ESSAY)
    run.editor.add_line("Typed, and never saved.")
    run.until_typed("never saved.")
    run.agree()
    run.editor.kill()
    run.editor.start(run.file)
    # The editor has the file again, without what was typed; the log keeps it in its history.
    run.agree()
    run.editor.add_line("Typed after the crash.")
    run.until_typed("after the crash.")
    run.agree()


def daemon_killed(run):
    run.open("killed.txt", ESSAY)
    run.editor.add_line("Typed before the kill.")
    run.until_typed("before the kill.")
    run.place.daemon.stop(signal.SIGKILL)
    run.editor.add_line("Typed while no daemon runs.")
    run.until_typed("no daemon runs.")
    run.place.daemon.start()
    run.agree()
    run.editor.add_line("Typed after the start.")
    run.until_typed("after the start.")
    run.agree()


def spool_delivered(run):
    run.open("spool.txt", ESSAY)
    run.place.daemon.stop(signal.SIGKILL)
    run.editor.paste("The last words, which no daemon hears.\n")
    run.until_typed("no daemon hears.")
    wait(lambda: b"no daemon hears." in run.place.spooled(), "the edit is in the spool")
    last = run.text()
    run.editor.quit()
    # The daemon delivers what is in the spool; no editor runs.
    run.place.daemon.start()
    wait(lambda: run.place.shown(run.file) == last, "the spool is delivered")
    wait(lambda: run.place.spooled() == b"", "the spool is empty")
    run.file = run.place.write("next.txt", ESSAY)
    run.editor.start(run.file)
    run.agree()


def asked_edits(run):
    """Edits from elsewhere are made by the editor, at places that each unit of columns tells apart."""
    run.open("asked.txt", "One \U0001F469\u200D\U0001F469, two.\nThree, and no more.\n")
    for location, length, text in [(0, 0, "Zero. "), (16, 3, "2\U0001F600"), (20, 0, "\nA line."),
                                   (4, 1, "")]:
        run.place.append(run.file, location, length, text)
        run.agree()
    asked = run.text()
    run.place.change("undo", run.file)
    run.until(lambda text: text != asked, "the text before the last edit")
    run.agree()
    run.place.change("redo", run.file)
    run.until(lambda text: text == asked, "the last edit again")
    run.agree()
    run.editor.add_line("Typed after the edits.")
    run.until_typed("after the edits.")
    run.agree()
    authors = run.place.authors(run.file)
    if authors.count("agent") != 4:
        raise Failure(f"4 edits of the agent are expected, but their authors are {authors}")


def undo_of_anything(run):
    """Undo, redo and undo of selections go through the editor, among what is typed in it, also at the
    last newline, of which Neovim can only report that it stays."""
    run.open("selections.txt", "One line by the file.\n")
    chosen = random.Random(13)
    for turn in range(12):
        location = chosen.randrange(len("One line by the file."))
        run.place.append(run.file, location, 0, f"[{turn}]")
        run.agree()
        if turn % 2 == 0:
            run.editor.add_line(f"Turn {turn} is typed.")
        else:
            run.editor.extend_last_line(f" Turn {turn} is typed.")
        run.until_typed(f"Turn {turn} is typed.")
        run.agree()
        before = run.text()
        verb, *options = chosen.choice([
            ["undo"], ["undo", "--author", "agent"], ["undo", "--origin", "typing"]])
        run.place.change(verb, run.file, *options)
        run.until(lambda text: text != before, f"changed after {verb} {options}")
        run.agree()
        after = run.text()
        if "agent" in options and b"[" in after:
            raise Failure(f"text of the agent is left: {after}")
        run.place.change("redo", run.file)
        run.until(lambda text: text == before, "the text before the undo again")
        run.agree()


def quit_at_once(run):
    run.editor.add_line("Saved, and the editor ended at once.")
    run.until_typed("at once.")
    run.editor.save()
    wait(lambda: b"at once." in run.file.read_bytes(), "the file is saved")
    run.editor.quit()
    run.agree_with_file()
    verified = run.place.daemon.editlog("verify", "--socket", run.place.daemon.socket)
    # 1: a torn write that was never acknowledged was moved to quarantine.
    if verified.returncode > 1:
        raise Failure(f"verify: {verified.stdout.decode()}{verified.stderr.decode()}")


STEPS = [
    ("open", open_file), ("typing", typing), ("undo", undo), ("redo", redo), ("paste", paste),
    ("origins", origins),
    ("replace all", replace_all), ("every plane", planes), ("delete all", delete_all),
    ("empty file", empty_file), ("new file", new_file), ("CR LF file", crlf),
    ("no final newline", no_newline), ("two buffers", two_buffers),
    ("changed on disk", changed_on_disk), ("save as", save_as), ("line ends", line_ends),
    ("NUL", nul), ("many lines", many_lines), ("editor killed", editor_killed),
    ("daemon killed", daemon_killed), ("asked edits", asked_edits),
    ("undo of anything", undo_of_anything), ("spool delivered", spool_delivered),
    ("quit at once", quit_at_once),
]
