"""Times what export.mjs wrote beside the real Triton: python run.py FOLDER RESULT.json [--only REGEX] [--seconds N]

Both sides read the same tensors. Results are compared with PyTorch's first. A sample is a CUDA graph of several
launches; samples of the two sides take turns. Each side writes to tensors of its own in one half of the samples, and to
the other side's in the other half: where tensors of hundreds of megabytes lie changes times by up to 5 %. --profile
launches each case once on each side, for ncu.
"""
import argparse
import ctypes
import importlib.util
import json
import os
import re
import statistics
import sys
import time

import torch
import triton

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("result")
parser.add_argument("--only", default="")
parser.add_argument("--seconds", type=float, default=120)
parser.add_argument("--samples", type=int, default=9)
parser.add_argument("--profile", action="store_true")
options = parser.parse_args()
began = time.time()

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("kernels", os.path.join(here, "kernels.py"))
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)

cuda = ctypes.CDLL("libcuda.so.1")
torch.cuda.init()
torch.zeros(1, device="cuda")


def check(status, what):
    if status != 0:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(name))
        raise RuntimeError(f"{what}: {name.value}")


class Cubin:
    """A kernel of ours."""

    def __init__(self, path, name, shared):
        module = ctypes.c_void_p()
        data = open(path, "rb").read()
        check(cuda.cuModuleLoadData(ctypes.byref(module), data), "cuModuleLoadData")
        self.function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode()), f"no {name}")
        self.shared = shared
        if shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(self.function, 8, shared), f"{shared} bytes of shared memory")

    def attribute(self, which):
        value = ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(value), which, self.function), "cuFuncGetAttribute")
        return value.value

    def occupancy(self, threads):
        value = ctypes.c_int()
        check(
            cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                ctypes.byref(value), self.function, threads, ctypes.c_size_t(self.shared)
            ),
            "occupancy",
        )
        return value.value

    def launch(self, grid, threads, values):
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        x, y, z = (list(grid) + [1, 1])[:3]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(
            cuda.cuLaunchKernel(self.function, x, y, z, threads, 1, 1, self.shared, stream, pointers, None),
            "cuLaunchKernel",
        )


DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "i32": torch.int32, "bf16": torch.bfloat16}


def make(name, given):
    generator = torch.Generator(device="cuda").manual_seed(sum(map(ord, name)))
    dtype = DTYPES[given["tensor"]]
    kind = given["values"]
    if kind in ("zeros", "ones"):
        return getattr(torch, kind)(given["shape"], dtype=dtype, device="cuda")
    values = torch.randn(given["shape"], dtype=torch.float32, device="cuda", generator=generator)
    return (values * 0.01 if kind == "small" else values).to(dtype)


def packed(params, args):
    """ctypes values of our kernel's parameters."""
    values = []
    for param in params:
        base, *rest = param["name"].split(".")
        value = args[base]
        if rest:
            value = value.shape[int(rest[1])] if rest[0] == "shape" else value.stride(int(rest[1]))
        if param["type"] == "ptr":
            values.append(ctypes.c_uint64(value.data_ptr()))
        elif param["type"] == "float":
            values.append(ctypes.c_float(value))
        else:
            values.append((ctypes.c_int64 if param["type"] == "i64" else ctypes.c_int32)(value))
    return values


def reference(case, args):
    """What PyTorch says of the outputs, and the tolerance."""
    kernel = case["kernel"]
    if kernel == "add":
        return {"out_ptr": (args["x_ptr"] + args["y_ptr"], 0)}
    if kernel == "softmax":
        return {"out_ptr": (torch.softmax(args["in_ptr"], 1), 1e-5)}
    if kernel == "matmul":
        return {"c_ptr": (args["a_ptr"] @ args["b_ptr"], 0.3)}
    if kernel == "layer_norm_forward":
        x = args["X"].float()
        y = torch.nn.functional.layer_norm(x, x.shape[1:], args["W"].float(), args["B"].float(), args["eps"])
        return {"Y": (y.half(), 2e-2)}
    if kernel == "layer_norm_backward_x":
        x, dy, w = args["X"].float(), args["DY"].float(), args["W"].float()
        xhat, wdy = (x - args["Mean"][:, None]) * args["Rstd"][:, None], w * dy
        c1, c2 = (xhat * wdy).mean(1, keepdim=True), wdy.mean(1, keepdim=True)
        return {"DX": (((wdy - (xhat * c1 + c2)) * args["Rstd"][:, None]).half(), 4e-2)}
    if kernel == "layer_norm_backward_wb":
        return {
            "FINAL_DW": (args["DW"].float().sum(0).half(), 6e-2),
            "FINAL_DB": (args["DB"].float().sum(0).half(), 6e-2),
        }
    heads = lambda name: args[name].view(args["Z"], args["H"], args["N_CTX"], -1)
    o = torch.nn.functional.scaled_dot_product_attention(
        heads("desc_q"), heads("desc_k"), heads("desc_v"), is_causal=case["constants"]["STAGE"] == 3
    )
    return {"desc_o": (o.reshape(args["desc_o"].shape), 2e-2)}


