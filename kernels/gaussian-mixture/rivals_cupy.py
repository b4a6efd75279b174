import cupy as cp
import torch
from cupyx.scipy import sparse

K = 32
PRIOR = 0.5


@cp.fuse()
def exponential(x, most):
    return cp.exp(x - most)


# Densities and sums as products of matrices (cuBLAS), sums of cells as a product with a sparse matrix (cuSPARSE).
def step(points, starts, means, spreads, weights, n, grid):
    points, starts, means, spreads, weights = (cp.from_dlpack(x) for x in (points, starts, means, spreads, weights))
    x, y = points.reshape(n, 2).T
    mx, my = means.reshape(K, 2).T
    xx, xy, yy = spreads.reshape(K, 3).T
    det = xx * yy - xy * xy
    a, b, c = yy / det, -xy / det, xx / det
    # log density = powers @ factors
    factors = cp.stack(
        [
            -0.5 * (a * mx * mx + 2 * b * mx * my + c * my * my) - 0.5 * cp.log(det),
            a * mx + b * my,
            b * mx + c * my,
            -0.5 * a,
            -b,
            -0.5 * c,
        ]
    )
    powers = cp.stack([cp.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    cell = cp.searchsorted(starts[1:-1], cp.arange(n, dtype=cp.int32), side="right")
    level = powers @ factors
    level += cp.log(weights.reshape(-1, K))[cell]
    most = level.max(axis=1, keepdims=True)
    share = exponential(level, most)
    total = share.sum(axis=1, keepdims=True)
    likelihood = (most + cp.log(total)).sum(dtype=cp.float64) - n * 1.8378770664093453
    share /= total
    sums = share.T @ powers
    s = sums[:, 0]
    nx, ny = sums[:, 1] / s, sums[:, 2] / s
    new_means = cp.stack([nx, ny], axis=1)
    new_spreads = cp.stack(
        [sums[:, 3] / s - nx * nx + 1e-6, sums[:, 4] / s - nx * ny, sums[:, 5] / s - ny * ny + 1e-6], axis=1
    )
    ones = cp.ones(n, dtype=cp.float32)
    by_cell = sparse.csr_matrix((ones, cp.arange(n, dtype=cp.int32), starts), shape=(grid * grid, n))
    shares = cp.pad((by_cell @ share).reshape(grid, grid, K), ((1, 1), (1, 1), (0, 0)))
    rows = shares[:-2] + shares[1:-1] + shares[2:]
    smooth = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] + PRIOR
    smooth /= smooth.sum(axis=2, keepdims=True)
    outputs = (new_means, new_spreads, smooth, likelihood.astype(cp.float32).reshape(1))
    return tuple(torch.from_dlpack(cp.ascontiguousarray(o, dtype=cp.float32).reshape(-1)) for o in outputs)
