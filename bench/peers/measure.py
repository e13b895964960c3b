"""The measures as their users have them now, restated from the published algorithms.

leep    Transfer-Learning-Library: one masked sum per class, the whole N x C prediction, a Python list over the rows
logme   the authors' fixed point (You et al. 2022): SVD of f^T f, U formed, one loop over the classes
mmd     the authors' torch code: three full matrices of squared distances, four exponentials each
hscore  Transfer-Learning-Library: both covariances in full, pseudo-inverse; regularised: that of Ledoit and Wolf
sfda    the authors' two stages, each a generalised eigen-decomposition; etran-lda is the first of them
gbc     the authors' pairs of classes; transrate Transfer-Learning-Library's determinants; lfc the N x N kernels
nce     Transfer-Learning-Library's table of counts, filled by bincount instead of its Python loop
nleep   the program of SFDA: scikit-learn's PCA and GaussianMixture, then LEEP; in the precision of the features
pactran the authors' ten rounds over N x Z arrays; gauss: SciPy's L-BFGS-B as they call it, with a function for the loss
        and one for its gradient, at most 100 steps; "joined" is what it could be, with both from the same products
etran-energy  logarithm of a sum of exponentials over arrays, in the precision of the features
cmmd    the authors' torch code between probabilities and one-hot labels: all rows, or batches of 128
nll     one temperature for each half of the rows by SciPy's bounded search

All are written over whole arrays, as a good user of NumPy would; none is slower than the program that it restates.
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


def _mmd_squared(x, y):
    """Biased MMD^2 of two torch tensors, bandwidths 1, 2, 5, 10."""
    import torch
    xx, xy, yy = x @ x.t(), x @ y.t(), y @ y.t()
    x_squares, y_squares = torch.diag(xx), torch.diag(yy)
    k_xx, k_xy, k_yy = 0, 0, 0
    for sigma in (1, 2, 5, 10):
        gamma = 1 / (2 * sigma ** 2)
        k_xx += torch.exp(-gamma * (-2 * xx + x_squares.unsqueeze(1) + x_squares.unsqueeze(0)))
        k_xy += torch.exp(-gamma * (-2 * xy + x_squares.unsqueeze(1) + y_squares.unsqueeze(0)))
        k_yy += torch.exp(-gamma * (-2 * yy + y_squares.unsqueeze(1) + y_squares.unsqueeze(0)))
    return k_xx.mean() + k_yy.mean() - 2 * k_xy.mean()


def mmd(features, source_features):
    import torch
    squared = _mmd_squared(torch.from_numpy(features), torch.from_numpy(source_features))
    return -float(torch.sqrt(torch.clamp(squared, min=0)))


def cmmd(probabilities, labels, variant):
    import torch
    x = torch.from_numpy(probabilities)
    y = torch.nn.functional.one_hot(torch.from_numpy(labels).long(), x.shape[1]).to(x.dtype)
    batch, share = (128, 128) if variant == "code" else (len(x), 1)
    squared = sum(_mmd_squared(x[i:i + batch], y[i:i + batch]) for i in range(0, len(x), batch)) / share
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


def etran_lda(features, labels, variant=None):
    probabilities, _, _ = _discriminant(features.astype(np.float64), labels)
    return float(probabilities[np.arange(len(labels)), labels].mean())


def etran(features, labels, variant):
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


def accuracy(probabilities, labels):
    return float((probabilities.argmax(axis=1) == labels).mean())


def loss(probabilities, labels):
    return float(np.log(np.maximum(probabilities[np.arange(len(labels)), labels], 1e-12)).mean())


def nce(probabilities, labels):
    rows, source_classes = probabilities.shape
    cells = labels.astype(np.int64) * source_classes + probabilities.argmax(axis=1)
    joint = np.bincount(cells, minlength=(int(labels.max()) + 1) * source_classes).reshape(-1, source_classes) / rows
    of_source = joint.sum(axis=0)
    conditional = joint[:, of_source > 0] / of_source[of_source > 0]
    return float((conditional * np.log(conditional + 1e-20)).sum(axis=0) @ of_source[of_source > 0])


def nleep(features, labels, variant):
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture
    components = 5 * (int(labels.max()) + 1)
    scores = PCA(n_components=0.8).fit_transform(features)
    mixture = GaussianMixture(n_components=components, random_state=0).fit(scores)
    nleep.rounds = mixture.n_iter_
    return leep(mixture.predict_proba(scores), labels)


def _pactran_table(probabilities, labels, dirichlet):
    """The ten rounds: shares q of the rows, their logarithms, and the counts A of the classes."""
    from scipy.special import psi
    one_hot = (np.arange(int(labels.max()) + 1)[:, None] == labels).astype(np.float64)
    prior = one_hot.mean(axis=1) + 1e-10
    logarithms = np.log(probabilities + 1e-10)
    shares = probabilities
    for _ in range(10):
        counts = prior[:, None] + one_hot @ shares
        terms = psi(counts)
        if dirichlet:
            terms -= psi(counts.sum(axis=0))
        log_shares = logarithms + terms[labels]
        log_shares -= log_shares.max(axis=1, keepdims=True)
        shares = np.exp(log_shares)
        sums = shares.sum(axis=1, keepdims=True)
        shares /= sums
        log_shares -= np.log(sums)
    return prior, counts, (shares * (log_shares - logarithms)).sum()


def pactran_dirichlet(probabilities, labels):
    from scipy.special import gammaln
    prior, counts, divergence = _pactran_table(probabilities.astype(np.float64), labels, True)
    of_prior = gammaln(prior.sum()) - gammaln(prior).sum()
    columns = of_prior - gammaln(counts.sum(axis=0)) + gammaln(counts).sum(axis=0)
    return float((columns.sum() - divergence) / (len(labels) * len(prior)))


def pactran_gamma(probabilities, labels):
    from scipy.special import gammaln
    probabilities = probabilities.astype(np.float64)
    prior, counts, divergence = _pactran_table(probabilities, labels, False)
    table = (gammaln(prior)[:, None] - gammaln(counts)).sum()
    of_rows = (np.log(probabilities @ counts.sum(axis=0)) - 1).sum()
    return float(-1 - (table + divergence + of_rows) / (len(labels) * len(prior)))


def pactran_gauss(features, labels, joined=False, tolerance=1e-6, steps=100):
    from scipy.optimize import minimize
    features = features.astype(np.float64)
    features -= features.mean(axis=0)
    rows, columns = features.shape
    classes = int(labels.max()) + 1
    one_hot = (labels[:, None] == np.arange(classes)).astype(np.float64)

    def logits_of(parameters):
        return features @ parameters[:-classes].reshape(columns, classes) + parameters[-classes:]

    def loss(parameters):
        logits = logits_of(parameters)
        logits -= logits.max(axis=1, keepdims=True)
        entropies = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(rows), labels]
        return entropies.mean() + (parameters[:-classes] ** 2).sum() / (2 * rows)

    def gradient(parameters):
        residuals = (_softmax(logits_of(parameters)) - one_hot) / rows
        of_weights = (features.T @ residuals).ravel() + parameters[:-classes] / rows
        return np.concatenate((of_weights, residuals.sum(axis=0)))

    def both(parameters):
        weights = parameters[:-classes]
        logits = logits_of(parameters)
        logits -= logits.max(axis=1, keepdims=True)
        powers = np.exp(logits)
        sums = powers.sum(axis=1, keepdims=True)
        residuals = (powers / sums - one_hot) / rows
        value = (np.log(sums[:, 0]) - logits[np.arange(rows), labels]).mean() + (weights ** 2).sum() / (2 * rows)
        return value, np.concatenate(((features.T @ residuals).ravel() + weights / rows, residuals.sum(axis=0)))

    start = np.zeros((columns + 1) * classes)
    start[:-classes] = 0.03 * np.random.default_rng(0).normal(size=columns * classes)
    found = minimize(both if joined else loss, start, jac=True if joined else gradient, method="L-BFGS-B",
                     tol=tolerance, options={"maxiter": steps})
    probabilities = _softmax(logits_of(found.x))
    variances = probabilities * (1 - probabilities)
    flatness = ((features ** 2).T @ variances + 1 / rows).sum() + variances.sum()
    cells = columns * classes
    return -float(found.fun + 0.5 * cells / rows * (100 / columns) * np.log(flatness * rows / cells + 1e-10))


def etran_energy(features, labels, variant):
    largest = features.max(axis=1, keepdims=True)
    energies = largest[:, 0] + np.log(np.exp(features - largest).sum(axis=1))
    if variant == "code":
        energies = np.sort(energies)[-(-len(energies) // 100) * -1:]
    return float(energies.mean())


def nll(probabilities, labels):
    from scipy.optimize import minimize_scalar
    rows = np.arange(len(labels))
    # The even and the odd rows of each class.
    order = np.argsort(labels, kind="stable")
    half = np.empty(len(labels), dtype=int)
    half[order] = (rows - np.searchsorted(labels[order], labels[order])) % 2
    with np.errstate(divide="ignore"):
        logarithms = np.log(probabilities)
    logarithms -= logarithms.max(axis=1, keepdims=True)
    sum_of_logs = 0.0
    for fitted in (0, 1):
        fit, fit_own = logarithms[half == fitted], logarithms[rows, labels][half == fitted]
        found = minimize_scalar(lambda inverse: np.log(np.exp(inverse * fit).sum(axis=1)).mean()
                                - inverse * fit_own.mean(), bounds=(0.05, 20), method="bounded")
        score, own = logarithms[half != fitted], logarithms[rows, labels][half != fitted]
        likelihoods = np.exp(found.x * own) / np.exp(found.x * score).sum(axis=1)
        sum_of_logs += np.log((1 - 1e-6) * likelihoods + 1e-6).sum()
    return float(sum_of_logs / len(labels))
