#!/usr/bin/env python3
"""Loads what gbv exports in the libraries that it is exported for, and compares: pixels with those of `gbv augment
apply`, draws with the probabilities that the files hold.

    compare_exports.py PATH-OF-GBV FOLDER-OF-THE-PEERS

PyTorch and torchvision are Debian's; albumentations, datasets and streaming come from the virtual environment of the
peers. Without PyTorch it says so and ends with 77.
"""
import contextlib
import glob
import importlib.util
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
from unittest import mock

SEED = 7
PARAMETERS = {"shear_x": (0, .3), "shear_y": (0, .3), "translate_x": (0, 20), "translate_y": (0, 20), "rotate": (0, 90),
              "brightness": (0, 5), "color": (0, 5), "contrast": (0, .9), "sharpness": (0, 5), "posterize": (8, 2),
              "solarize": (256, 0), "gaussian_blur": (.1, 5), "gaussian_noise": (.1, 3), "auto_contrast": None,
              "equalize": None, "invert": None}
SIGNED = list(PARAMETERS)[:9]
# Of albumentations: the largest mean difference of an operator's pixels, in levels, and the largest share of pixels
# that are more than one level off. Those of negative factors are what the notes call "differ much".
TOLERANCE = {"shear_x": (6, .4), "shear_y": (6, .4), "translate_x": (0, 0), "translate_y": (0, 0), "rotate": (.1, .02),
             "brightness": (0, 0), "color": (.5, .005), "contrast": (.5, 0), "sharpness": (3, .5), "posterize": (0, 0),
             "solarize": (0, 0), "gaussian_blur": (.01, 0), "auto_contrast": (1, 0), "equalize": (2, .5),
             "invert": (0, 0), "-color": (40, 1), "-contrast": (4, .9), "-sharpness": (20, 1)}


def check(condition, *what):
    if not condition:
        raise SystemExit(" ".join(str(x) for x in what))


def gbv(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, "gbv", *arguments, done.stderr)
    return done


def chi_square(what, counts, probabilities):
    """Fails when the counts are further from the probabilities than once in a million times."""
    counts, expected = np.asarray(counts, float), np.asarray(probabilities, float) * np.sum(counts)
    check((counts[expected == 0] == 0).all(), what, "draws what has no probability")
    few = expected < 5
    counts, expected = (np.append(x[~few], x[few].sum()) for x in (counts, expected))
    keep = expected > 0
    statistic = ((counts - expected)[keep] ** 2 / expected[keep]).sum()
    p = stats.chi2.sf(statistic, max(keep.sum() - 1, 1))
    print(f"{what}: {int(counts.sum())} draws, p = {p:.3f}")
    check(p > 1e-6, what, "draws otherwise than the policy says")


def make_picture(height, width, grey=False):
    """Waves, an edge and a little noise, so that every operator has something to do."""
    y, x = np.mgrid[:height, :width]
    waves = [127 + 90 * np.sin(x / a + y / b + c) for a, b, c in ((9, 14, 0), (17, 8, 1), (12, 21, 2))]
    picture = np.stack(waves, -1) + 40 * (x > width / 2)[..., None]
    picture += np.random.default_rng(SEED).normal(0, 6, picture.shape)
    picture = picture.clip(3, 250).round().astype(np.uint8)
    return picture[..., 1] if grey else picture


def make_policy(noise, coins, size):
    generator, entries = np.random.default_rng(SEED), []
    for op, ends in PARAMETERS.items():
        for magnitude in np.linspace(*ends, 5).tolist() if ends else [0]:
            entries.append({"op": op, "magnitude": magnitude, "probability": generator.exponential(),
                            "sign": "coin" if coins and op in SIGNED else "given"})
    entries[7]["probability"] = 0
    total = sum(e["probability"] for e in entries)
    for e in entries:
        e["probability"] /= total
    return {"kind": "policy", "schema": 1, "noise": noise, "images": {"height": size[0], "width": size[1]},
            "augmentors": entries}


