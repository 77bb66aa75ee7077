#!/usr/bin/env python3
"""A terminal's screen, with its colours, as an SVG: reads what `tmux capture-pane -p -e` writes.

Only what such a screen has is understood: SGR sequences with the 16 colours, the 256 and all of
them; bold, dim, italic, underlined and reverse.
"""

import re
import sys
import unicodedata
from html import escape

NBSP = "\u00a0"  # Blanks side by side would become one.
CELL = (8.4, 18)  # Width and height of a letter of 14 px.
MARGIN = 12
PLAIN, GROUND = "#d8dee9", "#14171c"
BASIC = [
    "#2b303b", "#e06c75", "#8fbf6f", "#e5c07b", "#61a5ef", "#c678dd", "#56b6c2", "#c8ccd4",
    "#6b7280", "#ff7b86", "#a8d884", "#ffd68a", "#7fbbff", "#dc93f0", "#72d3df", "#ffffff",
]


def colour(n):
    """One of the 256 colours of xterm."""
    if n < 16:
        return BASIC[n]
    if n < 232:
        n -= 16
        steps = [0, 95, 135, 175, 215, 255]
        return "#%02x%02x%02x" % (steps[n // 36], steps[n // 6 % 6], steps[n % 6])
    return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)


class Style:
    def __init__(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.italic = self.underline = self.reverse = False

    def take(self, codes):
        codes = [int(code or 0) for code in codes.replace(":", ";").split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 2, 3, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (23, 24, 27):
                setattr(self, {23: "italic", 24: "underline", 27: "reverse"}[code], False)
            elif code in (38, 48):
                kind = codes.pop(0)
                if kind == 5:
                    value = colour(codes.pop(0))
                else:
                    value = "#%02x%02x%02x" % tuple(codes[:3])
                    del codes[:3]
                setattr(self, "fg" if code == 38 else "bg", value)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = BASIC[code % 10 + (8 if code >= 90 else 0)]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = BASIC[code % 10 + (8 if code >= 100 else 0)]
            elif code == 39:
                self.fg = None
            elif code == 49:
                self.bg = None

    def key(self):
        fg, bg = self.fg or PLAIN, self.bg or GROUND
        if self.reverse:
            fg, bg = bg, fg
        return fg, bg, self.bold, self.dim, self.italic, self.underline


def cells(lines):
    """(row, column, width, text, style) of every stretch of one look."""
    style = Style()
    for row, line in enumerate(lines):
        column, start, text, key = 0, 0, "", style.key()
        for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
            if part.startswith("\x1b["):
                if text:
                    yield row, start, column - start, text, key
                style.take(part[2:-1])
                start, text, key = column, "", style.key()
                continue
            for letter in re.sub(r"\x1b[^m]*", "", part):
                text += letter
                column += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if text:
            yield row, start, column - start, text, key


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    found = list(cells(lines))
    columns = max((start + width for _, start, width, _, _ in found), default=80)
    across, down = CELL
    width, height = columns * across + 2 * MARGIN, len(lines) * down + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
          f'width="{width:.0f}" height="{height:.0f}" font-size="14" '
          'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">')
    print(f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>')
    for row, start, wide, text, (fg, bg, bold, dim, italic, underline) in found:
        x, y = MARGIN + start * across, MARGIN + row * down
        if bg != GROUND:
            print(f'<rect x="{x:.1f}" y="{y}" width="{wide * across:.1f}" height="{down}" fill="{bg}"/>')
        if not text.strip():
            continue
        look = f' fill="{fg}"'
        look += ' font-weight="bold"' if bold else ""
        look += ' opacity="0.6"' if dim else ""
        look += ' font-style="italic"' if italic else ""
        look += ' text-decoration="underline"' if underline else ""
        # The width is said, so that lines stay in their columns whatever the letters' font.
        print(f'<text x="{x:.1f}" y="{y + 14}" textLength="{wide * across:.1f}"{look}>'
              f"{escape(text).replace(' ', NBSP)}</text>")
    print("</svg>")


main()
