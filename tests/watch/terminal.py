#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: [BLESS=1] terminal.py MLSCORE SHIM TESTDATA

Run mlscore watch on pseudo-terminals, and compare the screen, which screen.py computes from the output, with the files
tests/watch/screen-*.  Also check that the terminal is restored, however watch ends.  Times of day are masked.  Print
lines like replay.py."""
import codecs
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import sys
import tempfile
import termios

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from screen import Screen  # pylint: disable=wrong-import-position

MLSCORE, _, TESTDATA = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 120  # seconds after which a test fails


def log(number, lines=None):
    with open(f"{TESTDATA}/slurm/250419104520_{number}.log", "rb") as file:
        return b"".join(file.readlines()[:lines])


def write(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text)


def four_runs(folder):
    """Write logs of four runs: two that have ended, one that trains, and one that initializes."""
    for number, lines in ((1, None), (2, None), (3, 121), (4, 78)):
        write(folder, f"250419104520_{number}.log", log(number, lines))


class Terminal:
    """A running mlscore watch on its own pseudo-terminal."""

    def __init__(self, folder, columns=80, rows=24, arguments=()):
        self.screen = Screen(columns, rows)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(folder)
            environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1"}
            os.execve(MLSCORE, ["mlscore", "watch", "--interval", "0.2", *arguments, "."], environment)
        self.status = None

    def resize(self, columns, rows):
        self.screen.resize(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # mlscore has closed the terminal
            return False
        self.screen.feed(self.decoder.decode(data))
        return bool(data)

    def until(self, what):
        while not what():
            if not self.read():
                raise AssertionError("watch ended:\n" + self.screen.history())

    def shows(self, words):
        self.until(lambda: words in self.screen.text())

    def modes(self):
        """Return whether echo and line editing are on, and the cursor is visible."""
        flags = termios.tcgetattr(self.fd)[3]
        return bool(flags & termios.ECHO), bool(flags & termios.ICANON), self.screen.cursor_shown

    def wait(self, options=0):
        while not options and self.read():
            pass
        self.status = os.waitpid(self.pid, options)[1]
        return self.status

    def kill(self, number):
        os.kill(self.pid, number)


def same(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}:\n{got}\nnot\n{wanted}")


def masked(text):
    text = re.sub(r"\d+:\d\d(:\d\d)?(\.\d)?", lambda match: "#" * len(match.group(0)), text)
    return re.sub(r"(any moment|overdue|#+) \((#+-#+, )?2 runs\)|(any moment|#+) \(#+(-#*)?$", "LEFT", text, flags=re.M)


def block(text):
    """Return the part of the screen that is redrawn, below the lines that stay."""
    return masked(text[text.rfind("llama2"):])


def same_screen(terminal, name):
    """Check that the redrawn part of the screen is as expected, and that nothing else is below the lines that stay."""
    path = os.path.join(HERE, "screen-" + name)
    if os.environ.get("BLESS") and not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(block(terminal.screen.text()))
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    try:
        terminal.until(lambda: block(terminal.screen.text()) == wanted)
    except TimeoutError:
        same("screen", block(terminal.screen.text()), wanted)
    same("strange bytes", terminal.screen.strange, [])


def screens(folder):
    """Test windows of three sizes, and a window that is resized."""
    four_runs(folder)
    for columns, rows in ((80, 24), (120, 40), (40, 10)):
        terminal = Terminal(folder, columns, rows)
        terminal.shows("2 of 10")
        same_screen(terminal, f"{columns}x{rows}")
        terminal.kill(signal.SIGINT)
        same("exit status", os.WEXITSTATUS(terminal.wait()), 0)
    terminal = Terminal(folder, 120, 40)
    for columns, rows in ((120, 40), (80, 24), (40, 10), (120, 40)):
        terminal.resize(columns, rows)
        same_screen(terminal, f"{columns}x{rows}")
    terminal.kill(signal.SIGTERM)
    terminal.wait()


def restored(folder):
    """Test that the cursor is visible and typed text is echoed, however watch ends."""
    four_runs(folder)
    before = (True, True, True)
    # Keep the other side of the terminal open, so that its modes can be checked afterwards.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
        terminal = Terminal(folder)
        keep = os.open(os.readlink(f"/proc/{terminal.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
        terminal.shows("reference")
        same("modes", terminal.modes(), (False, False, False))
        terminal.kill(number)
        terminal.wait(os.WUNTRACED)
        os.set_blocking(terminal.fd, False)
        while terminal.read():
            pass
        same(f"modes after {number}", terminal.modes(), before)
        os.close(keep)


def stopped(folder):
    """Test that Ctrl-Z restores the terminal, and that watch draws again when it is continued."""
    four_runs(folder)
    terminal = Terminal(folder)
    terminal.shows("reference")
    terminal.kill(signal.SIGTSTP)
    status = terminal.wait(os.WUNTRACED)
    same("stopped", os.WIFSTOPPED(status), True)
    os.set_blocking(terminal.fd, False)
    while terminal.read():
        pass
    os.set_blocking(terminal.fd, True)
    same("modes", terminal.modes(), (True, True, True))
    terminal.kill(signal.SIGCONT)
    terminal.until(lambda: terminal.modes() == (False, False, False))
    same_screen(terminal, "80x24")
    os.write(terminal.fd, b"q")
    same("exit status", os.WEXITSTATUS(terminal.wait()), 0)
    same("cursor", terminal.screen.cursor_shown, True)


def last_table(folder):
    """Test that lines above the screen stay, and that the table of scores is printed last."""
    four_runs(folder)
    terminal = Terminal(folder, 100, 40)
    terminal.shows("reference")
    write(folder, "250419104520_3.log", log(3))
    terminal.until(lambda: "success after 1.525 min" in terminal.screen.history())
    os.write(terminal.fd, b"q")
    terminal.wait()
    history = terminal.screen.history()
    same("the table", "of 10 runs: not an official score" in history or "runs, 1 dropped" in history, True)
    same("said once", history.count("success after 1.525 min"), 1)


def hostile(folder):
    """Test that neither a log nor its name can send commands to the terminal."""
    bad = log(7).replace(b"srun: Job", b"srun: \x1b[2J\x1b]0;x\x07\x9b31m\xe2\x80\xae Job")
    write(folder, "a\x1b[31mb.log", bad.replace(b"Exited with", b"\x1b[?25l Exited with"))
    terminal = Terminal(folder, 100, 30)
    terminal.shows("aborted")
    os.write(terminal.fd, b"ff q")
    terminal.wait()
    same("strange bytes", terminal.screen.strange, [])


def narrow(folder):
    """Test a narrow window, in which lines are printed as without a terminal, and which is then made wider."""
    four_runs(folder)
    terminal = Terminal(folder, 39, 60)
    terminal.until(lambda: "run 3 250419104520_3.log: evaluation 0.93658" in terminal.screen.history().replace("\n", ""))
    same("a picture", "2 of 10" in terminal.screen.text(), False)
    terminal.resize(80, 24)
    same_screen(terminal, "80x24")
    os.write(terminal.fd, b"q")
    terminal.wait()


def gone(folder):
    """Test that watch ends if the terminal is closed."""
    four_runs(folder)
    terminal = Terminal(folder)
    terminal.shows("reference")
    os.close(terminal.fd)
    os.waitpid(terminal.pid, 0)


def too_long(_number, _frame):
    raise TimeoutError("what is waited for does not come")


def main():
    signal.signal(signal.SIGALRM, too_long)
    for test in (screens, restored, stopped, last_table, hostile, narrow, gone):
        folder = tempfile.mkdtemp()
        signal.alarm(LIMIT)
        try:
            test(folder)
            print("ok", test.__name__, flush=True)
        except Exception as why:  # pylint: disable=broad-except
            print(f"FAIL {test.__name__}: {type(why).__name__}: {why}".replace("\n", " | "), flush=True)
        finally:
            signal.alarm(0)
            shutil.rmtree(folder)


main()
