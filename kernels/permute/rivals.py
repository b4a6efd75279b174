import torch


def permute(x, d1, d2, d3, d4):
    # contiguous() would return x itself where dimensions of size 1 change places.
    permuted = x.view(d1, d2, d3, d4).permute(3, 2, 0, 1)
    return permuted.clone(memory_format=torch.contiguous_format).view(-1)
