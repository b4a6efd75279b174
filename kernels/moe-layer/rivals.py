import torch


def layer(logits, x, w, tokens, experts, top, n, k):
    largest, chosen = torch.topk(logits.view(tokens, experts), top, dim=1)
    weights = torch.softmax(largest, dim=1)
    flat = chosen.view(-1)
    order = torch.argsort(flat, stable=True)
    counts = torch.zeros(experts, dtype=torch.int64, device=flat.device).scatter_add_(0, flat, torch.ones_like(flat))
    ends = torch.cumsum(counts, 0).to(torch.int32)
    products = torch._grouped_mm(x.view(tokens, k)[order // top], w.view(experts, k, n), offs=ends)
    places = torch.empty_like(order)
    places[order] = torch.arange(tokens * top, device=order.device)
    return torch.einsum("tin,ti->tn", products[places].view(tokens, top, n), weights.to(products.dtype))
