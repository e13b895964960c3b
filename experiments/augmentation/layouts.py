"""The two data sets as their authors hand them out, and as folders CLASS/IMAGE, which is what gbv reads.

    CUB_200_2011/    images/CLASS/IMAGE, images.txt, image_class_labels.txt, train_test_split.txt
    stanford-dogs/   Images/CLASS/IMAGE; train_list.mat, test_list.mat and file_list.mat beside it or in lists/
    cub200-224/      {train,test}/CLASS/IMAGE: CUB-200-2011 prepared by tools/data.py (or cub200/, in full size)
"""

import pathlib
import random
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import data  # noqa: E402

Problem = data.Problem
NAMES = {"cub": "CUB-200-2011", "dogs": "Stanford Dogs"}
COUNTS = {"cub": data.CUB_IMAGES, "dogs": {"train": 12000, "test": 8580}}
PLACES = {"cub": ("CUB_200_2011", data.CUB, data.CUB_224), "dogs": ("stanford-dogs",)}
PARTS = ("train", "test")


def read_pairs(root, name):
    """number -> value of one of the lists of CUB-200-2011."""
    path = root / name
    if not path.is_file():
        raise Problem(f"{path}: is missing: unpack the whole of {data.CUB_OFFICIAL} there")
    pairs = data.read_list({name: path.read_text(errors="replace")}, name, root)
    if len(pairs) != len(path.read_text(errors="replace").splitlines()):
        raise Problem(f"{path}: has a number twice: unpack {data.CUB_OFFICIAL} again")
    return pairs


def read_cub(root):
    """part -> the images of the original layout, as (class, file)."""
    images, labels, split = (read_pairs(root, name) for name in
                             ("images.txt", "image_class_labels.txt", "train_test_split.txt"))
    for name, pairs in (("image_class_labels.txt", labels), ("train_test_split.txt", split)):
        if odd := sorted(images.keys() ^ pairs.keys()):
            raise Problem(f"{root / name}: its images are not those of images.txt (number {odd[0]}): unpack "
                          f"{data.CUB_OFFICIAL} again")
    found = {part: [] for part in PARTS}
    for number, image in images.items():
        if split[number] not in ("0", "1"):
            raise Problem(f"{root}/train_test_split.txt: image {number} has {split[number]!r}; expected 0 or 1: unpack "
                          f"{data.CUB_OFFICIAL} again")
        found["train" if split[number] == "1" else "test"].append((image, labels[number]))
    return {part: check_images(root / "images", listed, "images.txt") for part, listed in found.items()}


def read_mat(path):
    """(image, label) of each line of one of the lists of Stanford Dogs."""
    try:
        import scipy.io
    except ImportError as error:
        raise Problem(f"{path}: needs SciPy to be read: apt-get install python3-scipy") from error
    remedy = "unpack lists.tar of Stanford Dogs again"
    if not path.is_file():
        raise Problem(f"{path}: is missing: {remedy}")
    try:
        content = scipy.io.loadmat(path)
        names = [str(cell.item()) for cell in content["file_list"].ravel()]
        labels = [int(label) for label in content["labels"].ravel()]
    except Exception as error:  # SciPy raises whatever comes of bytes that are no such file
        raise Problem(f"{path}: cannot be read as file_list and labels ({error or type(error).__name__}): "
                      f"{remedy}") from error
    if len(names) != len(labels) or not names:
        raise Problem(f"{path}: has {len(names)} files and {len(labels)} labels; expected as many of each: {remedy}")
    return list(zip(names, labels))


def read_dogs(root):
    """part -> the images of the original layout, as (class, file)."""
    lists = root / "lists" if (root / "lists").is_dir() else root
    split = {part: read_mat(lists / f"{part}_list.mat") for part in PARTS}
    whole = {name for name, _ in read_mat(lists / "file_list.mat")}
    if odd := sorted(whole ^ {name for listed in split.values() for name, _ in listed}):
        raise Problem(f"{lists}: {odd[0]} is not both in file_list.mat and in train_list.mat or test_list.mat: unpack "
                      "lists.tar of Stanford Dogs again")
    return {part: check_images(root / "Images", listed, f"{part}_list.mat") for part, listed in split.items()}


