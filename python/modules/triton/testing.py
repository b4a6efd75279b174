"""triton.testing: how long something takes, and tables and plots of it."""

import os
import statistics
import sys
import time

from _heddle_host import torch_binding as _h
import torch
from torch.testing import assert_close  # noqa: F401

# Without a GPU a benchmark's points are to tell that everything works, in minutes: a line ends behind a point that took
# longer than this, and a benchmark when all its points took so long together.
POINT_LIMIT_S = 2.0
BENCHMARK_LIMIT_S = 60.0


def _quantile(values, q):
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _summary(times, quantiles, return_mode):
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    return getattr(statistics, {"min": "mean", "max": "mean"}.get(return_mode, return_mode))(
        times if return_mode not in ("min", "max") else [{"min": min, "max": max}[return_mode](times)],
    )


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", **_):
    """Milliseconds of a call. Without a GPU: of one call, behind one that compiles."""
    assert return_mode in ("min", "max", "mean", "median", "all")

    def sample():
        for tensor in grad_to_none or []:
            tensor.grad = None
        _h.synchronize()
        start = _h.now()
        fn()
        _h.synchronize()
        return _h.now() - start

    first = sample()
    if _h.isEmulated:
        # A second call where the first one was short: it compiled the kernel.
        return _summary([min(first, sample()) if first < POINT_LIMIT_S * 500 else first], quantiles, return_mode)
    estimate = max(1e-3, min(sample() for _ in range(3)))
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = [sample() for _ in range(max(1, int(rep / estimate)))]
    return _summary(times, quantiles, return_mode)


do_bench_cudagraph = do_bench


class Benchmark:
    def __init__(
        self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args,
        xlabel="", ylabel="", x_log=False, y_log=False, styles=None,
    ):
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel, self.ylabel = xlabel, ylabel
        self.x_log, self.y_log = x_log, y_log
        self.styles = styles


class _Budget:
    """What is measured without a GPU."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.ended = {}
        self.skipped = 0

    def allows(self, line):
        allowed = not _h.isEmulated or (self.seconds > 0 and line not in self.ended)
        self.skipped += not allowed
        return allowed

    def count(self, line, seconds):
        self.seconds -= seconds
        if seconds > POINT_LIMIT_S:
            self.ended[line] = seconds


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _rows(self, bench, budget, arguments):
        for x in bench.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {len(values)}")
            point = dict(zip(bench.x_names, values))
            cells = []
            for line in bench.line_vals:
                if not budget.allows(line):
                    cells.append((None, None, None))
                    continue
                began = time.perf_counter()
                found = self.fn(**point, **{bench.line_arg: line}, **bench.args, **arguments)
                budget.count(line, time.perf_counter() - began)
                cells.append(tuple(found) if isinstance(found, (tuple, list)) else (found, None, None))
            yield values, cells

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **arguments):
        several = isinstance(self.benchmarks, (list, tuple))
        benchmarks = list(self.benchmarks) if several else [self.benchmarks]
        tables = []
        for bench in benchmarks:
            budget = _Budget(BENCHMARK_LIMIT_S / len(benchmarks))
            table = Table(bench, list(self._rows(bench, budget, arguments)))
            tables.append(table)
            if print_data:
                print(bench.plot_name + ":")
                print(table)
            if budget.skipped:
                limit = BENCHMARK_LIMIT_S / len(benchmarks)
                print(
                    f"heddle: {budget.skipped} points of {bench.plot_name} are empty: without a GPU, a line ends "
                    f"after a point of {POINT_LIMIT_S:.0f} s, and a benchmark after {limit:.0f} s",
                    file=sys.stderr,
                )
            if show_plots or save_path:
                _save(table, save_path or ".", with_csv=bool(save_path))
        if return_df:
            return tables if several else tables[0]
        return None


def perf_report(benchmarks):
    return lambda fn: Mark(fn, benchmarks)


class Table:
    """The measured points: a row for each x, a column for each line."""

    def __init__(self, bench, rows):
        self.bench = bench
        self.rows = rows
        self.columns = [*bench.x_names, *bench.line_names]

    def cells(self):
        return [[*values, *(cell[0] for cell in cells)] for values, cells in self.rows]

    def __str__(self):
        def text(value):
            return "NaN" if value is None else f"{float(value):.6f}"

        heads = ["", *self.columns]
        if self.bench.ylabel:
            heads = ["", *self.bench.x_names, *(f"{name} ({self.bench.ylabel})" for name in self.bench.line_names)]
        lines = [[str(i), *map(text, row)] for i, row in enumerate(self.cells())]
        for column in range(1, len(heads)):
            if all(line[column].endswith(".000000") or line[column] == "NaN" for line in lines):
                for line in lines:
                    line[column] = line[column].removesuffix("00000")
        widths = [max(len(line[column]) for line in [heads, *lines]) for column in range(len(heads))]
        aligned = [
            "  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))])
            for line in [heads, *lines]
        ]
        return "\n".join(line.rstrip() for line in aligned)

    def to_csv(self, path):
        with open(path, "w") as file:
            print(",".join(self.columns), file=file)
            for row in self.cells():
                print(",".join("" if value is None else repr(float(value)) for value in row), file=file)


def _save(table, folder, with_csv):
    from ._plot import plot

    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{table.bench.plot_name}.svg")
    with open(path, "w") as file:
        file.write(plot(table))
    print(f"heddle: wrote {path}", file=sys.stderr)
    if with_csv:
        table.to_csv(os.path.join(folder, f"{table.bench.plot_name}.csv"))
