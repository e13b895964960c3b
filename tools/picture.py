#!/usr/bin/env python3
"""Draws text from standard input as a terminal in SVG: build/gbv value ... | tools/picture.py > docs/ranking.svg"""
import sys
from xml.sax.saxutils import escape

CELL, LINE, MARGIN = 7.8, 18, 16
lines = sys.stdin.read().rstrip("\n").split("\n")
width = MARGIN * 2 + CELL * max(len(line) for line in lines)
height = MARGIN * 2 + LINE * len(lines)
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}">')
print(f'<rect width="100%" height="100%" rx="8" fill="#16191f"/>')
print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#d5d9e0" xml:space="preserve">')
for number, line in enumerate(lines):
    y = MARGIN + LINE * number + 13
    at = 0
    while at < len(line):  # bars are drawn in colour, and each run of text where its column is
        bar = line[at] in "█▉▊▋▌▍▎▏"
        end = at
        while end < len(line) and (line[end] in "█▉▊▋▌▍▎▏") == bar:
            end += 1
        text, x = line[at:end], MARGIN + CELL * at
        if bar:
            length = sum("▏▎▍▌▋▊▉█".index(c) + 1 for c in text) / 8
            print(f'<rect x="{x:.1f}" y="{y - 11}" width="{CELL * length:.1f}" height="13" fill="#4fb3bf"/>')
        elif text.strip():
            print(f'<text x="{x:.1f}" y="{y}" textLength="{CELL * len(text):.1f}">{escape(text)}</text>')
        at = end
print("</g>\n</svg>")
