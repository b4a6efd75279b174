"""What public extensions compute, in PyTorch on the CPU: expected values for extensions.mjs.

python references.py extensions.json > values.json
"""
import json
import math
import sys

import torch
import torch.nn.functional as F


def numbers(seed, count):
    """The same numbers as in extensions.mjs: uniform in [-1, 1)."""
    i = torch.arange(count, dtype=torch.int64)
    return ((i * 2654435761 + seed * 97531) % 2**32).to(torch.float64) / 2**31 - 1


def made(spec):
    shape = spec["shape"]
    count = math.prod(shape)
    dtype = getattr(torch, spec.get("dtype", "float32"))
    if "fill" in spec:
        return torch.full(shape, spec["fill"]).to(dtype)
    values = numbers(spec.get("seed", 0), count)
    if "from" in spec:
        low, high = spec["from"]
        values = torch.floor((values + 1) / 2 * (high - low)) + low
    else:
        values = values * spec.get("scale", 1) + spec.get("add", 0)
    return values.reshape(shape).to(dtype)


def argument(spec, results):
    if isinstance(spec, dict) and "shape" in spec:
        return made(spec)
    if isinstance(spec, dict) and "result" in spec:
        call, index = spec["result"]
        return results[call][index]
    if isinstance(spec, list):
        return [argument(one, results) for one in spec]
    return spec


# ---------------------------------------------------------------- references: arguments of the extension's function,
# tensors that it must give, or those that it must have changed, in the order of `changes`


def square_matrix(x):
    return [x * x]


def lltm(x, weights, bias, old_h, old_cell):
    joined = torch.cat([old_h, x], dim=1)
    gate_weights = F.linear(joined, weights, bias)
    gates = gate_weights.chunk(3, dim=1)
    input_gate, output_gate = torch.sigmoid(gates[0]), torch.sigmoid(gates[1])
    candidate = F.elu(gates[2])
    new_cell = old_cell + candidate * input_gate
    return torch.tanh(new_cell) * output_gate, new_cell, input_gate, output_gate, candidate, joined, gate_weights


def lltm_forward(x, weights, bias, old_h, old_cell):
    return list(lltm(x, weights, bias, old_h, old_cell))


def lltm_cuda_forward(x, weights, bias, old_h, old_cell):
    *first, gate_weights = lltm(x, weights, bias, old_h, old_cell)
    return [*first, gate_weights.reshape(old_cell.size(0), 3, old_cell.size(1))]


def lltm_backward(grad_h, grad_cell, new_cell, input_gate, output_gate, candidate, joined, gates, weights):
    state = grad_h.size(1)
    gates = gates.reshape(grad_h.size(0), 3 * state)
    d_output = torch.tanh(new_cell) * grad_h
    d_cell = (1 - torch.tanh(new_cell) ** 2) * output_gate * grad_h + grad_cell
    g = gates.chunk(3, dim=1)
    d_sigmoid = lambda z: torch.sigmoid(z) * (1 - torch.sigmoid(z))
    d_elu = torch.where(g[2] > 0, torch.ones_like(g[2]), torch.exp(g[2]))
    d_gates = torch.cat(
        [candidate * d_cell * d_sigmoid(g[0]), d_output * d_sigmoid(g[1]), input_gate * d_cell * d_elu], dim=1
    )
    d_joined = d_gates @ weights
    return [d_joined[:, :state], d_joined[:, state:], d_gates.t() @ joined, d_gates.sum(0, keepdim=True), d_cell]


def lltm_cuda_backward(*given):
    *first, d_cell = lltm_backward(*given)
    return [*first, d_cell]


def muladd(a, b, c):
    return [a * b + c]


def mul(a, b):
    return [a * b]


def add_out(a, b, out):
    return [a + b]


def attention(q, k, v):
    return [F.scaled_dot_product_attention(q.double(), k.double(), v.double())]


def trilinear_weights(points):
    u, v, w = ((points + 1) / 2).unbind(1)
    a, b, c = (1 - v) * (1 - w), (1 - v) * w, v * (1 - w)
    d = 1 - a - b - c
    return torch.stack([(1 - u) * a, (1 - u) * b, (1 - u) * c, (1 - u) * d, u * a, u * b, u * c, u * d], dim=1)


