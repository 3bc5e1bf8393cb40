# SPDX-License-Identifier: Apache-2.0
"""A terminal emulator with the functions that mlscore watch uses: it converts output to the contents of a screen."""
import re

TOKEN = re.compile(r"\x1b\[([?]?)([0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+|.", re.S)


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [""] * rows
        self.above = []  # lines that were scrolled off the top of the screen
        self.x = self.y = 0
        self.cursor_shown = True
        self.strange = []  # escape sequences that watch must not send
        self.rest = ""  # beginning of an escape sequence whose rest was not read yet

    def resize(self, columns, rows):
        """Resize the screen like xterm: lines are truncated, and lines that do not fit are lost."""
        self.columns = columns
        while rows < len(self.lines):
            if self.y < len(self.lines) - 1:
                self.lines.pop()
            else:
                self.above.append(self.lines.pop(0))
                self.y -= 1
        self.lines += [""] * (rows - len(self.lines))
        self.rows = rows
        self.lines = [line[:columns] for line in self.lines]
        self.x = min(self.x, columns - 1)

    def put(self, text):
        for character in text:
            if ord(character) < 32 or ord(character) == 127:
                self.strange.append(character)
                continue
            if self.x >= self.columns:
                self.x = 0
                self.line_feed()
            line = self.lines[self.y].ljust(self.x)
            self.lines[self.y] = line[: self.x] + character + line[self.x + 1 :]
            self.x += 1

    def line_feed(self):
        if self.y == self.rows - 1:
            self.above.append(self.lines.pop(0))
            self.lines.append("")
        else:
            self.y += 1

    def control(self, private, numbers, final):
        count = int(numbers.split(";")[0] or 0)
        if private:
            if numbers == "25":
                self.cursor_shown = final == "h"
            elif numbers not in ("2026", "1049"):
                self.strange.append(numbers + final)
        elif final == "A":
            self.y = max(0, self.y - max(count, 1))
        elif final == "B":
            self.y = min(self.rows - 1, self.y + max(count, 1))
        elif final == "H":
            self.x = self.y = 0
        elif final == "K":
            self.lines[self.y] = self.lines[self.y][: self.x]
        elif final == "J":
            self.lines[self.y] = self.lines[self.y][: self.x]
            for i in range(self.y + 1, self.rows):
                self.lines[i] = ""
        elif final != "m":
            self.strange.append(numbers + final)

    def feed(self, data):
        data = self.rest + data
        self.rest = re.search("(\x1b(\\[[?0-9;]*)?)?$", data).group(0)
        data = data[: len(data) - len(self.rest)]
        for token in TOKEN.finditer(data):
            text = token.group(0)
            if token.group(3):
                self.control(*token.groups())
            elif text == "\r":
                self.x = 0
            elif text == "\n":
                self.line_feed()
            elif text == "\x1b":
                self.strange.append(text)
            else:
                self.put(text)

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip() + "\n"

    def history(self):
        return "\n".join(line.rstrip() for line in self.above + self.lines)
