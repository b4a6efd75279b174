import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def attention(backend, q, k, v, batch, heads, length, causal):
    shape = (batch, heads, length, 128)
    # cuDNN has no kernel for some short sequences; what is timed is a multiple of 64.
    with sdpa_kernel(backend if length % 64 == 0 else SDPBackend.MATH):
        y = scaled_dot_product_attention(q.view(shape), k.view(shape), v.view(shape), is_causal=bool(causal))
        return y.contiguous()


def cudnn(q, k, v, batch, heads, length, causal):
    return attention(SDPBackend.CUDNN_ATTENTION, q, k, v, batch, heads, length, causal)


def flash(q, k, v, batch, heads, length, causal):
    return attention(SDPBackend.FLASH_ATTENTION, q, k, v, batch, heads, length, causal)
