"""What compile.mjs measures, with PyTorch: compiled by inductor, and as it is.

    python3 torch_compile.py RESULT.json [--warm]

--warm compiles what is compiled and measures nothing.
"""
import json
import os
import sys
import time

import torch
import torch.nn.functional as F

path = sys.argv[1]
is_warm = "--warm" in sys.argv
begin = time.time()
limit = float(os.environ.get("TORCH_SECONDS", "100"))
result = json.load(open(path)) if os.path.exists(path) else {"torch": torch.__version__, "cases": {}}
rows, wide, hidden, classes = 8192, 768, 3072, 50257
device = "cuda"


def timed(work, calls=50):
    times = []
    for _ in range(5):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(calls):
            work()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b) * 1000 / calls)
    return min(times)


def leaf(shape, dtype):
    return (torch.rand(shape[-1], device=device) - 0.5).expand(*shape).contiguous().to(dtype).requires_grad_()


def layer_norm(dtype):
    x, w, b = leaf((rows, wide), dtype), leaf((wide,), dtype), leaf((wide,), dtype)
    fn = lambda a, weight, bias: F.layer_norm(a, (wide,), weight, bias)
    return fn, [x, w, b], leaf((rows, wide), dtype).detach()


def gelu_bias_dropout(dtype):
    x, b = leaf((rows, hidden), dtype), leaf((hidden,), dtype)
    fn = lambda a, bias: F.dropout(F.gelu(a + bias, approximate="tanh"), 0.1)
    return fn, [x, b], leaf((rows, hidden), dtype).detach()


def cross_entropy(dtype):
    x = leaf((rows, classes), dtype)
    target = torch.arange(rows, device=device) % classes
    return (lambda a: F.cross_entropy(a, target)), [x], None


def measure(make, dtype):
    fn, inputs, gradient = make(dtype)
    found = {}
    for kind, own in (("compiled", torch.compile(fn)), ("eager", fn)):
        def both():
            torch.autograd.grad(own(*inputs), inputs, gradient)

        def forward():
            own(*inputs)

        for what, work in (("both", both), ("forward", forward)):
            try:
                for _ in range(3):
                    work()
                torch.cuda.synchronize()
                if is_warm:
                    continue
                found[f"{kind}_{what}_host"] = timed(work)
                stream = torch.cuda.Stream()
                with torch.cuda.stream(stream):
                    for _ in range(3):
                        work()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    work()
                found[f"{kind}_{what}"] = timed(graph.replay)
                del graph
            except Exception as error:
                found[f"{kind}_{what}_error"] = str(error)[:300]
    torch.cuda.empty_cache()
    return found


for make in (layer_norm, gelu_bias_dropout, cross_entropy):
    for dtype in ("float32", "bfloat16"):
        key = f"{make.__name__} {dtype}"
        if key in result["cases"] or time.time() - begin > limit:
            continue
        try:
            result["cases"][key] = measure(make, getattr(torch, dtype))
        except Exception as error:
            result["cases"][key] = {"error": str(error)[:300]}
        own = result["cases"][key].items()
        shown = {name: round(value, 1) if isinstance(value, float) else value for name, value in own}
        print(key, shown, flush=True)
        if not is_warm:
            json.dump(result, open(path, "w"))
