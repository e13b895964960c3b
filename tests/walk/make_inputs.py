#!/usr/bin/env python3
"""Makes the files a new user would come with, from real images (Debian's Fashion-MNIST). The standard library only, but
for photos, which need Pillow.

    make_inputs.py label_studio|crowd|vendors|photos FOLDER

label_studio  items/*.png and export.json: 40 annotators of 240 photos, as Label Studio exports them
crowd         items.npz (with ids), crowd.csv (task,worker,label), wide.csv (task x worker), gold.csv (task,label)
vendors       reference/ (image folder), five vendors as NPZ and image folders whose labels are spelt as vendors do
photos        reference/, test/ and three vendors as folders CLASS/IMAGE.jpg: gray, wide and tiny ones, some mislabelled
"""
import gzip
import json
import os
import random
import struct
import sys
import zipfile
import zlib

DATA = os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist")
SIDE = 28
NAMES = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"]
CLASSES = [1, 5, 8, 9]  # trouser, sandal, bag, boot: few classes, so that few rows an annotator are enough


def load(count):
    """The first `count` test images of the classes used, with their class names."""
    with gzip.open(os.path.join(DATA, "t10k-images-idx3-ubyte.gz")) as file:
        pixels = file.read()[16:]
    with gzip.open(os.path.join(DATA, "t10k-labels-idx1-ubyte.gz")) as file:
        labels = file.read()[8:]
    chosen = [i for i, label in enumerate(labels) if label in CLASSES][:count]
    return [(pixels[i * SIDE * SIDE:(i + 1) * SIDE * SIDE], NAMES[labels[i]]) for i in chosen]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write_png(path, image):
    lines = b"".join(b"\0" + image[row * SIDE:(row + 1) * SIDE] for row in range(SIDE))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def npy(shape, descr, body):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + body


def npy_text(texts):
    width = max(map(len, texts))
    body = b"".join(text.ljust(width, "\0").encode("utf-32-le") for text in texts)
    return npy((len(texts),), f"<U{width}", body)


def npy_images(images):
    return npy((len(images), SIDE * SIDE), "|u1", b"".join(images))


def write_npz(path, **arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (2020, 1, 1, 0, 0, 0)), body)


def write_images(folder, rows):
    """An image folder: folder/class/number.png."""
    for number, (image, label) in enumerate(rows):
        os.makedirs(os.path.join(folder, label), exist_ok=True)
        write_png(os.path.join(folder, label, f"{number:04}.png"), image)


def mistaken(label, rate, dice):
    others = [NAMES[c] for c in CLASSES if NAMES[c] != label]
    return others[int(dice.random() * len(others))] if dice.random() < rate else label


def make_label_studio(folder):
    """40 annotators, numbered 101 to 140; the share of wrong labels grows with the number. Annotator 100 is the expert
    whose labels are marked as ground truth. Some annotations are cancelled, empty, drafts or given twice."""
    dice = random.Random(1)
    items = load(240)
    os.makedirs(os.path.join(folder, "items"))
    tasks = []
    for number, (image, label) in enumerate(items):
        name = f"photo-{number:03}.png"
        write_png(os.path.join(folder, "items", name), image)
        annotations = []

        def annotate(who, choice, **more):
            result = [{"id": "r", "from_name": "kind", "to_name": "image", "type": "choices",
                       "value": {"choices": [choice]}}] if choice else []
            person = {"id": who, "email": f"person{who}@example.org", "first_name": "P", "last_name": str(who)}
            annotations.append({"id": 10000 * number + len(annotations), "completed_by": person if who % 2 else who,
                                "result": result, "was_cancelled": False, "ground_truth": False,
                                "created_at": "2024-05-01T10:00:00Z", "updated_at": "2024-05-01T10:00:00Z",
                                "lead_time": 3.5, **more})

        if number % 3 == 0:
            annotate(100, label, ground_truth=True)
        for turn in range(8):
            who = 101 + (number * 8 + turn) % 40
            choice = mistaken(label, (who - 101) / 40 * .9, dice)
            if number % 50 == 7 and turn == 0:
                annotate(who, choice, was_cancelled=True)
            elif number % 50 == 8 and turn == 0:
                annotate(who, None)
            else:
                annotate(who, choice)
                if number % 60 == 9 and turn == 1:
                    annotate(who, label, updated_at="2024-05-02T10:00:00Z")
        drafts = [{"id": 1, "result": []}] if number % 80 == 3 else []
        tasks.append({"id": 5000 + number, "annotations": annotations, "drafts": drafts, "predictions": [],
                      "data": {"image": f"/data/upload/3/{number:08x}-{name}?token=1"}, "project": 3})
    lost = dict(tasks[-1], id=9999, data={"image": "/data/upload/3/00000000-deleted.png"})
    with open(os.path.join(folder, "export.json"), "w") as file:
        json.dump(tasks + [lost], file)


