import torch


def route(logits, x, tokens, experts, top, hidden, normalized):
    logits = logits.view(tokens, experts)
    largest, chosen = torch.topk(logits, top, dim=1)
    if normalized:
        weights = torch.softmax(largest, dim=1)
    else:
        weights = torch.gather(torch.softmax(logits, dim=1), 1, chosen)
    flat = chosen.view(-1)
    order = torch.argsort(flat, stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(tokens * top, device=order.device)
    counts = torch.zeros(experts, dtype=torch.int64, device=flat.device).scatter_add_(0, flat, torch.ones_like(flat))
    ends = torch.cumsum(counts, 0).to(torch.int32)
    rows = x.view(tokens, hidden)[order // top]
    return weights, chosen.to(torch.int32), ends, places.to(torch.int32), rows
