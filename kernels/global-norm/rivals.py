import torch


def norm(x):
    return torch.linalg.vector_norm(x, dtype=torch.float32).view(1)
