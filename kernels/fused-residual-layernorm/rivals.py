import torch


def fused(a, b, weight, bias, rows, columns):
    residual = a + b
    normed, mean, rstd = torch.ops.aten.native_layer_norm(residual.view(rows, columns), [columns], weight, bias, 1e-5)
    return residual, normed.view(-1), mean.float().view(-1), rstd.float().view(-1)