def make_density():
    policy = make_policy("paper", False, (64, 64))
    policy["tau"] = {"mode": "quick", "value": .2, "inverse": 5}
    policy["density"] = {"operators": [
        {"op": "rotate", "sign": "given", "prior": .5, "probability": .6, "magnitudes": [-90, -45, 0, 90],
         "scores": [-1, -1, -.2, -1.5]},
        {"op": "contrast", "sign": "coin", "prior": .25, "probability": .3, "magnitudes": [0, .2, .9],
         "scores": [-1, -.7, -1]},
        {"op": "invert", "sign": "given", "prior": .25, "probability": .1, "magnitudes": [0], "scores": [-1]}]}
    return policy


def below(operator, inverse_tau, at):
    """The share of a density's mass at or below some magnitudes, by sums over a fine grid."""
    nodes = operator["magnitudes"]
    grid = np.linspace(nodes[0], nodes[-1], 200001)
    mass = np.exp(inverse_tau * np.interp(grid, nodes, operator["scores"]))
    total = np.concatenate([[0], np.cumsum((mass[1:] + mass[:-1]) / 2)])
    return np.interp(at, grid, total / total[-1])


def export(policy, library, ending):
    with open("given.json", "w") as file:
        json.dump(policy, file)
    path = os.path.join(os.getcwd(), f"exported_{next(NUMBERS)}{ending}")
    done = gbv("export", "given.json", "--for", library, "-o", path)
    return path, done.stderr


def applied(op, magnitude, picture, seed=1):
    """What gbv makes of a picture."""
    name = f"in_{'x'.join(map(str, picture.shape))}.png"
    Image.fromarray(picture).save(name)
    gbv("augment", "apply", "--op", op, f"--magnitude={magnitude!r}", "--seed", str(seed), name, "out.png")
    return np.asarray(Image.open("out.png")).astype(int)


def every_augmentor(policy):
    """(op, magnitude, probability), signs decided."""
    for e in policy["augmentors"]:
        both = e["sign"] == "coin" and e["magnitude"]
        for sign in (1, -1) if both else (1,):
            yield e["op"], sign * e["magnitude"], e["probability"] / (2 if both else 1)


