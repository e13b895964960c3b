"""The measures as their users have them now, restated from the published algorithms.

leep    Transfer-Learning-Library: one masked sum per class, the whole N x C prediction, a Python list over the rows
logme   the authors' fixed point (You et al. 2022): SVD of f^T f, U formed, one loop over the classes
mmd     the authors' torch code: three full matrices of squared distances, four exponentials each
hscore  Transfer-Learning-Library: both covariances in full, pseudo-inverse; regularised: that of Ledoit and Wolf
sfda    the authors' two stages, each a generalised eigen-decomposition; etran-lda is the first of them
gbc     the authors' pairs of classes; transrate Transfer-Learning-Library's determinants; lfc the N x N kernels
"""
import numpy as np


def leep(probabilities, labels):
    rows, source_classes = probabilities.shape
    classes = int(labels.max()) + 1
    shares = probabilities / float(rows)
    joint = np.zeros((classes, source_classes), dtype=float)
    for c in range(classes):
        joint[c] = shares[labels == c].sum(axis=0)
    target_given_source = (joint / joint.sum(axis=0, keepdims=True)).T
    predictions = probabilities @ target_given_source
    likelihood = np.array([row[label] for row, label in zip(predictions, labels)])
    return float(np.mean(np.log(likelihood)))


def _truncated_svd(features):
    _, eigenvalues, v_transposed = np.linalg.svd(features.transpose() @ features)
    singular = np.sqrt(eigenvalues)
    u_sigma = features @ v_transposed.transpose()
    rank = int((singular > 1e-10).sum())
    singular = singular[:rank]
    return u_sigma[:, :rank] / singular.reshape(1, -1), singular


def logme(features, labels):
    features = features.astype(np.float64)
    rows, columns = features.shape
    if rows > columns:
        u, singular = _truncated_svd(features)
    else:
        u, singular, _ = np.linalg.svd(features, full_matrices=False)
    sigma = singular.reshape(-1, 1) ** 2
    evidences = []
    for c in range(int(labels.max()) + 1):
        target = (labels == c).astype(np.float64).reshape(-1, 1)
        x2 = (u.T @ target) ** 2
        rest = (target ** 2).sum() - x2.sum()
        alpha, beta = 1.0, 1.0
        for _ in range(11):
            t = alpha / beta
            gamma = (sigma / (sigma + t)).sum()
            m2 = (sigma * x2 / ((t + sigma) ** 2)).sum()
            residual = (x2 / ((1 + sigma / t) ** 2)).sum() + rest
            alpha = gamma / (m2 + 1e-5)
            beta = (rows - gamma) / (residual + 1e-5)
            evidence = (columns / 2.0 * np.log(alpha) + rows / 2.0 * np.log(beta)
                        - 0.5 * np.sum(np.log(alpha + beta * sigma)) - beta / 2.0 * residual
                        - alpha / 2.0 * m2 - rows / 2.0 * np.log(2 * np.pi))
            if abs(alpha / beta - t) / t <= 1e-3:
                break
        evidences.append(evidence / rows)
    return float(np.mean(evidences))


def mmd(x, y):
    """Minus the root of the biased MMD^2 of two torch tensors, bandwidths 1, 2, 5, 10."""
    import torch
    xx, xy, yy = x @ x.t(), x @ y.t(), y @ y.t()
    x_squares, y_squares = torch.diag(xx), torch.diag(yy)
    k_xx, k_xy, k_yy = 0, 0, 0
    for sigma in (1, 2, 5, 10):
        gamma = 1 / (2 * sigma ** 2)
        k_xx += torch.exp(-gamma * (-2 * xx + x_squares.unsqueeze(1) + x_squares.unsqueeze(0)))
        k_xy += torch.exp(-gamma * (-2 * xy + x_squares.unsqueeze(1) + y_squares.unsqueeze(0)))
        k_yy += torch.exp(-gamma * (-2 * yy + y_squares.unsqueeze(1) + y_squares.unsqueeze(0)))
    squared = k_xx.mean() + k_yy.mean() - 2 * k_xy.mean()
    return -float(torch.sqrt(torch.clamp(squared, min=0)))


def _class_means(features, labels):
    means = np.zeros_like(features)
    for c in np.unique(labels):
        means[labels == c] = features[labels == c].mean(axis=0)
    return means


def hscore(features, labels):
    features = features.astype(np.float64)
    inverse = np.linalg.pinv(np.cov(features, rowvar=False), rcond=1e-15)
    return float(np.trace(inverse @ np.cov(_class_means(features, labels), rowvar=False)))


