import torch
from torch.nn.functional import scaled_dot_product_attention


# PyTorch has no kernel for pages: what it would take with keys and values side by side, which are gathered here.
def gathered(q, k, v, table, lengths, batch, heads, kvHeads, pages):
    def rows(x):
        own = x.view(-1, 16, kvHeads, 128)[table.view(batch, pages).long()]
        return own.reshape(batch, pages * 16, kvHeads, 128).transpose(1, 2)

    mask = torch.arange(pages * 16, device=q.device)[None, :] < lengths[:, None]
    y = scaled_dot_product_attention(
        q.view(batch, heads, 1, 128), rows(k), rows(v), attn_mask=mask[:, None, None, :], enable_gqa=True
    )
    return y.contiguous()