def load_module(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def noise_moments(pixels):
    return np.array([pixels.mean(), pixels.std(), (pixels == 0).mean(), (pixels == 255).mean()])


def compare_torchvision():
    policy = make_policy("paper", True, (64, 64))
    module = load_module(export(policy, "torchvision", ".py")[0])
    transform, compared = module.transform, 0
    for size, grey in (((64, 64), False), ((56, 80), False), ((48, 64), True)):
        picture = make_picture(*size, grey=grey)
        image = Image.fromarray(picture)
        tensor = F.pil_to_tensor(image)
        for op, magnitude, _ in every_augmentor(policy):
            if op == "gaussian_noise":
                continue
            want = applied(op, magnitude, picture)
            ours = np.asarray(transform.change(image, op, magnitude)).astype(int)
            by_tensor = transform.change(tensor, op, magnitude)
            check(by_tensor.dtype == torch.uint8 and by_tensor.shape == tensor.shape, op, "changes the kind of tensor")
            check((F.pil_to_tensor(Image.fromarray(ours.astype(np.uint8))) == by_tensor).all(), op, "of a tensor")
            worst = abs(ours - want).max()
            check(worst <= (op == "gaussian_blur"), "torchvision:", op, magnitude, "is off by", worst)
            compared += 1
    print(f"torchvision {torchvision.__version__}: {compared} images have gbv's pixels (blur: within one level)")
    torch.manual_seed(SEED)
    kinds = {(op, magnitude): 0 for op, magnitude, _ in every_augmentor(policy)}
    for _ in range(20000):
        kinds[transform.draw()] += 1
    chi_square("torchvision, grid", list(kinds.values()), [p for *_, p in every_augmentor(policy)])
    flat = np.full((96, 96, 3), 100, np.uint8)
    for deviation in (.1, 3):
        ours = np.asarray(transform.change(Image.fromarray(flat), "gaussian_noise", deviation))
        want = noise_moments(applied("gaussian_noise", deviation, flat))
        check((abs(noise_moments(ours) - want) < [3, 3, .02, .02]).all(), "torchvision: noise of", deviation)
    compare_torchvision_use(transform, module)


def compare_torchvision_use(transform, module):
    image = Image.fromarray(make_picture(300, 260))
    normalise = T.Normalize(module.MEAN, module.STD)
    pipeline = T.Compose([T.Resize(256), T.CenterCrop(224), transform, T.ToTensor(), normalise])
    for _ in range(30):
        check(pipeline(image).shape == (3, 224, 224), "torchvision: a pipeline")
    check(pickle.loads(pickle.dumps(transform))(image).size == image.size, "torchvision: workers get it pickled")
    one, other = (module.Augment(generator=torch.Generator().manual_seed(1)) for _ in range(2))
    check([one.draw() for _ in range(9)] == [other.draw() for _ in range(9)], "torchvision: its own generator")
    for wrong in (image.convert("CMYK"), torch.zeros(3, 8, 8), torch.zeros(4, 8, 8, dtype=torch.uint8)):
        with contextlib.suppress(TypeError):
            transform(wrong)
            check(False, "torchvision: takes", wrong)


def compare_torchvision_code():
    policy = make_policy("code", True, (64, 64))
    module = load_module(export(policy, "torchvision", ".py")[0])
    picture = make_picture(64, 64)
    image, normalise = Image.fromarray(picture), T.Normalize(module.MEAN, module.STD)
    torch.manual_seed(SEED)
    check(module.transform(image).dtype == torch.float32, "torchvision: code's noise needs floats")
    plain = module.transform.change(image, "invert", 0.0)
    check((plain * 255).round().to(torch.uint8).numpy().transpose(1, 2, 0).tolist() == (255 - picture).tolist(),
          "torchvision: floats of bytes")
    normalised = normalise(F.to_tensor(image))
    got = normalise(module.transform.change(image, "gaussian_noise", .5))
    want = (normalised + .5 * torch.randn(normalised.shape)).clamp(0, 1)
    check(got.min() > -1e-5 and got.max() < 1 + 1e-5 and abs(got.mean() - want.mean()) < .02
          and abs(got.std() - want.std()) < .02, "torchvision: the code's noise", got.mean(), want.mean())
    pipeline = T.Compose([T.Resize(64), T.CenterCrop(48), module.transform, normalise])
    check(all(pipeline(image).shape == (3, 48, 48) for _ in range(20)), "torchvision: a pipeline of floats")


def compare_torchvision_density():
    policy = make_density()
    transform = load_module(export(policy, "torchvision", ".py")[0]).transform
    torch.manual_seed(SEED)
    draws = [transform.draw() for _ in range(20000)]
    operators = policy["density"]["operators"]
    chi_square("torchvision, operators", [sum(op == o["op"] for op, _ in draws) for o in operators],
               [o["probability"] for o in operators])
    for operator in operators[:2]:
        magnitudes = np.array([m for op, m in draws if op == operator["op"]])
        if operator["sign"] == "coin":
            chi_square("torchvision, signs", [(magnitudes < 0).sum(), (magnitudes >= 0).sum()], [.5, .5])
            magnitudes = abs(magnitudes)
        p = stats.kstest(below(operator, 5, magnitudes), "uniform").pvalue
        print(f"torchvision, density of {operator['op']}: {len(magnitudes)} draws, p = {p:.3f}")
        check(p > 1e-6, "torchvision: the density of", operator["op"])


def compare_albumentations():
    policy = make_policy("paper", True, (64, 64))
    path, said = export(policy, "albumentations", ".json")
    document = json.load(open(path))
    check(document["notes"] and all(note in said for note in document["notes"]), "albumentations: the notes", said)
    entries = document["transform"]["transforms"][0]["transforms"]
    expected = [(op, m, p) for op, m, p in every_augmentor(policy) if p]
    check(len(entries) == len(expected), "albumentations:", len(entries), "of", len(expected), "augmentors")
    check(abs(sum(e["p"] for e in entries) - 1) < 1e-12, "albumentations: probabilities")
    picture, compared, worst = make_picture(64, 64), 0, {}
    for entry, (op, magnitude, probability) in zip(entries, expected):
        check(entry["p"] == probability, "albumentations: the probability of", op, magnitude)
        if op == "gaussian_noise":
            continue
        ours = A.Compose([A.from_dict({"transform": {**entry, "p": 1}})])(image=picture)["image"].astype(int)
        off = abs(ours - applied(op, magnitude, picture))
        key = op if magnitude >= 0 or f"-{op}" not in TOLERANCE else f"-{op}"
        mean, share = off.mean(), (off > 1).mean()
        worst[key] = [max(a, b) for a, b in zip(worst.get(key, (0, 0)), (mean, share))]
        check(mean <= TOLERANCE[key][0] and share <= TOLERANCE[key][1], "albumentations:", op, magnitude, mean, share)
        compared += 1
    print(f"albumentations {A.__version__}: {compared} augmentors are as near to gbv's pixels as the notes say; mean "
          "difference and share beyond one level:", ", ".join(f"{k} {m:.2g} {s:.2g}" for k, (m, s) in worst.items()))
    loaded, counts = A.load(path), [0] * len(entries)

    def record(index):
        def take(force_apply=False, **data):
            counts[index] += 1
            return data
        return take

    check(A.Compose([loaded, A.Normalize()])(image=picture)["image"].shape == picture.shape, "albumentations: use")
    loaded = A.Compose([loaded], seed=SEED)
    one_of = loaded.transforms[0].transforms[0]
    one_of.transforms = [record(i) for i in range(len(entries))]
    for _ in range(20000):
        one_of(image=picture)
    chi_square("albumentations", counts, [e["p"] for e in entries])


def compare_albumentations_noise():
    flat = np.full((96, 96, 3), 100, np.uint8)
    for noise, deviation in itertools.product(("paper", "code"), (.1, 3)):
        policy = {"kind": "policy", "schema": 1, "noise": noise, "augmentors": [
            {"op": "gaussian_noise", "magnitude": deviation, "probability": 1}]}
        ours = A.load(export(policy, "albumentations", ".json")[0])(image=flat)["image"]
        if noise == "paper":
            want = applied("gaussian_noise", deviation, flat)
        else:
            mean, std = (np.array(x) for x in ([.485, .456, .406], [.229, .224, .225]))
            normal = np.random.default_rng(SEED).normal(size=flat.shape)
            want = (((flat / 255 - mean) / std + deviation * normal).clip(0, 1) * std + mean) * 255
        check(ours.dtype == np.uint8 and (abs(noise_moments(ours) - noise_moments(want)) < [3, 3, .02, .02]).all(),
              "albumentations: noise of", noise, deviation, noise_moments(ours), noise_moments(want))
    print("albumentations: noise is spread as gbv's, by paper and by code")


def compare_albumentations_density():
    policy = make_density()
    path, said = export(policy, "albumentations", ".json")
    check("bins" in said, "albumentations: says nothing of bins")
    entries = json.load(open(path))["transform"]["transforms"][0]["transforms"]
    rotate = [(e["rotate"][0], e["p"]) for e in entries if "rotate" in e]
    edges = np.linspace(-90, 90, len(rotate) + 1)
    want = .6 * np.diff(below(policy["density"]["operators"][0], 5, edges))
    check(len(rotate) == 32 and np.allclose([p for _, p in rotate], want, atol=1e-6), "albumentations: bins", rotate)
    check(abs(sum(e["p"] for e in entries) - 1) < 1e-9 and A.load(path), "albumentations: a density")


def make_result():
    generator, names = np.random.default_rng(SEED), ["anna", "ben", "carl"]
    for i, noise in enumerate((None, 0, .3, .6)):
        rows = [300, 200, 120, 70][i]
        labels = generator.integers(0, 3, rows)
        x = np.eye(3)[labels] * 2 + generator.normal(size=(rows, 3))
        wrong = generator.random(rows) < (noise or 0)
        np.savez(f"{i}.npz", x=x, y=np.where(wrong, (labels + 1) % 3, labels))
    sources = [part for i, name in enumerate(names, 1) for part in ("--source", f"{name}={i}.npz")]
    gbv("value", "--reference", "0.npz", *sources, "--intervals", "off", "-o", "result.json")
    result = json.load(open("result.json"))
    for source, name in zip(result["sources"][1:], ('ben "b": \\ # é', "../carl\n- x")):
        source["name"] = name  # anyone may edit a result
    with open("result.json", "w") as file:
        json.dump(result, file)
    return result["sources"]


def compare_weights():
    sources = make_result()
    names, weights, rows = ([s[key] for s in sources] for key in ("name", "posterior", "rows"))
    gbv("export", "result.json", "--for", "hf", "-o", "mixture.json")
    mixture = json.load(open("mixture.json"))
    check(mixture["names"] == names and mixture["probabilities"] == weights, "hf: its numbers")
    made = {"json": json, "datasets": datasets, "sources": {
        name: datasets.Dataset.from_dict({"source": [i] * 20000}) for i, name in enumerate(names)}}
    exec(mixture["use"], made)
    chi_square(f"datasets {datasets.__version__}", np.bincount(made["data"]["source"], minlength=len(names)), weights)
    gbv("export", "result.json", "--for", "torch", "-o", "weights.json")
    made = {"json": json, "torch": torch, "WeightedRandomSampler": torch.utils.data.WeightedRandomSampler}
    torch.manual_seed(SEED)
    exec(json.load(open("weights.json"))["use"], made)
    check(len(made["weights"]) == sum(rows), "torch: one weight per row")
    by_source = [float(part.sum()) for part in made["weights"].split(rows)]
    check(np.allclose(by_source, weights, rtol=1e-12), "torch: the weights of a source's rows", by_source, weights)
    of_row = np.repeat(np.arange(len(names)), rows)
    drawn = [of_row[i] for _ in range(30) for i in made["sampler"]]
    chi_square("torch", np.bincount(drawn, minlength=len(names)), weights)
    compare_streams(names, weights)


def compare_streams(names, weights):
    import yaml
    gbv("export", "result.json", "--for", "mosaic", "-o", "streams.yaml")
    described = yaml.safe_load(open("streams.yaml"))["streams"]
    check(list(described) == names, "mosaic: names", list(described))
    check([s["proportion"] for s in described.values()] == weights, "mosaic: proportions")
    for i, stream in enumerate(described.values()):
        check(os.path.normpath(stream["local"]).startswith("streams" + os.sep), "mosaic: leaves its folder", stream)
        with streaming.MDSWriter(out=stream["local"], columns={"source": "int"}) as writer:
            for _ in range(300):
                writer.write({"source": i})
    streams = [streaming.Stream(**s) for s in described.values()]
    data = streaming.StreamingDataset(streams=streams, batch_size=1, epoch_size=20000)
    chosen = [stream.choose for stream in streams]
    print(f"streaming {streaming.__version__}: takes {chosen} of 20000 rows")
    check(data.epoch_size == 20000 and np.allclose(chosen, np.array(weights) * 20000, atol=3), "mosaic: proportions")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for compare in (compare_torchvision, compare_torchvision_code, compare_torchvision_density,
                        compare_albumentations, compare_albumentations_noise, compare_albumentations_density,
                        compare_weights):
            compare()
        os.chdir("/")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PROGRAM, NUMBERS = os.path.abspath(sys.argv[1]), itertools.count()
    sys.path[1:1] = glob.glob(os.path.join(sys.argv[2], "lib", "python%d.%d" % sys.version_info[:2], "site-packages"))
    try:
        import numpy as np
        import torch
        import torchvision
        from PIL import Image
        from torchvision import transforms as T
        from torchvision.transforms import functional as F
    except ImportError as problem:
        print(f"skipped: {problem}")
        sys.exit(77)
    # What streaming imports for tokens of language, which nothing here has.
    os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # it asks the network otherwise
    unused = ["transformers" + name for name in ("", ".feature_extraction_utils", ".tokenization_utils_base", ".models",
                                                 ".models.auto", ".models.auto.tokenization_auto")]
    sys.modules.update({name: mock.MagicMock() for name in unused})
    import streaming
    for name in unused:
        del sys.modules[name]
    import albumentations as A
    import datasets
    from scipy import stats
    main()
