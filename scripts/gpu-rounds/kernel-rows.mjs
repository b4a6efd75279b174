// Rows of docs/lab/kernels-h200.json from what `heddle bench` has recorded.

/** Which row of the file a shape is, by the ladder and the sizes that tell its rows apart: the row's title. */
const TITLES = [
  { ladder: "attention-forward", sizes: { causal: 1 }, title: "attention-forward, causal" },
  { ladder: "attention-backward", sizes: { causal: 1 }, title: "attention-backward, causal" },
  { ladder: "attention-varlen", sizes: { causal: 0 }, title: "attention-varlen, not causal" },
  { ladder: "attention-varlen-backward", sizes: { causal: 0 }, title: "attention-varlen-backward, not causal" },
  { ladder: "paged-attention", sizes: { batch: 2 }, title: "paged-attention, two sequences" },
  { ladder: "moe-layer", sizes: { experts: 64 }, title: "moe-layer, 64 experts" },
  { ladder: "linear", sizes: { n: 768 }, title: "linear, 8192 x 768 x 3072" },
  { ladder: "linear", sizes: { n: 16384 }, title: "linear, 4096 x 16384 x 4096" },
  { ladder: "linear", sizes: { k: 16384 }, title: "linear, 4096 x 4096 x 16384" },
  { ladder: "matmul-bf16", sizes: { n: 2304 }, title: "matmul-bf16, 8192 x 2304 x 768" },
  { ladder: "matmul-bf16", sizes: { n: 768 }, title: "matmul-bf16, 8192 x 768 x 3072" },
  { ladder: "matmul-bf16", sizes: { n: 14336 }, title: "matmul-bf16, 4096 x 14336 x 4096" },
  { ladder: "bias-gradient", sizes: { rows: 8192 }, title: "bias-gradient, 8192 x 3072" },
  { ladder: "encoder-backward", sizes: { batch: 8 }, title: "encoder-backward, 8 x 1024 tokens" },
  { ladder: "cross-entropy-forward", sizes: { rows: 1024 }, title: "cross-entropy-forward, 1024 x 50257" },
];
const titleOf = ({ ladder, shape }) =>
  TITLES.find((one) => one.ladder === ladder && Object.entries(one.sizes).every(([key, value]) => shape[key] === value))
    ?.title;

const microseconds = ({ timings: [timing] }) => 1000 * timing.ms.median;
const fastestOf = (list) =>
  list
    .filter(({ verdict, timings }) => verdict === "ok" && timings.length > 0)
    .toSorted((a, b) => microseconds(a) - microseconds(b))[0] ?? null;

const digits = (value) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));
function speedOf({ work, isMemory }, us) {
  return isMemory ? `${digits(work.bytes / us / 1e3)} GB/s` : `${digits(work.operations / us / 1e6)} TFLOP/s`;
}
const shortConfiguration = (configuration) =>
  Object.entries(configuration ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** Rivals of ladders as the page calls them. */
const RIVALS = { openBlas: "cuBLAS", cublasLt: "cuBLASLt" };
const called = ({ rival }) => RIVALS[rival] ?? rival;

/** A recorded result as a row, without the run. `version` is null where none is right. */
export function rowOf(record) {
  const { ladder, summary, shape, work, versions, rivals } = record;
  const [ours, rival] = [fastestOf(versions), fastestOf(rivals)];
  const sizes = Object.entries(shape)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
  if (ours === null) return { ladder, sizes, version: null, speed: "no version is right", note: "" };
  const [timing] = ours.timings;
  const isMemory = timing.limitedBy === "bytes";
  const us = microseconds(ours);
  const others = rivals
    .filter(({ verdict, timings }) => verdict === "ok" && timings.length > 0)
    .map((one) => `${called(one)} ${digits(microseconds(one))}`);
  const note = [shortConfiguration(ours.configuration), [`${digits(us)} µs`, ...others].join("; ")];
  const title = titleOf(record);
  return {
    ladder,
    ...(title === undefined ? {} : { title }),
    does: summary,
    sizes,
    kind: isMemory ? "memory" : "compute",
    limit: isMemory ? "copy" : "mma",
    version: ours.version,
    speed: speedOf({ work, isMemory }, us),
    share: Math.round((100 * timing.limitMs) / timing.ms.median),
    rival: rival === null ? null : { name: called(rival), speed: speedOf({ work, isMemory }, microseconds(rival)) },
    note: `${note.filter((part) => part !== "").join(". ")}.`,
  };
}

/** Puts a row in place of the one with its ladder and title, whose words stay, or behind the last of its kind. */
export function putRow(figures, { sizes, ...row }) {
  const at = figures.kernels.findIndex(({ ladder, title }) => ladder === row.ladder && title === row.title);
  const old = figures.kernels[at];
  if (old === undefined) {
    const last = figures.kernels.findLastIndex(({ kind }) => kind === row.kind);
    // Another shape of a ladder is told in the words of the first.
    const { does } = figures.kernels.find(({ ladder }) => ladder === row.ladder) ?? row;
    const shape = sizes.replaceAll(/\w+=(\d+)/g, "$1").replaceAll(" ", " x ");
    figures.kernels.splice(last + 1, 0, { ...row, does, shape, wanted: "–", met: "–" });
    return;
  }
  // The limit of the file is that of the same kind of units: fp8's is another.
  const { does, shape, kind, limit, wanted, met } = old;
  figures.kernels[at] = { ...row, does, shape, kind, limit, wanted, met };
}

/** The file: a line for each row. */
export function formatted({ kernels, llmc, ...rest }) {
  const head = JSON.stringify(rest, null, 1).slice(0, -2);
  const list = (rows) => rows.map((row) => `  ${spaced(row)}`).join(",\n");
  return `${head},\n "kernels": [\n${list(kernels)}\n ],\n "llmc": [\n${list(llmc)}\n ]\n}\n`;
}
/** JSON with a space behind commas and colons. */
const spaced = (value) => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`);
  return `{${entries.join(", ")}}`;
};