def make_crowd(folder):
    """Six workers label 300 tasks, three a task; worker w6 answers at random. 100 tasks have a gold label."""
    dice = random.Random(2)
    items = load(300)
    workers = ["w1", "w2", "w3", "w4", "w5", "w6"]
    rate = dict(zip(workers, [0, .1, .2, .4, .6, .75]))
    os.makedirs(folder, exist_ok=True)
    write_npz(os.path.join(folder, "items.npz"), x=npy_images([image for image, _ in items]),
              id=npy_text([f"t{number}" for number in range(len(items))]))
    table = []
    for number, (_, label) in enumerate(items):
        for turn in range(3):
            worker = workers[(number + 2 * turn) % 6 if turn < 2 else (number + 1) % 6]
            table.append((number, worker, mistaken(label, rate[worker], dice)))
    with open(os.path.join(folder, "crowd.csv"), "w") as file:
        file.write("task,worker,label\n" + "".join(f"t{task},{worker},{label}\n" for task, worker, label in table))
    answers = {(task, worker): label for task, worker, label in table}
    with open(os.path.join(folder, "wide.csv"), "w") as file:
        file.write("task," + ",".join(workers) + "\n")
        for number in range(len(items)):
            file.write(f"t{number}," + ",".join(answers.get((number, worker), "") for worker in workers) + "\n")
    with open(os.path.join(folder, "gold.csv"), "w") as file:
        file.write("task,label\n" + "".join(f"t{number},{items[number][1]}\n" for number in range(0, 300, 3)))


def make_vendors(folder):
    """The reference says `bag`; vendors say `Bag`, `bag ` and 0, and one of them mislabels a third."""
    dice = random.Random(3)
    rows = load(900)
    numbers = {NAMES[c]: i for i, c in enumerate(CLASSES)}
    vendors = os.path.join(folder, "vendors")
    os.makedirs(vendors)
    write_images(os.path.join(folder, "reference"), rows[:300])
    parts = [rows[300 + 120 * v:420 + 120 * v] for v in range(5)]
    write_npz(os.path.join(vendors, "aperture.npz"), x=npy_images([image for image, _ in parts[0]]),
              y=npy_text([label for _, label in parts[0]]))
    write_npz(os.path.join(vendors, "bright.npz"), x=npy_images([image for image, _ in parts[1]]),
              y=npy_text([label.capitalize() for _, label in parts[1]]))
    write_npz(os.path.join(vendors, "cheap.npz"), x=npy_images([image for image, _ in parts[2]]),
              y=npy((120,), "<i8", b"".join(struct.pack("<q", numbers[label]) for _, label in parts[2])))
    write_images(os.path.join(vendors, "dusk"), [(image, label + " ") for image, label in parts[3]])
    write_images(os.path.join(vendors, "ever"), [(image, mistaken(label, .34, dice)) for image, label in parts[4]])


def write_photos(folder, rows, shape=None):
    """JPEG files; `shape` (width, height) cuts and pads the picture or makes it smaller."""
    from PIL import Image
    for number, (image, label) in enumerate(rows):
        picture = Image.frombytes("L", (SIDE, SIDE), image)
        if shape and shape[0] < SIDE:
            picture = picture.resize(shape)
        elif shape:
            wide = Image.new("L", shape)
            wide.paste(picture, ((shape[0] - SIDE) // 2, (shape[1] - SIDE) // 2))
            picture = wide
        os.makedirs(os.path.join(folder, label), exist_ok=True)
        picture.save(os.path.join(folder, label, f"{number:04}.jpg"), quality=90)


def make_photos(folder):
    """Vendor north is right, east sends wide pictures of which a third are mislabelled, and south tiny ones of which
    most are."""
    dice = random.Random(4)
    rows = load(330)
    write_photos(os.path.join(folder, "reference"), rows[:90])
    write_photos(os.path.join(folder, "test"), rows[90:150])
    parts = [rows[150 + 60 * v:210 + 60 * v] for v in range(3)]
    vendors = os.path.join(folder, "vendors")
    write_photos(os.path.join(vendors, "north"), parts[0])
    write_photos(os.path.join(vendors, "east"), [(image, mistaken(label, .34, dice)) for image, label in parts[1]],
                 (44, 30))
    write_photos(os.path.join(vendors, "south"), [(image, mistaken(label, .7, dice)) for image, label in parts[2]],
                 (14, 14))


if __name__ == "__main__":
    kinds = {"label_studio": make_label_studio, "crowd": make_crowd, "vendors": make_vendors, "photos": make_photos}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kinds[sys.argv[1]](sys.argv[2])
