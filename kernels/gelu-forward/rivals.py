import torch


def gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")
