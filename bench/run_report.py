#!/usr/bin/python3
"""How fast the report of many sources is made, opened in Chromium and scrolled.

    bench/run_report.py [--program PATH] [--sources 10000] [--runs 5]

Opening is what the browser's own clock says from the start of the navigation to the end of the load event, without and
with the first frame; scrolling moves the table of all sources by 97 pixels a frame and takes the times between frames.
Medians over the runs. Prints markdown tables.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS, COLUMNS, CLASSES = 12, 8, 5
FRAMES = 240

OPENED = """const done = arguments[0];
requestAnimationFrame(() => setTimeout(() => {
  const t = performance.getEntriesByType('navigation')[0];
  const p = performance.getEntriesByName('first-contentful-paint')[0];
  done([p.startTime, t.domContentLoadedEventEnd, t.loadEventEnd]);
}));"""
SCROLLED = """const [frames, done] = arguments, box = document.querySelector('#sources .scroll'), times = [];
let last = 0;
function step(now) {
  if (last) times.push(now - last);
  last = now;
  box.scrollTop += 97;
  if (times.length < frames) requestAnimationFrame(step); else done(times);
}
requestAnimationFrame(step);"""
SORTED = """const begin = performance.now();
document.querySelectorAll('#sources thead button')[2].click();
document.querySelector('#sources .scroll').getBoundingClientRect();
return performance.now() - begin;"""


def make_result(folder, program, count):
    random = numpy.random.default_rng(1)
    centres = 1.2 * random.standard_normal((CLASSES, COLUMNS))

    def rows(number, wrong):
        labels = random.integers(0, CLASSES, number)
        features = (random.standard_normal((number, COLUMNS)) + centres[labels]).astype("float32")
        return features, numpy.where(random.random(number) < wrong, random.integers(0, CLASSES, number), labels)

    x, y = rows(500, 0)
    numpy.savez(folder / "reference.npz", x=x, y=y)
    x, y = rows(count * ROWS, numpy.repeat(random.random(count), ROWS))
    numpy.savez(folder / "sources.npz", x=x, y=y, who=numpy.repeat([f"vendor {i:05d}" for i in range(count)], ROWS))
    subprocess.run([program, "value", "--reference", folder / "reference.npz", "--sources", folder / "sources.npz",
                    "--source-column", "who", "--measure", "leep,nce", "--intervals", "40", "--refits", "5", "-q", "-o",
                    folder / "result.json"], check=True)
    return folder / "result.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=ROOT / "build" / "gbv")
    parser.add_argument("--sources", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    os.environ["GBV_PROGRAM"], os.environ["GBV_PICTURES"] = program, str(ROOT / "build" / "browser")
    sys.path.insert(0, str(ROOT / "tests" / "browser"))
    from support import Browser

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result, page = make_result(folder, program, options.sources), folder / "report.html"
        made = []
        for _ in range(options.runs):
            begin = time.perf_counter()
            subprocess.run([program, "report", result, "-o", page], check=True)
            made.append(time.perf_counter() - begin)
        opened, frames, sorts = [], [], []
        for _ in range(options.runs):  # each in a browser that has not seen the page
            browser = Browser()
            browser.set_script_timeout(60)
            browser.open(page)
            opened.append(browser.execute_async_script(OPENED))
            browser.execute_script("document.querySelector('#sources').scrollIntoView()")
            time.sleep(0.5)
            frames.append(sorted(browser.execute_async_script(SCROLLED, FRAMES)))
            sorts.append(browser.execute_script(SORTED))
            browser.quit()
        first, ready, loaded = (statistics.median(times) for times in zip(*opened))
        middle, slow, slowest = (statistics.median(times[int(share * (FRAMES - 1))] for times in frames)
                                 for share in (0.5, 0.95, 1))
        print("| sources | page, MB | made, s | first content, s | ready, s | loaded, s | sorted, ms |\n"
              "|---|---|---|---|---|---|---|")
        print(f"| {options.sources} | {page.stat().st_size / 1e6:.1f} | {statistics.median(made):.2f} "
              f"| {first / 1e3:.2f} | {ready / 1e3:.2f} | {loaded / 1e3:.2f} | {statistics.median(sorts):.0f} |\n")
        print("| frames while scrolling | median, ms | 95 %, ms | slowest, ms |\n|---|---|---|---|")
        print(f"| {FRAMES} | {middle:.1f} | {slow:.1f} | {slowest:.1f} |")


if __name__ == "__main__":
    main()
