#!/usr/bin/python3
"""Takes a picture of the first screen of a report, for the README: make demo, then

    tools/report_picture.py build/demo/report.html docs/report.png [--size 1160x1050]

Needs what tools/setup.sh browser installs. Few colours make a small file.
"""
import argparse
import io
import os
import pathlib
import sys

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("GBV_PROGRAM", str(ROOT / "build" / "gbv"))
os.environ.setdefault("GBV_PICTURES", str(ROOT / "build" / "browser"))
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from support import Browser  # noqa: E402 (it reads the environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page")
    parser.add_argument("picture")
    parser.add_argument("--size", default="1160x1050")
    options = parser.parse_args()
    browser = Browser(size=tuple(map(int, options.size.split("x"))))
    try:
        browser.open(options.page)
        shot = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    finally:
        browser.quit()
    shot.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(options.picture, optimize=True)
    print(f"{options.picture}: {shot.width} x {shot.height}, {os.path.getsize(options.picture) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
