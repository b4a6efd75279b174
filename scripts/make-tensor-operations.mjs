// Writes docs/tensor-operations.md: what tensors can do, from the tables and classes of dist, with how many cases agree
// with PyTorch (docs/lab/torch-operations.json, by scripts/compat/torch-operations/main.mjs).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wrap } from "./docs-pages.mjs";
import { functional, Tensor, Tensors } from "../dist/tensor.js";
import { ABSENT } from "../dist/tensor/api/absent.js";
import { hasTritonText } from "../dist/tensor/expressions/triton-text.js";
import { ELEMENT_FUNCTIONS } from "../dist/tensor/operations/element-functions.js";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs", "tensor-operations.md");
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const lab = (file) => JSON.parse(readFileSync(join(root, "docs", "lab", file), "utf8"));

/** What counts as equal, and what is left out. */
function bounds(onCpu, onGpu) {
  const nearer = Object.entries(onGpu)
    .filter(([, one]) => one.nearer > 0)
    .map(([name, one]) => `${one.nearer} of \`${name.replace("nn.functional.", "")}\``)
    .join(", ");
  const count = Object.values(onCpu).reduce((n, one) => n + (one.nearer ?? 0), 0);
  return [
    "Bounds are relative to an element for functions of elements, else to the greatest element of a result: 1e-7 for",
    "float64, 1.3e-5 for float32, 4e-3 for float16, 1.6e-2 for bfloat16. In a case of several types the bound of the",
    "least exact one counts. A result beyond its bound that is closer than PyTorch's to the one in double precision is",
    `left out: ${count} on the CPU, and on the GPU ${nearer}. PyTorch rounds more often in these, or sums`,
    "in another order; the gradient of `avg_pool1d` of a transposed input is another one on the GPU than on the CPU",
    "there.",
  ].join(" ");
}

/** The page's text. */
export function operationsPage() {
  const known = lab("torch-operations.json");
  const all = Object.values(known);
  const sum = (kind) => all.reduce((total, { same }) => total + (same[kind] ?? 0), 0);
  const counts = (of) => {
    const own = Object.values(of);
    const total = (kind) => own.reduce((sum_, { same }) => sum_ + (same[kind] ?? 0), 0);
    const apart = own.flatMap(({ different }) => Object.values(different)).reduce((n, { count }) => n + count, 0);
    const wider = (kind) => own.reduce((n, one) => n + (one.wider?.[kind] ?? 0), 0);
    return { sample: total("sample"), random: total("random"), error: total("error"), apart, wider };
  };
  const { apart: differ, wider } = counts(known);
  const onGpu = counts(lab("torch-operations-h200.json"));
  const explained = reasons(known, lab("torch-operations-h200.json"));
  const agreeing = (name) => {
    const own = Object.entries(known).filter(([key]) => key.replace("nn.functional.", "").replace(/#.*/, "") === name);
    const count = own.reduce((total, [, { same }]) => total + (same.sample ?? 0) + (same.random ?? 0), 0);
    return count === 0 ? "" : String(count);
  };
  const rows = Object.entries(ELEMENT_FUNCTIONS).map(([name, { operands, gives, expression }]) => {
    const result = { same: "that of the operands", float: "a float", bool: "bool" }[gives];
    const where = hasTritonText(expression) ? "kernel" : "host";
    const gradient = expression.isBool ? "no" : "yes";
    return `| \`${camel(name)}\` | ${operands} | ${result} | ${gradient} | ${where} | ${agreeing(name)} |`;
  });
  const names = (of) => of.filter((name) => !name.startsWith("_") && name !== "constructor").sort();
  const methods = names(Object.getOwnPropertyNames(Tensor.prototype)).filter(
    (name) => !(snake(name) in ELEMENT_FUNCTIONS),
  );
  return `# Operations of tensors

${all.length} operations of PyTorch's own table (OpInfo) are compared with PyTorch on a CPU: ${sum("sample")} sample
inputs and ${sum("random")} random cases agree in values and gradients, and ${sum("error")} error inputs are errors
here, too. ${differ} cases differ (\`docs/lab/torch-operations.json\`). In ${wider("wider")} more, Heddle
computes what PyTorch refuses, such as a type; in ${wider("number")} it takes a number where PyTorch takes a tensor.
On an H200, beside PyTorch on the same GPU: ${onGpu.sample} samples, ${onGpu.random} random cases and
${onGpu.error} errors agree, ${onGpu.apart} differ (\`docs/lab/torch-operations-h200.json\`).

${explained}

${wrap(bounds(known, lab("torch-operations-h200.json")))}

## Functions of elements

Each is an expression: gradients of any order, the host's loop and the kernel are made from it.

| name | operands | type of the result | gradient | runs as | cases that agree |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

## Other methods of tensors

${list(methods)}

## Functions in \`functional\`

${list(names(Object.keys(functional)))}

## Functions of \`openTensors()\`

${list(names(Object.getOwnPropertyNames(Tensors.prototype)).filter((name) => !ABSENT.includes(name)))}

## Where elements of a GPU's tensor are computed by the host

Everything else stays on the device. These read a tensor's elements:

- linear algebra (\`torch.linalg\`, \`cholesky\`, \`logdet\`), in double precision
- \`searchsorted\`, \`bucketize\`, \`isin\`, \`bincount\`, \`histc\`, \`mode\`, \`multinomial\`
- \`unique\` along a dimension, \`ctcLoss\`
- \`scatterReduce\` by \`prod\`, \`amax\` and \`amin\`, the counts of \`repeatInterleave\` and \`maskedScatter\`
- the gradients of \`unfold\` and of \`cumprod\` beside zeros
- convolutions of float64, pooling of windows of different sizes, the derivatives of \`lgamma\`
- products of whole numbers, and of float64 without cuBLAS
- \`binaryCrossEntropy\`, which checks that all elements are between 0 and 1

\`nonzero\`, \`maskedSelect\`, \`unique\` and masks as indices read one number: how many elements there are.
`;
}

/** Cases that are apart for a reason that is not Heddle's, on a CPU and on a GPU. */
function reasons(...runs) {
  const rows = new Map();
  for (const [k, run] of runs.entries())
    for (const [name, { explained = {} }] of Object.entries(run))
      for (const [reason, { count }] of Object.entries(explained)) {
        const key = `| \`${name}\` | ${reason} |`;
        const counts = rows.get(key) ?? [0, 0];
        counts[k] += count;
        rows.set(key, counts);
      }
  if (rows.size === 0) return "";
  const lines = [...rows].map(([key, [cpu, gpu]]) => `${key} ${cpu} | ${gpu} |`);
  return [
    "These are apart, too, for a reason that is not Heddle's (scripts/compat/torch-operations/explained.mjs):",
    "",
    "| operation | reason | on a CPU | on the GPU |",
    "| --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

const list = (of) => wrapped(of.map((name) => `\`${name}\``).join(" "));

/** Lines of at most 120 columns. */
function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > 118) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.join("\n");
}

export const pageOnDisk = () => readFileSync(page, "utf8");

if (import.meta.filename === process.argv[1]) writeFileSync(page, operationsPage());
