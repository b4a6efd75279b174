"""Writes cases of operations with PyTorch's results and gradients: PyTorch's own sample inputs and error inputs
(OpInfo), and random ones: sample inputs in memory of other orders, and random shapes and types of elements.

    python cases.py OUT NAMES.json [--random N] [--device cpu] [--dtypes float32,int64] [--most N] [--shard 0/4]

One file per operation, OUT/<name>.json; those that are there are not written again.
"""
import base64
import json
import os
import random
import sys
import warnings

import types
import unittest

try:
    import expecttest  # noqa: F401
except ModuleNotFoundError:
    # PyTorch's table of operations imports its tests' helpers; nothing of this one is used.
    stub = types.ModuleType("expecttest")
    stub.TestCase = unittest.TestCase
    stub.assert_expected_inline = None
    sys.modules["expecttest"] = stub

import torch

# Products as exact as their types are: what differs is not the rounding of PyTorch's faster ways. The import below
# closes the door to these settings.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False

from torch.testing._internal.common_methods_invocations import op_db

warnings.filterwarnings("ignore")
torch.set_num_threads(1)

FLOATS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
DTYPES = [*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool]
MOST = {torch.float64: 60, torch.float32: 60}
if "--dtypes" in sys.argv:
    DTYPES = [getattr(torch, name) for name in sys.argv[sys.argv.index("--dtypes") + 1].split(",")]
if "--most" in sys.argv:
    MOST = {dtype: int(sys.argv[sys.argv.index("--most") + 1]) for dtype in DTYPES}
SHARD_TEXT = sys.argv[sys.argv.index("--shard") + 1] if "--shard" in sys.argv else "0/1"
SHARD, SHARDS = (int(one) for one in SHARD_TEXT.split("/"))
DEVICE = sys.argv[sys.argv.index("--device") + 1] if "--device" in sys.argv else "cpu"


class Skip(Exception):
    pass


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def encoded_tensor(tensor):
    if tensor.is_complex() or tensor.layout != torch.strided or tensor.is_quantized:
        raise Skip("layout or type")
    own = tensor.detach().cpu()
    if any(stride < 0 for stride in own.stride()):
        raise Skip("negative stride")
    reach = 1 + sum((size - 1) * stride for size, stride in zip(own.shape, own.stride())) if own.numel() else 0
    if reach > 60000:
        raise Skip("large")
    flat = own.as_strided([reach], [1], own.storage_offset()).contiguous()
    data = flat.view(torch.uint8) if reach else torch.empty(0, dtype=torch.uint8)
    return {
        "t": [name_of(own.dtype), list(own.shape), list(own.stride())],
        "d": base64.b64encode(bytes(data.numpy().tobytes())).decode(),
        "r": bool(tensor.requires_grad),
    }


def encoded(value):
    if isinstance(value, torch.Tensor):
        return encoded_tensor(value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) >= 2**53:
            raise Skip("large number")
        return value
    if isinstance(value, float):
        return {"f": str(value)}
    if isinstance(value, tuple):
        return {"p": [encoded(one) for one in value]}
    if isinstance(value, list):
        return [encoded(one) for one in value]
    if isinstance(value, torch.dtype):
        return {"y": name_of(value)}
    if isinstance(value, slice):
        return {"s": [value.start, value.stop, value.step]}
    if value is Ellipsis:
        return {"e": 1}
    raise Skip(type(value).__name__)


def weights(tensor):
    values = [0.4 + ((i * 7) % 11) / 10 for i in range(tensor.numel())]
    return torch.tensor(values, dtype=torch.float64).to(tensor.dtype).reshape(tensor.shape).to(tensor.device)


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)


