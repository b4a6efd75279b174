import torch


def bias_gradient(dbias, dout, rows, columns):
    dbias.add_(dout.view(rows, columns).sum(0, dtype=torch.float32))
