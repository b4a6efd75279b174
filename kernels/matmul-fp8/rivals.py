import torch


def scaled(a, b, scale, m, n, k):
    one = torch.ones((), device=a.device)
    x, y = a.view(m, k).view(torch.float8_e4m3fn), b.view(n, k).view(torch.float8_e4m3fn)
    return torch._scaled_mm(x, y.t(), scale.view(()), one, out_dtype=torch.bfloat16, use_fast_accum=True)


# cuBLASLt takes rows and columns in multiples of 16.
def cublaslt(a, b, scale, m, n, k):
    if m % 16 == 0 and n % 16 == 0 and k % 16 == 0:
        return scaled(a, b, scale, m, n, k)
    x, y = (t.view(torch.float8_e4m3fn).float().view(-1, k) for t in (a, b))
    return (x @ y.t() * scale).bfloat16()
