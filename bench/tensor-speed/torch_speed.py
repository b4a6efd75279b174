"""What speed.mjs measures, with PyTorch: steps of training, the host's cost of operations, training to 98 %.

    python3 torch_speed.py RESULT.json steps operations train [--warm]

--warm compiles what is compiled and measures nothing: several processes may do so at once.
DATA is the folder of MNIST's four files, as they are or with .gz.
STEPS=1250 trains that many steps instead of to 98 %: the time of the same work, whatever the images are.
"""
import gzip
import json
import os
import sys
import time

start = time.time()
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

path, *parts = sys.argv[1:]
is_warm = "--warm" in parts
device = "cuda"
limit = float(os.environ.get("TORCH_SECONDS", "150"))
STEPS = int(os.environ.get("STEPS", "0"))
result = json.load(open(path)) if os.path.exists(path) else {}
result["torch"] = torch.__version__
MODES = [mode.split() for mode in os.environ.get("MODES", "bf16 compile,tf32 compile,bf16 plain,tf32 plain").split(",")]
BATCHES = [int(size) for size in os.environ.get("BATCHES", "64,256,1024").split(",")]


def say(*words):
    if not is_warm:
        print(*words, flush=True)


def save():
    if not is_warm:
        json.dump(result, open(path, "w"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.conv2, self.bn2 = nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64)
        self.fc1, self.fc2 = nn.Linear(3136, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.fc2(F.relu(self.fc1(torch.flatten(x, 1))))


def build(precision, how, seed=1):
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True
    model = Net().to(device).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=True)

    def loss_of(x, y):
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16"):
            return F.cross_entropy(model(x), y)

    compiled = torch.compile(loss_of, dynamic=False) if how == "compile" else loss_of

    def step(x, y):
        optimizer.zero_grad(set_to_none=True)
        loss = compiled(x, y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return model, step


def captured(work, warm_ups=4):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(warm_ups):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = work()
    return graph, out


def timed(work, count=300, rounds=3):
    times = []
    for _ in range(20):
        work()
    for _ in range(rounds):
        torch.cuda.synchronize()
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(count):
            work()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b) * 1000 / count)
    return times


def measure_steps():
    found = result.setdefault("steps", [])
    for batch in BATCHES:
        for precision, how in MODES:
            if any(row[:3] == [batch, precision, how] for row in found) or time.time() - start > limit:
                continue
            torch._dynamo.reset()
            model, step = build(precision, how)
            device_x = [torch.rand(batch, 1, 28, 28, device=device).to(memory_format=torch.channels_last) for _ in "ab"]
            device_y = [torch.randint(0, 10, (batch,), device=device) for _ in "ab"]
            host_x = [torch.rand(batch, 1, 28, 28).pin_memory() for _ in "ab"]
            host_y = [torch.randint(0, 10, (batch,)).pin_memory() for _ in "ab"]
            x, y = device_x[0], device_y[0]
            if is_warm:
                step(x, y)
                step(x, y)
                continue
            graph, _ = captured(lambda: step(x, y))

            def copy_and_step():
                x.copy_(host_x[0], non_blocking=True)
                y.copy_(host_y[0], non_blocking=True)
                graph.replay()

            alone, copied = timed(graph.replay), timed(copy_and_step)

            # The next batch is copied while this one is computed: two graphs that take turns.
            side = torch.cuda.Stream()

            def both(own):
                main = torch.cuda.current_stream()
                side.wait_stream(main)
                with torch.cuda.stream(side):
                    device_x[1 - own].copy_(host_x[1 - own], non_blocking=True)
                    device_y[1 - own].copy_(host_y[1 - own], non_blocking=True)
                loss = step(device_x[own], device_y[own])
                main.wait_stream(side)
                return loss

            try:
                graphs = [captured(lambda: both(own))[0] for own in (0, 1)]
                turn = [0]

                def alternate():
                    graphs[turn[0] & 1].replay()
                    turn[0] += 1

                overlapped = timed(alternate)
            except Exception as error:
                say("overlap", str(error)[:200])
                overlapped = None
            row = [batch, precision, how, {"alone": alone, "copied": copied, "overlapped": overlapped}]
            found.append(row)
            shown = [None if times is None else round(sorted(times)[1], 1) for times in (alone, copied, overlapped)]
            say(batch, precision, how, shown)
            save()