def trilinear(feats, points):
    return [(trilinear_weights(points)[:, :, None] * feats).sum(1)]


def trilinear_backward(gradient, feats, points):
    return [trilinear_weights(points)[:, :, None] * gradient[:, None, :]]


def add2(c, a, b, n):
    return [a + b]


def fused_bias_act(x, bias, refer, act, grad, alpha, scale):
    shape = [1, -1] + [1] * (x.dim() - 2)
    return [F.leaky_relu(x + bias.view(shape), alpha) * scale]


def upfirdn2d(x, kernel, up_x, up_y, down_x, down_y, pad_x0, pad_x1, pad_y0, pad_y1):
    major, height, width, minor = x.shape
    out = x.permute(0, 3, 1, 2).reshape(major * minor, 1, height, 1, width, 1)
    out = F.pad(out, [0, up_x - 1, 0, 0, 0, up_y - 1]).reshape(major * minor, 1, height * up_y, width * up_x)
    out = F.pad(out, [pad_x0, pad_x1, pad_y0, pad_y1])
    out = F.conv2d(out, torch.flip(kernel, [0, 1])[None, None])[:, :, ::down_y, ::down_x]
    return [out.reshape(major, minor, *out.shape[2:]).permute(0, 2, 3, 1)]


def freq_encode(x, batch, dims, degree, channels, out):
    parts = [x]
    for f in range(degree):
        parts += [torch.sin(x * 2**f), torch.cos(x * 2**f)]
    return [torch.cat(parts, dim=1)]


def sh_encode(x, out, batch, dims, degree, dy_dx):
    x, y, z = x.double().unbind(1)
    return [
        torch.stack(
            [
                torch.full_like(x, 0.28209479177387814),
                -0.48860251190291987 * y,
                0.48860251190291987 * z,
                -0.48860251190291987 * x,
                1.0925484305920792 * x * y,
                -1.0925484305920792 * y * z,
                0.94617469575755997 * z * z - 0.31539156525251999,
                -1.0925484305920792 * x * z,
                0.54627421529603959 * (x * x - y * y),
            ],
            dim=1,
        )
    ]


def sample_volume(volume, coords, radius):
    n, h, w, w2 = volume.shape
    x0 = coords[:, 0]
    floor = torch.floor(x0)
    dx = (x0 - floor)[..., None]
    taps = floor[..., None].long() + torch.arange(-radius, radius + 2)
    inside = (taps >= 0) & (taps < w2)
    values = torch.gather(volume, 3, taps.clamp(0, w2 - 1)) * inside
    return (values[..., :-1] * (1 - dx) + values[..., 1:] * dx).permute(0, 3, 1, 2)


def sampler_forward(volume, coords, radius):
    return [sample_volume(volume, coords, radius)]


def sampler_backward(volume, coords, gradient, radius):
    volume = volume.clone().requires_grad_()
    (result,) = torch.autograd.grad(sample_volume(volume, coords, radius), volume, gradient)
    return [result]


def furthest_points(points, count):
    result = torch.zeros(points.size(0), count, dtype=torch.int32)
    for b in range(points.size(0)):
        nearest = torch.full([points.size(1)], 1e10)
        last = 0
        for i in range(1, count):
            nearest = torch.minimum(nearest, ((points[b] - points[b, last]) ** 2).sum(1))
            last = int(nearest.argmax())
            result[b, i] = last
    return [result]


def gather_points(points, index):
    return [torch.gather(points, 2, index.long()[:, None].expand(-1, points.size(1), -1))]


def ball_query(centres, points, radius, samples):
    result = torch.zeros(centres.size(0), centres.size(1), samples, dtype=torch.int32)
    for b in range(centres.size(0)):
        for j in range(centres.size(1)):
            inside = ((points[b] - centres[b, j]) ** 2).sum(1) < radius * radius
            found = inside.nonzero().flatten()[:samples]
            if len(found) > 0:
                result[b, j] = found[0]
                result[b, j, : len(found)] = found
    return [result]


def group_points(points, index):
    b, c, _ = points.shape
    flat = index.long().reshape(b, 1, -1).expand(-1, c, -1)
    return [torch.gather(points, 2, flat).reshape(b, c, *index.shape[1:])]


