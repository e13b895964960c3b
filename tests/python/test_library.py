"""The border to the library: mirrored structures, loading, threads, signals, forks."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import unittest

from support import FolderTest, ROOT, gbv, np, people

from gbv import _library

INTERRUPTED = """
import sys, gbv, numpy as np
def progress(done, total):
    print("running", flush=True)
x = np.random.default_rng(0).normal(size=(200, 20))
y = np.arange(200) % 3
try:
    gbv.{call}, model="mlp", epochs=16 * 10**6, progress=progress)
except KeyboardInterrupt:
    print("stopped")
print(gbv.value((x, y), {{"a": (x, y)}}).ranking)
"""


class Border(FolderTest):
    def test_every_mirrored_structure_is_that_of_the_headers(self):
        lines, expected = [], []
        for kind in _library.MIRRORED:
            name = kind.__name__
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {ctypes.sizeof(kind)}")
            for field, *_ in kind._fields_:
                place = getattr(kind, field)
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name} *)0)->{field}));")
                expected.append(f"{name}.{field} {place.offset} {place.size}")
        for name, value in _library.CONSTANTS.items():
            lines.append(f'printf("{name} %d\\n", (int){name});')
            expected.append(f"{name} {value}")
        with open("border.c", "w", encoding="utf-8") as file:
            file.write("#include <stddef.h>\n#include <stdio.h>\n#include <gbv/gbv.h>\nint main(void)\n{\n"
                       + "\n".join(lines) + "\nreturn 0;\n}\n")
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-I", os.path.join(ROOT, "include"), "border.c", "-o", "border"], check=True)
        found = subprocess.run(["./border"], check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertEqual(found, expected)

    def test_the_package_has_the_version_of_the_library(self):
        with open(os.path.join(ROOT, "python", "pyproject.toml"), encoding="utf-8") as file:
            version = re.search(r'^version = "(.*)"', file.read(), re.M).group(1)
        self.assertEqual(version, gbv.__version__)
        self.assertEqual(version, _library.library.gbv_version().decode())

    def run_python(self, text, **variables):
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False,
                              env={**os.environ, **variables})

    def test_a_missing_or_foreign_library_is_one_sentence(self):
        if os.path.exists(os.path.join(gbv.__path__[0], "lib")):
            self.skipTest("this is a wheel, which has its own library")
        missing = self.run_python("import gbv", GBV_LIBRARY="/nowhere/libgbv.so")
        self.assertIn("ImportError: the library of gbv cannot be loaded (/nowhere/libgbv.so: ", missing.stderr)
        self.assertIn("make install", missing.stderr)
        foreign = self.run_python("import gbv", GBV_LIBRARY="libm.so.6")
        self.assertIn("ImportError: the library of gbv cannot be loaded (", foreign.stderr)

    def test_the_kernels_are_those_of_the_program(self):
        done = self.run_python("import os, gbv._library\nassert 'OPENBLAS_CORETYPE' not in os.environ\n"
                               "print(gbv._library.library.gbv_blas_core())")
        if "OPENBLAS_CORETYPE" not in os.environ:
            self.assertEqual(done.stdout, "None\n", done.stderr)

    def test_pandas_is_not_imported_unasked(self):
        done = self.run_python("import gbv, sys; print('pandas' in sys.modules)")
        self.assertEqual(done.stdout, "False\n", done.stderr)


class Running(FolderTest):
    """A run that would take days, ended by whoever sees another thread get on."""

    endless = {"model": "mlp", "epochs": 16 * 10**6}

    def test_other_threads_get_on_meanwhile(self):
        reference, sources = people()
        counts = {"other": 0, "progress": 0}
        over = threading.Event()

        def count():
            while not over.wait(0.001):
                counts["other"] += 1

        other = threading.Thread(target=count)
        other.start()

        def progress(done, total):
            self.assertIs(threading.current_thread(), threading.main_thread())
            self.assertLessEqual(done, total)
            counts["progress"] += 1
            return counts["other"] > 50 and counts["progress"] > 2

        with self.assertRaises(gbv.InterruptedRun) as caught:
            gbv.value(reference, sources, progress=progress, **self.endless)
        over.set()
        other.join()
        self.assertEqual(caught.exception.status, 130)

    def test_an_exception_in_the_callback_ends_the_run(self):
        def progress(done, total):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            gbv.value(*people(), progress=progress, **self.endless)
        with self.assertRaisesRegex(KeyError, "mine"):
            gbv.train(people()[1], "equal", progress=progress, **self.endless)

    def test_a_short_run_reports_its_end(self):
        heard = []
        gbv.value(*people(), progress=lambda done, total: heard.append((done, total)))
        self.assertEqual(heard[-1], (3 * 21, 3 * 21))  # each source is fitted once, and 20 times for the intervals

    def test_control_c_is_a_keyboard_interrupt(self):
        for call in ('value((x, y), {"a": (x, y), "b": (x, y)}', 'train({"a": (x, y)}, "equal"'):
            child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "running\n")
            child.send_signal(signal.SIGINT)
            output, complaint = child.communicate(timeout=60)
            self.assertEqual([line for line in output.splitlines() if line != "running"], ["stopped", "['a']"])
            self.assertEqual((child.returncode, complaint), (0, ""))

    def test_calls_from_many_threads_give_the_same(self):
        reference, sources = people()
        expected, found = gbv.value(reference, sources).to_json(), []
        threads = [threading.Thread(target=lambda: found.append(gbv.value(reference, sources).to_json()))
                   for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 6)

    def test_a_forked_child_can_value_too(self):
        reference, sources = people()
        gbv.value(reference, sources)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if gbv.value(reference, sources).ranking[0] == "annotator 0" else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_arrays_live_as_long_as_the_library_reads_them(self):
        # Temporary arrays that nobody else holds; what was freed too early would be overwritten.
        reference, sources = people(rows=2000)
        expected = gbv.value(reference, sources).to_json()
        for _ in range(5):
            again = gbv.value((reference[0].copy(), reference[1].copy()),
                              {name: (x.copy()[::1], y.astype(np.int64)) for name, (x, y) in sources.items()})
            self.assertEqual(again.to_json(), expected)


if __name__ == "__main__":
    unittest.main()
