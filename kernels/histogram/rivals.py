import torch


def histogram(x):
    # It counts in 64 bits; the same bits of 32 are what the ladder calls them.
    return torch.bincount(x, minlength=256).to(torch.int32).view(torch.uint32)
