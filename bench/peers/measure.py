"""LEEP, LogME and MMD as their users have them now, restated from the published algorithms.

leep    Transfer-Learning-Library: one masked sum per class, the whole N x C prediction, a Python list over the rows
logme   the authors' fixed point (You et al. 2022): SVD of f^T f, U formed, one loop over the classes
mmd     the authors' torch code: three full matrices of squared distances, four exponentials each
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