def hscore_regularized(features, labels):
    features = features.astype(np.float64)
    features = features - features.mean(axis=0, keepdims=True)
    rows, columns = features.shape
    covariance = features.T @ features / rows
    squares = features ** 2
    mean_variance = np.trace(covariance) / columns
    norm = (covariance ** 2).sum()
    spread = ((squares.T @ squares).sum() / rows - norm) / (columns * rows)
    distance = (norm - 2 * mean_variance * np.trace(covariance) + columns * mean_variance ** 2) / columns
    shrinkage = min(spread, distance) / distance
    shrunken = (1 - shrinkage) * covariance + shrinkage * mean_variance * np.eye(columns)
    between = np.cov(_class_means(features, labels), rowvar=False)
    return float(np.trace(np.linalg.pinv(shrunken, rcond=1e-15) @ ((1 - shrinkage) * between)))


def _largest_eigenvalue(matrix):
    x = matrix.sum(axis=1)
    for _ in range(3):
        y = matrix @ x
        y /= np.linalg.norm(y)
        x = matrix @ y
        x /= np.linalg.norm(x)
    return x @ matrix @ y


def _discriminant(features, labels, shrinkage=None):
    from scipy.linalg import eigh
    classes, counts = np.unique(labels, return_counts=True)
    rows, columns = features.shape
    shares = counts / rows
    means = np.array([features[labels == c].mean(axis=0) for c in classes])
    total = np.cov(features.T, bias=True)
    within = sum(share * np.cov(features[labels == c].T, bias=True) for share, c in zip(shares, classes))
    if shrinkage is None:
        shrinkage = max(np.exp(-5 * _largest_eigenvalue(within)), 1e-10)
    shrunken = (1 - shrinkage) * within + shrinkage * np.trace(within) / columns * np.eye(columns)
    values, vectors = eigh(total - within, shrunken)
    vectors = vectors[:, np.argsort(values)[::-1]]
    weights = means @ vectors @ vectors.T
    logits = features @ weights.T - 0.5 * np.diag(means @ weights.T) + np.log(shares)
    return _softmax(logits), means, shrinkage


def _softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def etran_lda(features, labels):
    probabilities, _, _ = _discriminant(features.astype(np.float64), labels)
    return float(probabilities[np.arange(len(labels)), labels].mean())


def etran(features, labels):
    from scipy.special import logsumexp
    return 0.85 * etran_lda(features, labels) + 0.15 * float(logsumexp(features.astype(np.float64), axis=1).mean())


def sfda(features, labels):
    features = features.astype(np.float64)
    probabilities, means, shrinkage = _discriminant(features, labels)
    confidence = _softmax(probabilities)[np.arange(len(labels)), labels]
    classes = len(means)
    for c in range(classes):
        own = labels == c
        others = means[np.arange(classes) != c].mean(axis=0)
        features[own] = confidence[own, None] * features[own] + (1 - confidence[own, None]) * others
    probabilities, _, _ = _discriminant(features, labels, shrinkage)
    return float(probabilities[np.arange(len(labels)), labels].mean())


def gbc(features, labels):
    features = features.astype(np.float64)
    classes = np.unique(labels)
    means = [features[labels == c].mean(axis=0) for c in classes]
    variances = [np.maximum(features[labels == c].var(axis=0), 1e-4) for c in classes]
    overlap = 0.0
    for a in range(len(classes)):
        for b in range(len(classes)):
            if a != b:
                middle = (variances[a] + variances[b]) / 2
                distance = ((means[a] - means[b]) ** 2 / middle).sum() / 8
                shape = np.log(middle).sum() - 0.5 * (np.log(variances[a]).sum() + np.log(variances[b]).sum())
                overlap += np.exp(-distance - 0.5 * shape)
    return -float(overlap)


def _coding_rate(features, distortion=1e-4):
    rows, columns = features.shape
    return 0.5 * np.linalg.slogdet(np.eye(columns) + features.T @ features / (rows * distortion))[1]


def transrate(features, labels):
    features = features.astype(np.float64)
    features = features - features.mean(axis=0, keepdims=True)
    within = [_coding_rate(features[labels == c]) for c in range(int(labels.max()) + 1)]
    return float(_coding_rate(features) - np.mean(within))


def lfc(features, labels):
    features = features.astype(np.float64)
    of_features = features @ features.T
    of_labels = np.where(labels[:, None] == labels[None, :], 1.0, -1.0)
    of_features -= of_features.mean()
    of_labels -= of_labels.mean()
    return float((of_features * of_labels).sum() / (np.linalg.norm(of_features) * np.linalg.norm(of_labels)))