def measure_operations():
    a, b, row = torch.ones(64, 64, device=device), torch.ones(64, 64, device=device), torch.ones(64, device=device)
    g = torch.ones(64, 64, device=device, requires_grad=True)
    operations = {
        "add": lambda: a.add(b),
        "add, broadcast": lambda: a.add(row),
        "relu": lambda: a.relu(),
        "mul by a number": lambda: a.mul(2.5),
        "add_": lambda: a.add_(b),
        "sum": lambda: a.sum(),
        "sum of rows": lambda: a.sum(1),
        "softmax": lambda: a.softmax(1),
        "matmul": lambda: a.matmul(b),
        "view": lambda: a.view(4096),
        "transpose": lambda: a.t(),
        "add with a gradient": lambda: g.add(b),
        "empty": lambda: torch.empty((64, 64), device=device),
        "cat": lambda: torch.cat([a, b]),
        "eq": lambda: a.eq(b),
        "to bfloat16": lambda: a.to(torch.bfloat16),
    }
    found = {}
    for name, work in operations.items():
        for _ in range(300):
            work()
        rounds = []
        for _ in range(9):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(400):
                work()
            rounds.append((time.perf_counter() - begin) / 400 * 1e6)
        found[name] = sorted(rounds)[len(rounds) // 2]
    result.setdefault("operations", []).append(found)
    say({name: round(us, 1) for name, us in found.items()})
    save()


def idx(name, offset):
    path = os.path.join(os.environ["DATA"], name)
    with open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz") as file:
        return torch.from_numpy(np.frombuffer(file.read(), np.uint8, offset=offset).copy())


def images(kind):
    pixels = idx(f"{kind}-images-idx3-ubyte", 16).view(-1, 1, 28, 28)
    own = pixels.to(device).float().mul_(1 / (255 * 0.3081)).sub_(0.1307 / 0.3081)
    return own.to(memory_format=torch.channels_last), idx(f"{kind}-labels-idx1-ubyte", 8).to(device).long()


def train(how, precision, seeds):
    found = result.setdefault("training", [])
    x, y = images("train")
    test_x, test_y = images("t10k")
    for seed in seeds:
        if time.time() - start > limit:
            return
        torch._dynamo.reset()
        model, step = build(precision, how, seed)
        initial = {name: value.clone() for name, value in model.state_dict().items()}
        order = torch.randperm(60000, generator=torch.Generator().manual_seed(seed)).to(device)
        indices = torch.zeros(64, dtype=torch.long, device=device)

        def one():
            return step(x.index_select(0, indices), y.index_select(0, indices))

        def forward(images):
            with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16"):
                return (model(images).argmax(1) == test_y).sum()

        own = torch.compile(forward, dynamic=False) if how == "compile" else forward

        def evaluate():
            return own(test_x)

        if is_warm:
            one()
            model.eval()
            evaluate()
            return
        graph, _ = captured(one)
        model.eval()
        measuring, right = captured(evaluate)
        model.train()
        model.load_state_dict(initial)
        torch.cuda.synchronize()
        first = time.time() - start
        begin = time.perf_counter()
        steps, measured, accuracy = 0, 0.0, 0.0
        while steps < STEPS if STEPS > 0 else accuracy < 0.98 and steps < 5000:
            for _ in range(50):
                at = steps * 64 % (60000 - 64)
                indices.copy_(order[at : at + 64])
                graph.replay()
                steps += 1
            now = time.perf_counter()
            torch.cuda.synchronize()
            before = time.perf_counter()
            measuring.replay()
            accuracy = right.item() / 10000
            measured += time.perf_counter() - before
        seconds = time.perf_counter() - begin
        name = "PyTorch, torch.compile, then a graph" if how == "compile" else "PyTorch, graph of the whole step"
        found.append(
            {"what": f"{name}, {precision}", "seed": seed, "steps": steps, "accuracy": accuracy, "seconds": seconds,
             "measuring": measured, "fromStart": first + seconds}
        )
        say(how, precision, seed, steps, accuracy, round(seconds, 4), round(measured, 4), round(first + seconds, 1))
        save()


if "steps" in parts:
    measure_steps()
if "operations" in parts:
    measure_operations()
for part in parts:
    if part.startswith("train:"):
        _, how, precision, seeds = part.split(":")
        train(how, precision, [int(seed) for seed in seeds.split("-")])
