"""Three classes of small images, told by where they are bright: a reference, a test set and three sources, the second with
some labels wrong and the third with most."""
import numpy as np

generator = np.random.default_rng(5)


def write(name, count, wrong):
    labels = np.arange(count) % 3
    pixels = generator.integers(0, 90, (count, 12, 12), dtype=np.uint8)
    for image, label in zip(pixels, labels):
        image[:, 4 * label:4 * label + 4] += 120
    said = np.where(generator.random(count) < wrong, (labels + 1) % 3, labels)
    np.savez(name, x=pixels, y=said.astype(np.int32))


write("reference.npz", 60, 0)
write("test.npz", 60, 0)
write("anna.npz", 48, 0)
write("ben.npz", 48, .3)
write("cleo.npz", 48, .8)
np.savez("rows.npz", x=generator.random((30, 5)), y=np.arange(30) % 3)
