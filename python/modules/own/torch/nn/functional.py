"""torch.nn.functional"""

from .. import _ops
from .._bridge import array, call, unsupported as _unsupported
from .._tensor import unary, wrap

softmax = _ops.FUNCTIONS["softmax"]
log_softmax = _ops.FUNCTIONS["log_softmax"]
relu = _ops.FUNCTIONS["relu"]
sigmoid = _ops.FUNCTIONS["sigmoid"]
tanh = _ops.FUNCTIONS["tanh"]


def silu(input, inplace=False):
    return unary("silu", input)


def gelu(input, approximate="none"):
    if approximate == "none":
        return unary("gelu", input)
    return 0.5 * input * (1 + (0.7978845608028654 * (input + 0.044715 * input * input * input)).tanh())


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return _ops.FUNCTIONS["where"](input >= 0, input, input * negative_slope)


def softplus(input, beta=1, threshold=20):
    return _ops.FUNCTIONS["where"](input * beta > threshold, input, ((input * beta).exp() + 1).log() / beta)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    handles = [None if tensor is None else tensor._handle for tensor in (weight, bias)]
    return wrap(call("layerNorm", input._handle, array(normalized_shape), *handles, eps))


def rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = tuple(range(-len(normalized_shape), 0))
    wide = input.float()
    epsilon = 1.1920929e-07 if eps is None else eps
    normal = (wide * ((wide * wide).mean(dims, True) + epsilon).rsqrt()).to(input.dtype)
    return normal if weight is None else normal * weight


def linear(input, weight, bias=None):
    result = input @ weight.T
    return result if bias is None else result + bias


def mse_loss(input, target, reduction="mean"):
    return _reduced((input - target) ** 2, reduction)


def cross_entropy(input, target, reduction="mean"):
    picked = log_softmax(input, dim=-1).gather(-1, target[:, None]).squeeze(-1)
    return _reduced(-picked, reduction)


def _reduced(losses, reduction):
    return losses if reduction == "none" else getattr(losses, reduction)()


def dropout(input, p=0.5, training=True, inplace=False):
    if not training or p == 0:
        return input
    from .._creation import rand_like

    return _ops.FUNCTIONS["where"](rand_like(input, dtype=None) >= p, input / (1 - p), 0.0)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    from .._creation import ones

    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query @ key.transpose(-2, -1)).float() * scale
    if is_causal:
        attn_mask = ones(scores.shape[-2:], device=query.device).tril() != 0
    if attn_mask is not None:
        masked = _ops.FUNCTIONS["where"]
        is_mask = attn_mask.dtype.name == "bool"
        scores = masked(attn_mask, scores, float("-inf")) if is_mask else scores + attn_mask
    return softmax(scores, dim=-1).to(query.dtype) @ value


def __getattr__(name):
    raise _unsupported(f"torch.nn.functional.{name}")
