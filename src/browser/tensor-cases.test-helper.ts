/** Operations whose results are compared between Node.js and a page: both run this file. */
import {
  decodeSafetensors,
  encodeSafetensors,
  functional as F,
  gradcheck,
  type Tensor,
  type Tensors,
} from "../tensor.ts";
import { methodCases, operationCases } from "../tensor/api/gradient-cases.test-helper.ts";
import { casesOf, type Work } from "../tensor/compile/cases.test-helper.ts";

/** Enough elements for kernels, as an emulated device runs fewer on the host. */
const ROWS = 256;
const COLUMNS = 128;

/** Of the functions that are compiled elsewhere: one of each kind. */
const COMPILED: ReadonlySet<string> = new Set(["broadcast", "types", "layer norm", "dropout", "argmax", "long rows"]);

const long = (x: Tensor): Tensor => x.abs().mul(100).long().remainder(ROWS);

/** Functions of a large matrix: each runs as kernels. */
const LARGE: Readonly<Record<string, (x: Tensor) => Tensor>> = {
  "elements, broadcast": (x) =>
    x
      .mul(x.narrow(0, 0, 1))
      .tanh()
      .add(x.sigmoid()),
  "exp, log, powers": (x) => x.exp().add(1).log().pow(1.5),
  "sums of rows": (x) => x.square().sum(1),
  "sums of columns": (x) => x.square().mean(0),
  variance: (x) => x.var(1),
  softmax: (x) => x.softmax(1),
  "log of sums of columns": (x) => x.logsumexp(0),
  "greatest of rows": (x) => x.amax(1),
  matmul: (x) => x.t().matmul(x),
  "layer norm": (x) => F.layerNorm(x, [COLUMNS]),
  "cumulative sums": (x) => x.cumsum(1),
  sort: (x) => x.sort(1).values,
  topk: (x) => x.topk(5, 1).values,
  "rows by index": (x) => x.indexSelect(0, long(x.select(1, 0))),
  gather: (x) => x.gather(0, long(x)),
  convolution: (x) =>
    F.conv2d(
      x.view(4, 8, 32, 32),
      x
        .flatten()
        .narrow(0, 0, 8 * 8 * 9)
        .view(8, 8, 3, 3),
    ),
  pooling: (x) => F.maxPool2d(x.view(4, 8, 32, 32), 2),
  "half precision": (x) => x.half().mul(3).add(x.half()).float(),
  bfloat16: (x) => x.bfloat16().mul(x.bfloat16()).float(),
};

/** Type, shape and every element. */
function described(tensor: Tensor | null): string {
  if (tensor === null) return "none";
  const values = tensor.reshape(-1).tolist() as readonly (number | bigint | boolean)[];
  const text = values.map((value) => (Object.is(value, -0) ? "-0" : String(value))).join();
  return `${tensor.dtype} [${tensor.shape.join()}] ${text}`;
}

function valuesAndGradients(torch: Tensors, work: Work, inputs: readonly Tensor[]): string[] {
  const own = inputs.map((input) => (input.isFloatingPoint ? input.detach().clone().requiresGrad_() : input));
  const result = work(...own);
  const asked = own.filter(({ requiresGrad }) => requiresGrad);
  const gradients = result.requiresGrad
    ? torch.grad(result, asked, { gradOutputs: [torch.onesLike(result).mul(0.3)] })
    : [];
  return [result, ...gradients].map(described);
}

/** The results of all cases, by name. */
export function tableOf(torch: Tensors): Record<string, readonly string[]> {
  const results: Record<string, readonly string[]> = {};
  const run = (name: string, work: Work, inputs: () => readonly Tensor[]): void => {
    torch.manualSeed(7);
    results[name] = valuesAndGradients(torch, work, inputs());
  };
  for (const [name, work] of Object.entries({ ...methodCases(() => torch), ...operationCases(() => torch) }))
    run(name, work, () => [torch.randn([3, 4]).to("float64")]);
  for (const [name, work, inputs] of casesOf(() => torch))
    if (COMPILED.has(name)) run(`compiled: ${name}`, torch.compile(work, { silent: true }), inputs);
  for (const [name, work] of Object.entries(LARGE)) run(`large: ${name}`, work, () => [torch.randn([ROWS, COLUMNS])]);
  for (const size of [10, ROWS * COLUMNS])
    run(
      `random numbers: ${size}`,
      () => randomNumbers(torch, size),
      () => [],
    );
  results["own operation"] = ownOperation(torch);
  results["safetensors"] = safetensors(torch);
  return results;
}

function randomNumbers(torch: Tensors, size: number): Tensor {
  const shape = [size];
  const drawn = [torch.rand(shape), torch.randn(shape), torch.randint(0, 1000, shape).float()];
  return torch.cat([...drawn, torch.randperm(size).float(), F.dropout(torch.ones(shape))]);
}

function ownOperation(torch: Tensors): string[] {
  const square = torch.defineOp({
    name: "square",
    forward(context, x: Tensor) {
      context.saveForBackward(x);
      return x.mul(x);
    },
    backward: ({ savedTensors }, gradient) => gradient.mul(savedTensors[0] as Tensor).mul(2),
  });
  return [
    ...valuesAndGradients(torch, square, [torch.tensor([1, 2, 3])]),
    String(gradcheck(square, [torch.randn([3])])),
  ];
}

function safetensors(torch: Tensors): string[] {
  const bytes = encodeSafetensors(
    { a: torch.arange(6).view(2, 3), b: torch.tensor([1.5]).half() },
    { about: "a test" },
  );
  const { tensors, metadata } = decodeSafetensors(bytes, torch.device);
  return [JSON.stringify(metadata), ...Object.entries(tensors).map(([name, tensor]) => `${name} ${described(tensor)}`)];
}
