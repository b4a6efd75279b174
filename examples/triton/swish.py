# Checks a kernel against torch, measures both, and draws the plot: a whole script, with its host part.
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def swish_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x * tl.sigmoid(x), mask=at < n)


def swish(x):
    y = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    swish_kernel[grid](x, y, x.numel(), BLOCK=1024)
    return y


torch.manual_seed(0)
x = torch.randn(5000, device=DEVICE)
y = swish(x)
print(y)
assert torch.allclose(y, x * torch.sigmoid(x), atol=1e-6)


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["n"],
        x_vals=[2**i for i in range(12, 19, 2)],
        x_log=True,
        line_arg="by",
        line_vals=["triton", "torch"],
        line_names=["Triton", "torch"],
        ylabel="GB/s",
        plot_name="swish",
        args={},
    )
)
def benchmark(n, by):
    x = torch.randn(n, device=DEVICE)
    work = (lambda: swish(x)) if by == "triton" else (lambda: x * torch.sigmoid(x))
    return 2 * x.numel() * x.element_size() * 1e-6 / triton.testing.do_bench(work)


if __name__ == "__main__":
    benchmark.run(print_data=True)