def read_folders(root):
    """part -> the images of CLASS/IMAGE folders, as (class, file)."""
    return {part: [(path.parent.name, path) for path in sorted((root / part).glob("*/*")) if path.is_file()]
            for part in PARTS}


def check_images(folder, listed, origin):
    """(class, file) of each (CLASS/IMAGE, label): all are there, none twice, and a label is a folder."""
    folder_of, found = {}, {}
    for image, label in listed:
        names = image.split("/")
        if len(names) != 2 or any(not re.fullmatch(r"[^./\\\0][^/\\\0]*", name) for name in names):
            raise Problem(f"{origin}: names {image!r}, which is no CLASS/IMAGE: unpack the lists again")
        if image in found:
            raise Problem(f"{origin}: names {image} twice: unpack the lists again")
        if folder_of.setdefault(label, names[0]) != names[0]:
            raise Problem(f"{origin}: {image} has the label {label}, which is {folder_of[label]}'s: unpack the lists "
                          "again")
        found[image] = (names[0], folder / image)
    if len(set(folder_of.values())) < len(folder_of):
        raise Problem(f"{origin}: a folder has images of two labels: unpack the lists again")
    if missing := [image for image in found if not (folder / image).is_file()]:
        raise Problem(f"{folder}: {missing[0]} is in {origin} but not there (missing: {len(missing)} of {len(found)}): "
                      "unpack the images again")
    return sorted(found.values())


def check(images, root, counts):
    """As many images as the authors say (counts None: any), the same classes on both sides, no image on both."""
    for part, expected in (counts or {}).items():
        if len(images[part]) != expected:
            raise Problem(f"{root}: has {len(images[part])} images of the {part} set, expected {expected}: unpack the "
                          "data set again")
    train, test = ({name for name, _ in images[part]} for part in PARTS)
    if odd := sorted(train ^ test):
        raise Problem(f"{root}: the class {odd[0]} is in one of the training and the test set only: unpack the data "
                      "set again")
    if both := sorted({path for _, path in images["train"]} & {path for _, path in images["test"]}):
        raise Problem(f"{root}: {both[0]} is in both the training and the test set: unpack the lists again")


def find(dataset, given=None):
    """The folder of a data set: the one named, or one in the data folders; prepared archives are unpacked first."""
    if given:
        if not given.is_dir():
            raise Problem(f"{given}: is no folder: name the one with {PLACES[dataset][0]}'s files")
        return given
    found = next((path for name in PLACES[dataset] if (path := data.find(name))), None)
    if not found and dataset == "cub" and any(data.find(name) for name in data.CUB_PREPARED):
        data.unpack_prepared()
        found = data.find(data.CUB_224)
    if not found:
        raise Problem(f"{NAMES[dataset]} is not in {' or '.join(map(str, data.places()))}: put its folder "
                      f"{PLACES[dataset][0]} there, or name it with --data")
    return found


def read(dataset, root):
    """part -> (class, file) of each image, and how the folder is laid out."""
    if all((root / part).is_dir() for part in PARTS):
        return read_folders(root), "folders"
    return {"cub": read_cub, "dogs": read_dogs}[dataset](root), "original"


def choose(images, classes):
    """Those of the first classes by name; None: all."""
    kept = set(sorted({name for name, _ in images})[:classes])
    return [(name, path) for name, path in images if name in kept]


def hold_out(images, share, seed):
    """Two lists: what is trained on, and a share of each class that is held out."""
    fit, held = [], []
    for name in sorted({name for name, _ in images}):
        paths = [path for its, path in images if its == name]
        random.Random(f"{seed} {name}").shuffle(paths)
        count = max(1, round(share * len(paths)))
        held += [(name, path) for path in sorted(paths[:count])]
        fit += [(name, path) for path in sorted(paths[count:])]
    return fit, held


def link(images, folder):
    """folder/CLASS/IMAGE as links to the files; what is there already was made by an earlier run."""
    if folder.exists():
        return
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for name, path in images:
        (part / name).mkdir(parents=True, exist_ok=True)
        (part / name / path.name).symlink_to(path.resolve())
    part.rename(folder)
