import torch

FLASH = torch.ops.aten._flash_attention_backward


def flash(q, k, v, o, go, lse, starts, tokens, sequences, longest, heads, kvHeads, causal):
    q, o, go = (x.view(tokens, heads, 128) for x in (q, o, go))
    k, v = (x.view(tokens, kvHeads, 128) for x in (k, v))
    seed = torch.zeros(2, dtype=torch.uint64, device=q.device)
    gradients = FLASH(
        go, q, k, v, o, lse.view(heads, tokens), starts, starts, longest, longest, 0.0, bool(causal), seed, seed[:0],
        scale=128**-0.5,
    )
    return tuple(x.contiguous().view(-1) for x in gradients)