def case_of(function, args, kwargs, kind):
    if len({one.device.type for one in tensors_in([args, kwargs])}) > 1:
        raise Skip("two devices")
    case = {"kind": kind, "args": [encoded(one) for one in args], "kwargs": {k: encoded(v) for k, v in kwargs.items()}}
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        case["error"] = f"{type(error).__name__}: {error}"[:300]
        return case
    results = list(tensors_in(result))
    is_plain = not results and isinstance(result, (bool, int, float))
    case["results"] = result if is_plain else [encoded(one.detach()) for one in results]
    inputs = [one for one in tensors_in([args, kwargs]) if one.requires_grad]
    asked = [one for one in results if one.requires_grad]
    if inputs and asked:
        found = torch.autograd.grad(asked, inputs, [weights(one) for one in asked], allow_unused=True)
        case["gradients"] = [None if one is None else encoded(one.contiguous()) for one in found]
    return case


def relaid(value, rng):
    """The same elements in memory of another order, as a part of a larger one."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.dim() == 0:
            return value
        order = list(range(value.dim()))
        rng.shuffle(order)
        slack = rng.random() < 0.5
        sizes = [value.shape[d] + (2 if slack else 0) for d in order]
        whole = torch.zeros(sizes, dtype=value.dtype, device=value.device)
        if slack:
            for d in range(len(order)):
                whole = whole.narrow(d, 1, sizes[d] - 2)
        view = whole.permute([order.index(d) for d in range(value.dim())])
        view.copy_(value.detach())
        return view.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(relaid(one, rng) for one in value)
    return value


def random_tensor(rng, shape, dtype):
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if not dtype.is_floating_point:
        low = 0 if dtype == torch.uint8 else -9
        return torch.randint(low, 10, shape, dtype=dtype)
    tensor = torch.randn(shape, dtype=torch.float64).mul(2).to(dtype)
    return tensor.requires_grad_(dtype in (torch.float32, torch.float64))


def random_shape(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4])
    few, usual = [0, 1, 1, 2, 3, 4, 5, 7], [1, 2, 3, 4, 5, 7]
    return [rng.choice(few) if rng.random() < 0.15 else rng.choice(usual) for _ in range(rank)]


def broadcast_pair(rng, shape):
    cut = rng.randint(0, len(shape))
    return [1 if rng.random() < 0.3 else size for size in shape[cut:]]


def random_case(op, kind, rng):
    shape = random_shape(rng)
    dtype = rng.choice(DTYPES)
    x = random_tensor(rng, shape, dtype)
    x = x.detach().to(DEVICE).requires_grad_(x.requires_grad)
    args, kwargs = [relaid(x, rng)], {}
    if kind == "binary":
        other = random_tensor(rng, broadcast_pair(rng, shape), rng.choice(DTYPES + [dtype] * 4))
        other = other.detach().to(DEVICE).requires_grad_(other.requires_grad)
        args.append(relaid(other, rng))
        if rng.random() < 0.2:
            args[1] = rng.choice([2, -1.5, 0.5, 3, True])
    elif kind == "reduction":
        choice = rng.random()
        if choice < 0.3 and shape:
            kwargs = {"dim": rng.randint(-len(shape), len(shape) - 1), "keepdim": rng.random() < 0.5}
        elif choice < 0.5 and shape:
            dims = rng.sample(range(len(shape)), rng.randint(1, len(shape)))
            kwargs = {"dim": dims, "keepdim": rng.random() < 0.5}
    elif kind == "dim":
        args.append(rng.randint(-max(1, len(shape)), max(1, len(shape)) - 1))
    elif kind == "permute":
        dims = list(range(len(shape)))
        rng.shuffle(dims)
        args.append(dims)
    return case_of(op, args, kwargs, "random")


def signed(vectors, dim):
    """The signs that make the greatest element of each vector positive: a decomposition does not say them."""
    return vectors.detach().gather(dim, vectors.detach().abs().argmax(dim, keepdim=True)).sign()


def eigh(*args, **kwargs):
    values, vectors = torch.linalg.eigh(*args, **kwargs)
    return values, vectors * signed(vectors, -2) if vectors.numel() else vectors


def svd(*args, **kwargs):
    u, s, vh = torch.linalg.svd(*args, **kwargs)
    k = s.shape[-1]
    u, vh = u[..., :k], vh[..., :k, :]
    return (u * signed(u, -2), s, vh * signed(u, -2).mT) if s.numel() else (u, s, vh)


# What PyTorch does not decide is decided in these, and behind the call of Heddle.
DECIDED = {
    "linalg.eigh": eigh,
    "linalg.svd": svd,
    "linalg.lstsq": lambda *args, **kwargs: torch.linalg.lstsq(*args, **kwargs).solution,
}


def cases_of(name, infos, random_kind, count, rng):
    cases, skipped = [], {}
    for info in infos:
        function = DECIDED.get(name, info.op)
        for dtype in DTYPES:
            if dtype not in info.supported_dtypes(DEVICE):
                continue
            grad = dtype in (torch.float32, torch.float64) and info.supports_autograd
            torch.manual_seed(1)
            try:
                samples = list(info.sample_inputs(DEVICE, dtype, requires_grad=grad))
            except Exception as error:
                skipped[f"samples: {type(error).__name__}"] = 1
                continue
            most = MOST.get(dtype, 15)
            if len(samples) > most:
                samples = [samples[i * len(samples) // most] for i in range(most)]
            for sample in samples:
                args, kwargs = [sample.input, *sample.args], sample.kwargs
                try:
                    cases.append(case_of(function, args, kwargs, "sample"))
                    if dtype == torch.float32:
                        moved = [relaid(one, rng) for one in args]
                        cases.append(case_of(function, moved, {k: relaid(v, rng) for k, v in kwargs.items()}, "random"))
                except Skip as error:
                    skipped[str(error)] = skipped.get(str(error), 0) + 1
                except Exception as error:
                    skipped[type(error).__name__] = skipped.get(type(error).__name__, 0) + 1
        if info.error_inputs_func is not None:
            try:
                for one in info.error_inputs(DEVICE):
                    sample = one.sample_input
                    case = case_of(function, [sample.input, *sample.args], sample.kwargs, "error")
                    if "error" in case:
                        cases.append(case)
            except Skip as error:
                skipped[str(error)] = skipped.get(str(error), 0) + 1
            except Exception as error:
                skipped[f"errors: {type(error).__name__}"] = 1
    if random_kind is not None:
        for i in range(count):
            torch.manual_seed(i)
            try:
                cases.append(random_case(infos[0].op, random_kind, rng))
            except Skip:
                pass
            except Exception as error:
                skipped[type(error).__name__] = skipped.get(type(error).__name__, 0) + 1
    return {"name": name, "cases": cases, "skipped": skipped}


def main():
    out, names = sys.argv[1], json.load(open(sys.argv[2]))
    count = int(sys.argv[sys.argv.index("--random") + 1]) if "--random" in sys.argv else 40
    os.makedirs(out, exist_ok=True)
    by_name = {}
    for info in op_db:
        variant = "#" + info.variant_test_name if info.variant_test_name else ""
        by_name.setdefault(info.name + variant, []).append(info)
    for name, kind in list(names.items())[SHARD::SHARDS]:
        path = os.path.join(out, name.replace(".", "-") + ".json")
        if os.path.exists(path):
            continue
        infos = by_name.get(name)
        if infos is None:
            print("no OpInfo:", name, flush=True)
            continue
        rng = random.Random(name)
        found = cases_of(name, infos, kind, count, rng)
        is_lost = lost()
        if is_lost:
            found = {"name": name, "cases": [], "skipped": {"a fault of the device": 1}}
        text = json.dumps(found)
        with open(path + ".part", "w") as file:
            file.write(text)
        os.rename(path + ".part", path)
        if is_lost:
            # Nothing else works on this device in this process.
            os.execv(sys.executable, [sys.executable, *sys.argv])


def lost():
    """Whether an assertion in a kernel has ended the work on the device."""
    if DEVICE == "cpu":
        return False
    try:
        torch.cuda.synchronize()
        return False
    except Exception:
        return True


main()
