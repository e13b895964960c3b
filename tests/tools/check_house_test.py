#!/usr/bin/env python3
"""Feeds check_house.py small trees, each with one thing wrong, and expects it to say so and nothing else."""
import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check_house.py")
SOUND = {
    "ARCHITECTURE.md": "# House\n```doors\nbase ->\ncompute -> base\ndata -> base\nmeasure -> base, compute/dense\n"
                       "cli ->\npython ->\n```\n",
    "include/gbv/gbv.h": "/* gbv.h - public. */\n#include <stddef.h>\n#define GBV_API\n"
                         "typedef int gbv_callback(void *context);\nGBV_API int\ngbv_count(const char *name);\n",
    "src/base/error.h": "/* error.h - errors. */\n",
    "src/compute/dense.h": "/* dense.h - algebra. */\n#include \"base/error.h\"\n",
    "src/measure/leep.c": "/* leep.c - a measure. */\n#include <math.h>\n#include <gbv/gbv.h>\n"
                          "#include \"compute/dense.h\"\nconst measure measure_leep = {0};\n",
    "src/measure/measures.def": "MEASURE(leep)\n",
    "python/gbv/_library.py": "FUNCTIONS = {\"gbv_count\": 0}\n",
    "cli/main.c": "/* main.c - the program. */\n#include <gbv/gbv.h>\n#include \"options.h\"\n",
}


def run(changes):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **changes}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as file:
                file.write(text)
        done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()


class CheckHouse(unittest.TestCase):
    def expect(self, path, text, line, words):
        code, output = run({path: text})
        self.assertEqual((code, len(output)), (1, 1), output)
        self.assertTrue(output[0].startswith(f"{path}:{line}: "), output)
        self.assertIn(words, output[0])

    def test_a_sound_tree_passes_in_silence(self):
        self.assertEqual(run({}), (0, []))

    def test_an_arrow_that_is_not_there_fails(self):
        self.expect("src/base/error.h", "/* . */\n#include \"data/dataset.h\"\n", 2, "base has no door to data/dataset.h")

    def test_a_door_to_one_file_does_not_open_the_room(self):
        self.expect("src/measure/nce.c", "/* . */\n#include \"compute/other.h\"\n", 2, "measure has no door")

    def test_angle_brackets_are_no_way_around_a_door(self):
        self.expect("src/base/error.h", "/* . */\n#include <compute/dense.h>\n", 2, "base has no door")

    def test_the_program_sees_public_headers_only(self):
        self.expect("cli/main.c", "/* . */\n#include \"base/error.h\"\n", 2, "cli has no door to base/error.h")

    def test_the_python_package_knows_public_names_only(self):
        self.expect("python/gbv/_library.py", "\nlibrary[\"gbv_secret\"]\n", 2, "gbv_secret is not in include/gbv")

    def test_climbing_out_of_a_folder_fails(self):
        self.expect("cli/main.c", "/* . */\n#include \"../src/base/error.h\"\n", 2, "climbs out")

    def test_a_room_without_doors_fails(self):
        self.expect("src/attic/old.c", "/* . */\n", 1, "room 'attic' is not in the doors")

    def test_a_public_header_does_not_show_the_inside(self):
        self.expect("include/gbv/data.h", "/* . */\n#include \"base/error.h\"\n", 2, "public headers include only")

    def test_a_public_function_has_the_prefix(self):
        self.expect("include/gbv/data.h", "/* . */\n\nGBV_API int\ncount(void);\n", 4, "count does not begin with gbv_")

    def test_a_public_function_is_exported(self):
        self.expect("include/gbv/data.h", "/* . */\nint gbv_count(void);\n", 2, "without GBV_API")

    def test_a_public_macro_has_the_prefix(self):
        self.expect("include/gbv/data.h", "/* . */\n#define COUNT 1\n", 2, "macro COUNT")

    def test_a_plug_in_that_is_not_listed_fails(self):
        self.expect("src/measure/nce.c", "/* . */\nconst measure measure_nce = {0};\n", 1, "measure_nce is not listed")

    def test_a_long_file_fails(self):
        self.expect("src/base/long.c", "/* . */\n" + "int x;\n" * 600, 601, "more than 600 lines")

    def test_a_file_that_does_not_say_what_it_is_fails(self):
        self.expect("src/base/plain.c", "int x;\n", 1, "does not open by saying")

    def test_the_header_of_a_file_may_say_what_it_is(self):
        self.assertEqual(run({"src/base/error.c": "#include \"base/error.h\"\n"}), (0, []))
        self.expect("src/base/other.c", "#include \"base/error.h\"\n", 1, "does not open by saying")

    def test_notes_of_unfinished_work_fail(self):
        self.expect("README.md", "done\nTO" + "DO: more\n", 2, "unfinished work")

    def test_paths_of_one_machine_fail(self):
        self.expect("README.md", "see /wo" + "rk/main\n", 1, "only one machine")
        self.expect("README.md", "see .." + "/shared\n", 1, "outside the repository")

    def test_a_tree_without_doors_fails(self):
        self.expect("ARCHITECTURE.md", "# House\n", 1, "no fenced block")


if __name__ == "__main__":
    unittest.main()
