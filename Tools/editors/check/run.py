"""One editor after the other through all steps."""
import shutil
import signal
import subprocess
import tempfile
import time

from emacs import EmacsEglot, EmacsLSPMode
from kate import Kate
from place import Failure, Place
from steps import STEPS, Run
from vim import Neovim, VimALE, VimLSP

EDITORS = {
    "neovim": Neovim, "emacs-eglot": EmacsEglot, "emacs-lsp-mode": EmacsLSPMode,
    "vim-ale": VimALE, "kate": Kate, "vim-lsp": VimLSP,
}


def check(name, programs, only, keep):
    """Runs the steps with one editor. Returns how many passed and how many failed."""
    folder = tempfile.mkdtemp(prefix=f"editlog-{name}-")
    place = Place(folder, programs)
    editor = EDITORS[name](place)
    run = Run(place, editor, name)
    passed, failed, began = 0, 0, time.monotonic()
    print(f"{editor.version()}", flush=True)
    place.daemon.start()
    try:
        for step, act in STEPS:
            if only and step not in only and step != "open" or step in editor.without:
                continue
            start = time.monotonic()
            try:
                fault = run.take(step, act)
                passed += 1
                verdict = f"equal but for: {fault.reason}" if fault else "equal"
            except (Failure, OSError, subprocess.TimeoutExpired) as failure:
                failed += 1
                verdict = "\n    screen: ".join([f"FAILED: {failure}", *editor.words()])
            print(f"  {step:<18}{time.monotonic() - start:5.1f} s  {verdict}", flush=True)
            if step == "open" and failed or not editor.is_running() and step != STEPS[-1][0]:
                break
            if place.daemon.process.poll() is not None:
                place.daemon.start()
    finally:
        editor.end()
        if place.daemon.process.poll() is None:
            place.daemon.stop(signal.SIGTERM)
    if place.bridge_starts() != editor.starts:
        failed += 1
        print(f"  FAILED: the editor started {editor.starts} times, and the bridge "
              f"{place.bridge_starts()} times: {place.bridges}")
    print(f"  {passed} passed, {failed} failed in {time.monotonic() - began:.1f} s", flush=True)
    if failed or keep:
        print(f"  the files are in {folder}")
    else:
        shutil.rmtree(folder)
    return passed, failed
