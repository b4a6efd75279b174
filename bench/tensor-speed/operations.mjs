// The operations whose cost for the host is measured, by name.
export function operations(torch) {
  const r = (...shape) => torch.ones(shape).contiguous();
  const [a, b, row] = [r(64, 64), r(64, 64), r(64)];
  const g = r(64, 64).requiresGrad_();
  const one = (work) => () => work().dispose();
  return {
    add: one(() => a.add(b)),
    "add, broadcast": one(() => a.add(row)),
    relu: one(() => a.relu()),
    "mul by a number": one(() => a.mul(2.5)),
    add_: () => void a.add_(b),
    sum: one(() => a.sum()),
    "sum of rows": one(() => a.sum(1)),
    softmax: one(() => a.softmax(1)),
    matmul: one(() => a.matmul(b)),
    view: one(() => a.view(4096)),
    transpose: one(() => a.t()),
    "add with a gradient": one(() => g.add(b)),
    empty: one(() => torch.empty([64, 64])),
    cat: one(() => torch.cat([a, b])),
    eq: one(() => a.eq(b)),
    "to bfloat16": one(() => a.to("bfloat16")),
  };
}
