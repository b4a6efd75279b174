import torch


def grouped(a, b, ends, m, n, k, groups):
    x, y = a.view(m, k), b.view(groups, k, n)
    # Rows in multiples of 16 bytes.
    if n % 8 == 0 and k % 8 == 0:
        return torch._grouped_mm(x, y, offs=ends)
    return loop(a, b, ends, m, n, k, groups)


def loop(a, b, ends, m, n, k, groups):
    x, y, c, begin = a.view(m, k), b.view(groups, k, n), torch.empty(m, n, dtype=a.dtype, device=a.device), 0
    for group, end in enumerate(ends.tolist()):
        torch.mm(x[begin:end], y[group], out=c[begin:end])
        begin = end
    return c
