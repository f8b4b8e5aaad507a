"""Presses keys in a terminal program and measures when its screen shows them.

    python3 keys.py PROGRAM [ARG...] < JOB

JOB is a JSON object: `queries`, which are typed one after the other into `findling tui`, and
`pace`, the milliseconds between keys where they are typed quickly. The output is a JSON object with
milliseconds for each key that is no space:

- `line`: until the first bytes after which the line of the query shows the key.
- `answer`: until the line below it shows the last answer to what was typed.
- `screen`: until the last bytes that change the screen.
- `quick`: as `line`, with a key each `pace` milliseconds, whatever is on the screen.

Each key of the first three waits until the screen is quiet. Needs the standard library only.
"""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

ROWS, COLUMNS = 40, 120
PROMPT = "> "
CLEAR = "\x15"
ESCAPE = "\x1b"
# The text below the query while a better answer is on its way.
WAITING = "more to come"

# The screen is quiet if it has not changed for so long, seconds.
QUIET = 0.2
# How long the program may take to open, to answer a key, and to end.
MAX_OPEN, MAX_ANSWER, MAX_END = 120, 30, 5

SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78M])")


class Screen:
    """The characters of a screen, as far as `findling tui` moves its cursor."""

    def __init__(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rest = ""

    def line(self, row):
        return "".join(self.cells[row]).rstrip()

    def feed(self, data):
        """Takes output. Returns whether it wrote any character."""
        text = self.rest + self.decoder.decode(data)
        self.rest = ""
        at, wrote = 0, False
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if not found:
                    # The rest of the sequence has not come yet.
                    self.rest = text[at:]
                    break
                self.obey(found.group())
                at = found.end()
                continue
            wrote |= self.put(text[at])
            at += 1
        return wrote

    def obey(self, sequence):
        numbers = [int(number) for number in re.findall(r"\d+", sequence)]
        if sequence.endswith("H"):
            self.row, self.column = (numbers + [1, 1])[:2] if numbers else (1, 1)
            self.row, self.column = self.row - 1, self.column - 1
        elif sequence.endswith("J"):
            self.cells = [[" "] * COLUMNS for _ in range(ROWS)]

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
        elif self.row < ROWS and self.column < COLUMNS:
            self.cells[self.row][self.column] = char
            self.column += 1
            return True
        return False


class Program:
    """A program in a terminal of its own."""

    def __init__(self, command):
        self.screen = Screen()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.environ["TERM"] = "xterm-256color"
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)

    def press(self, keys):
        pressed = time.monotonic()
        os.write(self.terminal, keys.encode())
        return pressed

    def read(self, wait):
        """Takes output that comes within `wait` seconds. Returns when it came and whether it wrote;
        `None` without any."""
        if not select.select([self.terminal], [], [], max(0, wait))[0]:
            return None
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:
            data = b""
        came = time.monotonic()
        if not data:
            shown = "\n".join(self.screen.line(row) for row in range(ROWS)).strip()
            raise SystemExit(f"the program has ended, expected it to wait for keys\n{shown}")
        return came, self.screen.feed(data)

    def is_waiting(self):
        return WAITING in self.screen.line(1)

    def settle(self, most, each=lambda came: None, is_done=lambda: True):
        """Takes output until `is_done`, the screen is quiet and the last answer is there. Returns
        when it changed last."""
        began = changed = time.monotonic()
        while True:
            now = time.monotonic()
            is_answered = not self.is_waiting() and self.screen.line(1) and is_done()
            if now - changed >= QUIET and is_answered:
                return changed
            if now - began > most:
                line = self.screen.line(0)
                raise SystemExit(f"no answer after {most} seconds; the first line is `{line}`")
            output = self.read(QUIET)
            if output and output[1]:
                changed = output[0]
                each(changed)

    def end(self):
        """Ends the program, by force if it does not end itself."""
        deadline = time.monotonic() + MAX_END
        try:
            self.press(ESCAPE)
            while time.monotonic() < deadline:
                self.read(0.05)
        except (OSError, SystemExit):
            pass
        os.close(self.terminal)
        while time.monotonic() < deadline:
            if os.waitpid(self.child, os.WNOHANG)[0]:
                return
            time.sleep(0.01)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


def milliseconds(start, end):
    return round((end - start) * 1e3, 3)


def clear(program):
    program.press(CLEAR)
    program.settle(MAX_ANSWER)


def press_one(program, typed, key, times):
    """Presses a key on a quiet screen and waits until it is quiet again."""
    expected = PROMPT + typed + key
    seen = {"line": None, "answer": None, "waiting": False}

    def each(came):
        if seen["line"] is None and program.screen.line(0).startswith(expected):
            seen["line"] = came
        waits = program.is_waiting()
        if seen["waiting"] and not waits:
            seen["answer"] = came
        seen["waiting"] = waits

    pressed = program.press(key)
    is_space = key == " "
    changed = program.settle(MAX_ANSWER, each, lambda: is_space or seen["line"] is not None)
    if is_space:
        return
    times["line"].append(milliseconds(pressed, seen["line"]))
    times["answer"].append(milliseconds(pressed, seen["answer"] or changed))
    times["screen"].append(milliseconds(pressed, changed))


def type_quickly(program, query, pace, times):
    """Presses the keys of a query at a steady pace."""
    pending = []

    def look(came):
        line = program.screen.line(0)
        while pending and line.startswith(PROMPT + pending[0][0]):
            times.append(milliseconds(pending.pop(0)[1], came))

    due = time.monotonic()
    for end in range(1, len(query) + 1):
        pressed = program.press(query[end - 1])
        if query[end - 1] != " ":
            pending.append((query[:end], pressed))
        due += pace / 1e3
        while time.monotonic() < due:
            output = program.read(due - time.monotonic())
            if output:
                look(output[0])
    program.settle(MAX_ANSWER, look, lambda: not pending)


def main():
    job = json.load(sys.stdin)
    times = {"line": [], "answer": [], "screen": [], "quick": []}
    # Signals that end this script also end the program.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    program = Program(sys.argv[1:])
    try:
        program.settle(MAX_OPEN)
        for query in job["queries"]:
            for end in range(len(query)):
                press_one(program, query[:end], query[end], times)
            clear(program)
        for query in job["queries"]:
            type_quickly(program, query, job["pace"], times["quick"])
            clear(program)
    finally:
        program.end()
    json.dump(times, sys.stdout)


if __name__ == "__main__":
    main()