def three_nn(unknown, known):
    distances, index = torch.topk(((unknown[:, :, None] - known[:, None]) ** 2).sum(3), 3, dim=2, largest=False)
    return [distances, index.int()]


def three_interpolate(points, index, weight):
    (grouped,) = group_points(points, index)
    return [(grouped * weight[:, None]).sum(3)]


def wkv_sums(w, u, k, v):
    batch, time, _ = k.shape
    p = q = torch.zeros_like(k[:, 0])
    rows = []
    for t in range(time):
        e = torch.exp(k[:, t])
        rows.append((p + torch.exp(u) * e * v[:, t]) / (q + torch.exp(u) * e))
        p = torch.exp(w) * p + e * v[:, t]
        q = torch.exp(w) * q + e
    return torch.stack(rows, dim=1)


def wkv_forward(b, t, c, w, u, k, v, y):
    return [wkv_sums(w.double(), u.double(), k.double(), v.double())]


def wkv_backward(b, t, c, w, u, k, v, gy, gw, gu, gk, gv):
    rows = [one.double().requires_grad_() for one in (w.expand(b, c).contiguous(), u.expand(b, c).contiguous(), k, v)]
    dw, du, dk, dv = torch.autograd.grad(wkv_sums(*rows), rows, gy.double())
    return [dw * w, du, dk, dv]


def wkv5_forward(b, t, c, h, r, k, v, w, u, y):
    size = c // h
    r, k, v = (one.double().reshape(b, t, h, size) for one in (r, k, v))
    w, u = w.double().reshape(h, size), u.double().reshape(h, size)
    state = torch.zeros(b, h, size, size, dtype=torch.float64)
    rows = []
    for step in range(t):
        outer = k[:, step, :, :, None] * v[:, step, :, None, :]
        rows.append((r[:, step, :, :, None] * (u[None, :, :, None] * outer + state)).sum(2))
        state = state * w[None, :, :, None] + outer
    return [torch.stack(rows, dim=1).reshape(b, t, c)]


def chamfer_forward(a, b, dist1, dist2, index1, index2):
    squares = ((a[:, :, None] - b[:, None]) ** 2).sum(3)
    first, second = squares.min(2), squares.min(1)
    return [first.values, second.values, first.indices.int(), second.indices.int()]


def masked_softmax(x, mask, scale):
    scores = torch.where(mask.bool(), torch.tensor(-10000.0), x.float() * scale)
    return [F.softmax(scores, dim=-1)]


def causal_softmax(x, scale):
    scores = (x.float() * scale).masked_fill(torch.ones(x.shape[-2:]).triu(1).bool(), -math.inf)
    return [F.softmax(scores, dim=-1)]


def rotary(x, freqs, transposed):
    half = freqs.size(3) // 2
    own, rest = x[..., : freqs.size(3)], x[..., freqs.size(3) :]
    turned = torch.cat([-own[..., half:], own[..., :half]], dim=-1)
    return [torch.cat([own * torch.cos(freqs) + turned * torch.sin(freqs), rest], dim=-1)]


def layer_norm(x, shape, weight, bias, epsilon):
    x = x.double()
    mean, variance = x.mean(-1), x.var(-1, unbiased=False)
    result = F.layer_norm(x, shape, weight.double(), bias.double(), epsilon)
    return [result, mean.flatten(), 1 / torch.sqrt(variance.flatten() + epsilon)]


def rms_norm(x, shape, weight, epsilon):
    x = x.double()
    scale = 1 / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon)
    return [x * scale * weight.double(), scale.flatten()]


def index_mul(out, a, b, index):
    return [a[index] * b]


def cross_entropy(logits, labels, smoothing, half_to_float):
    losses = F.cross_entropy(logits.double(), labels, reduction="none", label_smoothing=smoothing)
    return [losses, torch.logsumexp(logits.double(), 1)]


def flatten(tensors):
    return [torch.cat([one.flatten() for one in tensors])]


def main():
    cases = json.load(open(sys.argv[1]))
    values = {}
    for case in cases:
        results = []
        for call in case["calls"]:
            given = [argument(one, results) for one in call["arguments"]]
            results.append([one.detach() for one in globals()[call["reference"]](*given)])
        values[case["name"]] = [
            [[float(f"{value:.7g}") for value in one.double().flatten().tolist()] for one in call] for call in results
        ]
    json.dump(values, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
