import torch


def transpose(x, rows, columns):
    # contiguous() would hand x itself back where it has one row.
    return x.view(rows, columns).t().clone(memory_format=torch.contiguous_format)
