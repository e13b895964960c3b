"""What users have for LAVA now: geomloss 0.2.5 (from PyPI) on the CPU, with its tensorized backend.

`pooled` does the work that gbv does: the distances between training classes and reference classes, then the transport
of all rows under features and labels. `released` does what the published program does for each annotator by itself: the
distances between all classes of both sides, each within a side too, then the transport. The features are given here,
where the published program runs its network again for every pair of classes."""
import torch
from geomloss import SamplesLoss
from geomloss.utils import squared_distances

BLUR = 0.1 ** 0.5


def solver(**more):
    return SamplesLoss("sinkhorn", p=2, blur=BLUR, scaling=0.5, debias=False, backend="tensorized", **more)


def label_distances(clouds, pairs):
    distances = torch.zeros(len(clouds), len(clouds))
    loss = solver()
    for a, b in pairs:
        distances[a, b] = distances[b, a] = loss(clouds[a], clouds[b])
    return distances


def transport(train, train_labels, reference, reference_labels, distances):
    """Gradients of the training rows; labels are counted over both sides, and a column of the rows as there."""
    def cost(x, y):
        features = squared_distances(x[..., :-1].contiguous(), y[..., :-1].contiguous()) / 2
        labels = distances[x[0, :, -1].long()][:, y[0, :, -1].long()]
        return features + labels / 2

    x = torch.cat([train, train_labels[:, None].float()], 1)
    y = torch.cat([reference, reference_labels[:, None].float()], 1)
    f, g = solver(potentials=True, cost=cost)(x, y)
    f, g = f.flatten().double(), g.flatten().double()
    return f - (f.sum() - f) / (len(f) - 1), (f.mean() + g.mean()).item()


def clouds_of(rows, labels, classes):
    return [rows[labels == a] for a in range(classes)]


def pooled(train, train_labels, reference, reference_labels, classes):
    clouds = clouds_of(train, train_labels, classes) + clouds_of(reference, reference_labels, classes)
    pairs = [(a, classes + b) for a in range(classes) for b in range(classes)]
    distances = label_distances(clouds, pairs)
    return transport(train, train_labels, reference, reference_labels + classes, distances)


def released(train, train_labels, reference, reference_labels, classes, annotators):
    rows = len(train) // annotators
    for k in range(annotators):
        own, labels = train[k * rows:(k + 1) * rows], train_labels[k * rows:(k + 1) * rows]
        clouds = clouds_of(own, labels, classes) + clouds_of(reference, reference_labels, classes)
        pairs = [(a, b) for b in range(len(clouds)) for a in range(b)]
        transport(own, labels, reference, reference_labels + classes, label_distances(clouds, pairs))