def tensors(case):
    """The inputs, and these with the outputs of each side."""
    base = {name: make(name, value) if isinstance(value, dict) else value for name, value in case["args"].items()}
    written = case["outputs"] + [name for name in ("Lock", "DW", "DB") if name in base]
    copies = [{**base, **{name: base[name].clone() for name in written}} for _ in range(2)]
    for copy in copies:
        for name in case["outputs"]:
            copy[name].fill_(float("nan"))
    return base, copies


def sides(case, copies):
    """Launch functions of both sides, each on a copy of its own."""
    threads = 32 * case["numWarps"]
    properties = torch.cuda.get_device_properties(0)

    launches = []
    note = {}
    if "file" in case and not case.get("error"):
        own = Cubin(os.path.join(options.folder, case["file"] + ".cubin"), case["kernel"], case["sharedBytes"])
        values = packed(case["params"], copies[0])
        grid = case["grid"]
        note["registers"], note["localBytes"] = own.attribute(4), own.attribute(3)
        note["blocksAnSm"] = own.occupancy(threads)
        if grid == "occupancy":
            grid = [min(case["programs"], note["blocksAnSm"] * properties.multi_processor_count)]
        launches.append(lambda: own.launch(grid, threads, values))
    else:
        launches.append(None)

    args = {}
    for name, value in copies[1].items():
        block = case["args"][name].get("block") if isinstance(case["args"][name], dict) else None
        if block is not None:
            from triton.tools.tensor_descriptor import TensorDescriptor

            value = TensorDescriptor.from_tensor(value, block)
        args[name] = value
    kernel = getattr(kernels, case["kernel"])
    extra = {**case["constants"], "num_warps": case["numWarps"]}
    if "num_stages" not in extra:
        extra["num_stages"] = case["numStages"]
    try:
        if case["grid"] == "occupancy":
            compiled = kernel.warmup(*args.values(), **extra, grid=(1,))
            compiled._init_handles()
            blocks = properties.regs_per_multiprocessor // (compiled.n_regs * 32 * case["numWarps"])
            if compiled.metadata.shared > 0:
                limit = getattr(properties, "shared_memory_per_multiprocessor", 228 * 1024)
                blocks = min(blocks, limit // compiled.metadata.shared)
            programs = [min(case["programs"], blocks * properties.multi_processor_count)]
        else:
            programs = case["grid"]
        compiled = kernel[tuple(programs)](*args.values(), **extra)
        note["triton"] = {
            "registers": compiled.n_regs,
            "spills": compiled.n_spills,
            "sharedBytes": compiled.metadata.shared,
            "programs": programs[0],
        }
        launches.append(lambda: kernel[tuple(programs)](*args.values(), **extra))
    except Exception as error:
        note["tritonError"] = str(error)[:300]
        launches.append(None)
    return launches, note


def graph_of(launch, count):
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        launch()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(count):
            launch()
    return graph


def timed(graph, count):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / count


def quartiles(values):
    low, median, high = statistics.quantiles(values, n=4)
    return {"medianMs": median, "q1Ms": low, "q3Ms": high, "leastMs": min(values)}


def ladder(path, file, name, grid, threads, shared, make_values, key):
    """A CUDA kernel of ours, compiled by nvcc."""
    own = Cubin(os.path.join(path, file), name, shared)
    values = make_values()
    packed = [ctypes.c_uint64(v.data_ptr()) if torch.is_tensor(v) else v for v in values]
    return key, lambda: own.launch(grid, threads, packed), values


def ladders(names):
    path = options.folder
    bf16 = lambda *shape: torch.randn(shape, device="cuda").to(torch.bfloat16)
    found = []
    if "ladder-matmul.cubin" in os.listdir(path):
        n = 4096
        found.append(
            ladder(
                path, "ladder-matmul.cubin", names["matmul"], [(n // 256) * (n // 128)], 256, 4 * 32 * 384 * 2,
                lambda: [bf16(n, n), bf16(n, n), bf16(n, n), ctypes.c_int(n), ctypes.c_int(n), ctypes.c_int(n)],
                "ladder matmul bf16 4096³",
            )
        )
    if "ladder-attention.cubin" in os.listdir(path):
        for causal in (False, True):
            found.append(
                ladder(
                    path, "ladder-attention.cubin", names["causal" if causal else "full"], [4096 // 64, 64], 128,
                    2 * 128 * (64 + 64),
                    lambda: [bf16(64 * 4096, 128) for _ in range(4)] + [ctypes.c_int(4096)],
                    f"ladder attention bf16 4 × 16 × 4096 × 128{', causal' if causal else ''}",
                )
            )
    return found


def measure(launches, samples):
    """Milliseconds of each launch, sample by sample."""
    graphs = []
    for launch in launches:
        if launch is None:
            graphs.append(None)
            continue
        launch()
        torch.cuda.synchronize()
        once = min(timed(graph_of(launch, 1), 1) for _ in range(2))
        count = max(1, min(50, int(2 / max(once, 1e-3))))
        graphs.append((graph_of(launch, count), count))
    times = [[] for _ in launches]
    for sample in range(samples + 1):
        for i, graph in enumerate(graphs):
            if graph is not None:
                value = timed(*graph)
                if sample > 0:
                    times[i].append(value)
    return times


cases = [c for c in json.load(open(os.path.join(options.folder, "cases.json")))
         if re.search(options.only, f"{c['group']} {c['config']}")]
names_file = os.path.join(options.folder, "ladders.json")
rivals = ladders(json.load(open(names_file))) if os.path.exists(names_file) and not options.profile else []
results = {
    "device": torch.cuda.get_device_name(),
    "versions": {"triton": triton.__version__, "torch": torch.__version__, "cuda": torch.version.cuda},
    "cases": [],
    "ladders": [],
}


def save():
    json.dump(results, open(options.result, "w"), indent=1, ensure_ascii=False)


def run_ladders():
    for key, launch, _ in rivals:
        try:
            [times] = measure([launch], options.samples)
            results["ladders"].append({"name": key, **quartiles(times)})
        except Exception as error:
            results["ladders"].append({"name": key, "error": str(error)[:300]})
    save()


if options.profile:
    for case in cases:
        launches, _ = sides(case, tensors(case)[1])
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        for launch in launches:
            if launch is not None:
                launch()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
    sys.exit(0)

run_ladders()
for case in cases:
    if time.time() - began > options.seconds:
        results["left"] = results.get("left", 0) + 1
        continue
    row = {"name": case["group"], "config": case["config"], "bytes": case.get("bytes"), "flops": case.get("flops")}
    row["error"] = case.get("error")
    try:
        base, copies = tensors(case)
        launches, note = sides(case, copies)
        row.update(note)
        expected = reference(case, base)
        for i, side in enumerate(("ours", "triton")):
            if launches[i] is None:
                continue
            if i == 0:
                launches[i]()
            torch.cuda.synchronize()
            for name, (value, tolerance) in expected.items():
                got = copies[i][name].float()
                off = (got - value.float()).abs().max().item()
                row[f"{side}Off"] = max(row.get(f"{side}Off", 0), off)
                if not off <= tolerance:
                    row[f"{side}Wrong"] = f"{name}: {off} > {tolerance}"
        swapped, _ = sides(case, copies[::-1])
        times = measure([*launches, *swapped], options.samples)
        row["ours"], row["triton_"] = (
            quartiles(times[i] + times[i + 2]) if times[i] and times[i + 2] else None for i in range(2)
        )
        row["placesMs"] = [statistics.median(values) if values else None for values in times]
        if row["ours"] and row["triton_"]:
            row["ratio"] = row["triton_"]["medianMs"] / row["ours"]["medianMs"]
    except Exception as error:
        row["error"] = f"{type(error).__name__}: {str(error)[:300]}"
    results["cases"].append(row)
    save()
    ms = lambda t: f"{t['medianMs']*1000:9.1f}" if t else "        -"
    print(f"{case['group']:42} {case['config']:30} ours {ms(row.get('ours'))} µs  Triton {ms(row.get('triton_'))} µs "
          f"{row.get('ratio') or 0:5.2f} {row.get('oursWrong') or ''} {row.get('tritonWrong') or ''} "
          f"{row.get('error') or row.get('tritonError') or ''}", flush=True)
save()
