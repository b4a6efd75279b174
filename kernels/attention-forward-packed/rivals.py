import torch
from torch.nn.functional import scaled_dot_product_attention


def attention(qkv, batch, heads, length):
    q, k, v = qkv.view(batch, length, 3, heads, 64).permute(2, 0, 3, 1, 4)
    return scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).contiguous()


def attention_bfloat16(qkv, batch, heads, length):
    q, k, v = qkv.view(batch, length, 3, heads, 64).to(torch.bfloat16).permute(2, 0, 3, 1, 4)
    return scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).float().contiguous()
