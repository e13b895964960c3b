"""Replicates of measures as a user of NumPy would write them: a loop over the draws, each step over whole arrays.

Row weights: a row of weight w counts as w rows. Half-samples: the kernel is made once, each half picks its pairs.
"""
import numpy as np


def leep(probabilities, labels, weights, halves):
    rows = len(labels)
    members = [labels == c for c in range(int(labels.max()) + 1)]
    scores = np.empty(len(weights))
    for b, weight in enumerate(weights):
        weighted = probabilities * weight[:, None]
        joint = np.array([weighted[member].sum(axis=0) for member in members])
        conditional = joint / joint.sum(axis=0)
        scores[b] = weight @ np.log((probabilities * conditional[labels]).sum(axis=1)) / rows
    return scores


def evidence(values, target, of_target, rows, columns):
    """The authors' fixed point (You et al. 2022) with all eigenvalues; of_target: U't."""
    alpha = beta = 1.0
    squares = of_target * of_target
    rest = max(0.0, float(target @ target) - squares.sum())
    for _ in range(11):
        ratio = alpha / beta
        gamma = (values / (values + ratio)).sum()
        m2 = (values * squares / (ratio + values) ** 2).sum()
        r2 = (squares / (1 + values / ratio) ** 2).sum() + rest
        alpha = gamma / (m2 + 1e-5)
        beta = (rows - gamma) / (r2 + 1e-5)
        if abs(alpha / beta - ratio) / ratio <= 1e-3:
            break
    return 0.5 * (columns * np.log(alpha) + rows * np.log(beta) - np.log(alpha + beta * values).sum() - beta * r2
                  - alpha * m2 - rows * np.log(2 * np.pi)) / rows


def logme(features, labels, weights, halves):
    features = features.astype(np.float64)
    rows, columns = features.shape
    targets = (labels[None, :] == np.arange(int(labels.max()) + 1)[:, None]).astype(np.float64)
    scores = np.empty(len(weights))
    for b, weight in enumerate(weights):
        roots = np.sqrt(weight)
        scaled = features * roots[:, None]
        values, vectors = np.linalg.eigh(scaled.T @ scaled)
        values = np.maximum(values, 1e-300)
        weighted = targets * roots
        reached = (weighted @ scaled) @ vectors / np.sqrt(values)
        scores[b] = np.mean([evidence(values, t, u, rows, columns) for t, u in zip(weighted, reached)])
    return scores


def kernel_of(squared_distances):
    return sum(np.exp(squared_distances / (-2.0 * sigma * sigma)) for sigma in (1, 2, 5, 10))


def distances(a, b):
    return np.maximum(0, (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None, :] - 2 * a @ b.T)


def cmmd(probabilities, labels, weights, halves):
    probabilities = probabilities.astype(np.float64)
    certain = np.eye(probabilities.shape[1])[labels]
    pairs = (kernel_of(distances(probabilities, probabilities)) + kernel_of(distances(certain, certain))
             - 2 * kernel_of(distances(probabilities, certain)))
    scores = np.empty(len(halves))
    for b, half in enumerate(halves):
        scores[b] = -np.sqrt(max(0.0, pairs[np.ix_(half, half)].sum())) / len(half)
    return scores


def mmd(features, source, weights, halves):
    features, source = features.astype(np.float64), source.astype(np.float64)
    within = kernel_of(distances(features, features))
    own = kernel_of(distances(source, source)).mean()
    between = kernel_of(distances(features, source)).mean(axis=1)
    scores = np.empty(len(halves))
    for b, half in enumerate(halves):
        squared = within[np.ix_(half, half)].mean() + own - 2 * between[half].mean()
        scores[b] = -np.sqrt(max(0.0, squared))
    return scores
