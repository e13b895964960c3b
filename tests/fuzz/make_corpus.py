"""Writes the seeds of the file readers: small valid files and interesting broken ones. Needs NumPy.

    python3 tests/fuzz/make_corpus.py tests/fuzz/corpus
"""
import gzip
import io
import json
import os
import struct
import sys
import zipfile
import zlib

import numpy as np


def save(kind, name, data):
    folder = os.path.join(sys.argv[1], kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def npy(array, **options):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **options)
    return buffer.getvalue()


def header(text, data=b"", version=1):
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + data


def seeds_npy():
    numbers = np.arange(6).reshape(3, 2)
    for code in ["<f8", ">f8", "<f4", "<f2", ">f2", "|i1", "<i8", ">u4", "|b1"]:
        save("npy", "type_" + code.strip("<>|") + ("_big" if ">" in code else ""), npy(numbers.astype(code)))
    save("npy", "fortran", npy(np.asfortranarray(numbers.astype("f4"))))
    save("npy", "fortran_3d", npy(np.asfortranarray(np.arange(12.0).reshape(3, 2, 2))))
    save("npy", "version_2", npy(numbers, version=(2, 0)))
    save("npy", "version_3", npy(numbers, version=(3, 0)))
    save("npy", "unicode", npy(np.array(["a", "né", ""])))
    save("npy", "unicode_big", npy(np.array(["a", "né"]).astype(">U2")))
    save("npy", "bytes", npy(np.array([b"a", b"\xff", b"ab"])))
    save("npy", "not_finite", npy(np.array([[1, np.nan], [np.inf, 2]])))
    save("npy", "object", npy(np.array([1, "a"], dtype=object), allow_pickle=True))
    save("npy", "structured", npy(np.zeros(2, dtype=[("a", "f4"), ("b", "i4")])))
    form = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
    save("npy", "overflow", header(form % ("<f8", "False", "(4611686018427387904, 8)")))
    save("npy", "huge", header(form % ("<f8", "True", "(1000000000000, 3)"), b"\0" * 8))
    save("npy", "empty_text", header(form % ("<U0", "False", "(1000000000000,)")))
    save("npy", "no_columns", header(form % ("|u1", "False", "(1000000000000000000, 0)")))
    save("npy", "many_dimensions", header(form % ("|u1", "False", "(" + "1, " * 33 + ")"), b"x"))
    save("npy", "unclosed", header("{'descr': '<f8"))
    save("npy", "long_header", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{")
    save("npy", "cut", npy(numbers.astype("f8"))[:-3])


def seeds_npz():
    def npz(compressed=False, **arrays):
        buffer = io.BytesIO()
        (np.savez_compressed if compressed else np.savez)(buffer, **arrays)
        return buffer.getvalue()

    numbers, labels = np.arange(6.0).reshape(3, 2), np.array([0, 1, 0])
    stored = npz(x=numbers, y=labels)
    deflated = npz(True, x=numbers, y=np.array(["a", "b", "é"]), who=np.array([b"p", b"q", b"p"]))
    save("npz", "stored", stored)
    save("npz", "deflated", deflated)
    save("npz", "only_labels", npz(True, labels=labels))
    save("npz", "other_names", npz(a=numbers, b=labels))
    save("npz", "cut", deflated[:-30])
    save("npz", "bad_checksum", stored.replace(numbers.tobytes(), numbers.tobytes()[::-1]))
    save("npz", "zeros", npz(True, x=np.zeros((200, 100), "u1"), y=np.zeros(200, "u1")))
    for name, method in [("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)]:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("x.npy", npy(numbers))
        save("npz", name, buffer.getvalue())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.txt", "no array")
        archive.comment = b"PK\5\6 a comment"
    save("npz", "no_arrays", buffer.getvalue())
    save("npz", "empty", b"PK\5\6" + b"\0" * 18)
    end = deflated.rfind(b"PK\5\6")
    directory = struct.unpack("<I", deflated[end + 16 : end + 20])[0]
    wide = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 3, 3, end - directory, directory)
    wide += struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    wide += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    save("npz", "zip64", deflated[:end] + wide)
    claim = bytearray(deflated)
    at = deflated.find(b"PK\1\2")
    claim[at + 24 : at + 28] = struct.pack("<I", 2**32 - 2)
    save("npz", "claims_gigabytes", bytes(claim))


def seeds_csv():
    texts = {
        "plain": "a,b,label\n1,2.5,x\n-3,4e2,y\n",
        "crlf": "a,b,label\r\n1,2.5,x\r\n-3,4e2,y",
        "tabs": "a\tb\tclass\n1\t2\t3\n",
        "semicolons": "a;b;y\n1;2;3\n",
        "quotes": 'a,label\n"1","x,""y""\nz"\n2," b "\n',
        "unclosed": 'a,label\n1,"x\n',
        "after_quote": 'a,label\n"1"2,x\n3,y\n',
        "bom": "\ufeffa,label\n1,x\n",
        "sources": "who,a,label\np,1,x\nq,2,y\n,3,z\n",
        "bad_rows": "a,b,label\n1,2\n1,2,x,4\n,2,x\nnan,1,x\nword,1,x\n1,2,\n1,2,ok\n",
        "numbers": "1,2\n3,4\n",
        "one_column": "label\n1\n\n2\n",
        "duplicate": "a,a,label\n1,2,3\n",
        "no_name": ",a,label\n0,1,2\n",
        "lines": "\n\r\n\n",
        "header": "a,label\n",
        "hard": "a,label\n" + "".join(f"{t},1\n" for t in [
            "18446744073709551616", "4.9406564584124654e-324", "1e400", "0." + "0" * 400 + "1", "9" * 1100, "1e-99999999999",
            " 1 ", "+.5", "5.", "-0", "1e", "0x1p3", "inf", "12345678", "1234567890123456.789"]),
    }
    for name, text in texts.items():
        save("csv", name, text.encode())
    save("csv", "latin_1", "a,label\n1,né\n".encode("latin-1"))
    save("csv", "zero_byte", b"a,label\n1,x\0y\n")


def seeds_idx():
    def idx(code, shape, data):
        return bytes([0, 0, code, len(shape)]) + b"".join(struct.pack(">I", n) for n in shape) + data

    images = idx(8, (3, 2, 2), bytes(range(12)))
    for code, kind in [(9, "i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")]:
        save("idx", f"type_{code:x}", idx(code, (3, 2), np.arange(6).astype(kind).tobytes()))
    packed = gzip.compress(images, mtime=0)
    save("idx", "images", images)
    save("idx", "labels", idx(8, (3,), b"\0\1\0"))
    save("idx", "images_gz", packed)
    save("idx", "members", gzip.compress(images[:9], mtime=0) + gzip.compress(images[9:], mtime=0))
    save("idx", "padded", packed + b"\0" * 9)
    save("idx", "garbage", packed + b"x")
    save("idx", "cut", images[:-1])
    save("idx", "cut_gz", packed[:-5])
    save("idx", "cut_header", images[:7])
    save("idx", "overflow", idx(14, (2**32 - 1,) * 4, b""))
    save("idx", "huge_gz", gzip.compress(idx(8, (2**32 - 1, 4), b""), mtime=0))
    save("idx", "no_columns", idx(8, (2**32 - 1, 0), b""))
    save("idx", "text_gz", gzip.compress(b"a,label\n1,2\n", mtime=0))
    save("idx", "zeros_gz", gzip.compress(idx(8, (20, 1000), b"\0" * 20000), mtime=0))


def seeds_cifar():
    pixels = bytes(i % 251 for i in range(3072))
    save("cifar", "ten", b"\3" + pixels + b"\t" + pixels)
    save("cifar", "hundred", b"\x13\x63" + pixels)
    save("cifar", "cut", (b"\1" + pixels) * 3 + b"\2")
    save("cifar", "cut_hundred", (b"\1\2" + pixels) * 3 + b"\2")
    save("cifar", "out_of_range", b"\x0a" + pixels)


def seeds_image():
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
    for name in sorted(os.listdir(golden)):
        if name.startswith("image_") and name.endswith((".png", ".jpg")):
            with open(os.path.join(golden, name), "rb") as file:
                data = file.read()
            if len(data) < 800:
                save("image", name[len("image_") :], data)
            if name in ("image_rgb.png", "image_progressive.jpg"):
                save("image", "cut_" + name[len("image_") :], data[: len(data) * 2 // 3])
            if name == "image_colour.jpg":
                at = data.index(b"\xff\xc0")
                save("image", "giant.jpg", data[: at + 5] + b"\x3f\xff\x3f\xff" + data[at + 9 :])
            if name == "image_rgb.png":
                head = data[12:16] + struct.pack(">II", 2**14, 2**14) + data[24:29]
                save("image", "giant.png", data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:])


def seeds_annotations():
    tables = {
        "long": "task,worker,label\n1,w,cat\n2,anna@x.org,dog\na.jpg,w,cat\n",
        "long_times": "id;annotator;answer;updated_at\n1;a;0;2021-03-09T22:16:08.5+01:00\n1;a;1;2020-01-01 00:00:00\n",
        "long_missing": "unit\tuser\tclass\n1\tu\t\n2\t\tx\n1\tu\tnan\n",
        "gold": "task,label\n1,cat\n2,dog\n1,dog\n",
        "wide": "task,anna,ben@x.org\n1,cat,\nt1,,dog\n",
        "wide_index": ",0,1\n0,1.0,\n1,,2.0\n2,-1,\n3,,+3\n",
        "wide_rows": "a,b\n1,2\n,0\n3,\n1,1\n",
        "quotes": 'task,worker,label\n"1","say ""w""",x\n2,"w\n',
        "short": "task,worker,label\n1,w\n",
        "duplicate": "task,a,a\n1,x,y\n",
    }
    for name, text in tables.items():
        save("annotation_tables", name, text.encode())

    def result(control, kind, value):
        return {"from_name": control, "to_name": "image", "type": kind, "value": value}

    def annotation(who, *results, **more):
        return {"id": 5, "completed_by": who, "result": list(results), "updated_at": "2021-03-09T22:16:08.7Z", **more}

    cat = result("choice", "choices", {"choices": ["cat"]})
    image = {"image": "/data/upload/1/0a1b2c3d-a.jpg"}
    exports = {
        "people": [{"id": 1, "data": image, "annotations": [
            annotation(3, cat), annotation("anna", cat), annotation({"id": 9, "email": "z@x.org"}, cat),
            annotation({"id": "b@x.org"}, cat), annotation(None, cat)]}],
        "unfinished": [{"id": 2, "data": {"text": "some text"}, "drafts": [{}], "predictions": [{"result": [cat]}],
                        "annotations": [annotation(1, cat, was_cancelled=True), annotation(1),
                                        annotation(1, cat, ground_truth=True)]}],
        "kinds": [{"id": "t1", "completions": [
            annotation(1, result("choice", "rating", {"rating": 4})),
            annotation(2, result("choice", "number", {"number": 2.5})),
            annotation(3, result("choice", "pairwise", {"selected": "left"})),
            annotation(4, result("choice", "choices", {"choices": []}), {"type": "relation"})]}],
        "several": [{"id": 1, "annotations": [annotation(1, result("choice", "choices", {"choices": ["a", "b"]}))]}],
        "controls": [{"id": 1, "annotations": [annotation(1, cat, result("size", "choices", {"choices": ["big"]}))]}],
        "boxes": [{"id": 1, "annotations": [annotation(1, result("tag", "rectanglelabels", {"x": 1}))]}],
        "taxonomy": [{"id": 1, "annotations": [annotation(1, result("t", "taxonomy", {"taxonomy": [["a", "b"]]}))]}],
        "no_id": [{"data": {"image": "a.jpg"}, "annotations": [annotation(1, cat)]}],
    }
    for name, tasks in exports.items():
        save("label_studio", name, json.dumps(tasks, indent=1).encode())
    whole = json.dumps(exports["people"] * 2).encode()
    save("label_studio", "cut", whole[:-40])
    save("label_studio", "lines", b"\n".join(json.dumps(t[0]).encode() for t in exports.values()))
    save("label_studio", "deep", b'[{"id": 1, "annotations": [' + b"[" * 300)
    save("label_studio", "behind", whole + b"x")

    short = {"image": "/data/upload/1/0a1b2c3d-a.jpg", "id": 1, "choice": "cat", "annotator": 1, "annotation_id": 5,
             "created_at": "2021-03-09T22:16:08Z", "lead_time": 3.5}
    save("label_studio_short", "min", json.dumps([short, {**short, "id": 2, "annotator": "b@x.org"}]).encode())
    save("label_studio_short", "min_several", json.dumps([{**short, "choice": {"choices": ["a", "b"]}}]).encode())
    save("label_studio_short", "min_other", json.dumps([{**short, "choice": [{"text": ["a"]}]}]).encode())
    save("label_studio_short", "min_sorted", json.dumps([short], sort_keys=True).encode())
    columns = "annotation_id,annotator,choice,created_at,id,image,was_cancelled\n"
    lines = ['1,5,cat,2021-03-09T22:16:08Z,1,a.jpg,False', '2,b@x.org,dog,,2,,False', '3,5,,,1,a.jpg,True',
             '4,5,"{""choices"": [""cat""]}",,2,a.jpg,False', '5,None,"[{""rating"": 4}]",,2,a.jpg,False']
    save("label_studio_short", "csv", (columns + "\n".join(lines) + "\n").encode())
    save("label_studio_short", "csv_several", (columns + '4,5,"{""choices"": [""a"", ""b""]}",,2,a.jpg,False').encode())
    save("label_studio_short", "csv_controls", b"annotation_id,annotator,id,mood,text\n1,5,9,good,long\n")

    def response(value, user="u1", **more):
        return {"value": value, "user_id": user, **more}

    records = {
        "version_1": {"id": "s", "external_id": "1", "fields": {"text": "t"}, "responses": [
            {"values": {"label": {"value": "cat"}}, "user_id": "u1", "status": "submitted"},
            {"values": None, "user_id": "u2", "status": "discarded"}]},
        "version_2": {"id": "1", "fields": {"image": "x/a.jpg"}, "responses": {"label": [
            response("cat"), response("dog", "u2", status="draft"), response(3, "b@x.org"), response(["owl"], "u4")]}},
        "flat": {"id": "t1", "label.responses": ["cat", "dog"], "label.responses.users": ["u1", "u2"],
                 "label.responses.status": ["submitted", "draft"]},
        "flat_uneven": {"id": "t1", "label.responses": ["cat"], "label.responses.users": []},
        "questions": {"id": "1", "responses": {"choice": [response("a")], "tone": [response("b")]}},
        "several": {"id": "1", "responses": {"label": [response(["a", "b"])]}},
        "spans": {"id": "1", "responses": {"label": [response([{"start": 1}])]}},
    }
    for name, record in records.items():
        save("argilla", name, json.dumps([record]).encode())
    save("argilla", "lines", b"\n".join(json.dumps(r).encode() for r in records.values()))


def tensors(arrays, metadata=None, length=None):
    """A safetensors file; `arrays` are (name, type, shape, bytes)."""
    entries, data = {}, b""
    if metadata:
        entries["__metadata__"] = metadata
    for name, kind, shape, raw in arrays:
        entries[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def seeds_weights():
    def net(prefix="", head="fc", kind="F32", outputs=3, channels=1, first="conv1", norm="bn1", block="layer1.0.conv1"):
        code = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}

        def numbers(name, *shape):
            values = np.arange(1, 1 + int(np.prod(shape)))
            raw = (values.astype("<f4").view("<u4") >> 16).astype("<u2") if kind == "BF16" else values.astype(code[kind])
            return (name, kind, list(shape), raw.tobytes())

        return [numbers(prefix + first + ".weight", 2, channels, 1, 1), numbers(prefix + norm + ".weight", 2),
                numbers(prefix + norm + ".bias", 2), numbers(prefix + norm + ".running_mean", 2),
                numbers(prefix + norm + ".running_var", 2), numbers(prefix + block + ".weight", 2, 2, 1, 1),
                numbers(head + ".weight", outputs, 2), numbers(head + ".bias", outputs)]

    tracked = [("bn1.num_batches_tracked", "I64", [], b"\0" * 8)]
    save("weights", "torchvision", tensors(tracked + net()))
    save("weights", "prefix", tensors(net("module.backbone.", "module.backbone.last_linear")))
    save("weights", "transformers", tensors(net(
        "resnet.", "classifier.1", first="embedder.embedder.convolution", norm="embedder.embedder.normalization",
        block="encoder.stages.0.layers.0.layer.0.convolution")))
    for kind in ["F16", "BF16", "F64"]:
        save("weights", kind, tensors(net(kind=kind)))
    save("weights", "other_head", tensors(net(outputs=5)))
    save("weights", "no_head", tensors(net()[:-2]))
    save("weights", "colour", tensors(net(channels=3)))
    save("weights", "missing", tensors(net()[1:]))
    save("weights", "several", tensors(net() + net("ema.")[5:6]))
    save("weights", "deeper", tensors(net() + [("layer1.1.conv1.weight", "F32", [1], b"\0" * 4)]))
    save("weights", "integer", tensors([("conv1.weight", "I8", [2, 1, 1, 1], b"\0\1")] + net()[1:]))
    save("weights", "nan", tensors(net()).replace(struct.pack("<f", 2), struct.pack("<f", np.nan)))
    save("weights", "twice", tensors(net()).replace(b'"bn1.bias"', b'"bn1.weight"'))
    save("weights", "long_header", tensors(net(), length=1 << 40))
    save("weights", "stride", tensors(net(), {"stride_in": "1x1", "gbv": "0.1.0", "model": "resnet50"}))
    sizes = {"resize": 256, "crop": 224, "channels": 1, "height": 28, "width": 28, "normalise": "half"}
    about = {"gbv": "0.1.0", "model": "cnn", "classes": '["a", "b", "c"]', "preprocessing": json.dumps(sizes)}
    save("model", "network", tensors(net(), about))
    save("model", "network_sizes", tensors(net(), dict(about, preprocessing=json.dumps(dict(sizes, height=0)))))
    save("model", "network_head", tensors([("conv1.weight", "F32", [1, 1], b"\0" * 4),
                                           ("fc.weight", "F32", [1000000, 0], b"")], about))


seeds_npy()
seeds_npz()
seeds_csv()
seeds_idx()
seeds_cifar()
seeds_image()
seeds_annotations()
seeds_weights()
