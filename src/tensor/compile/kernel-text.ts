/** What the texts of a kernel in both languages say alike. */
import { elementBytes } from "../dtypes.ts";
import type { Buffer } from "./graph.ts";
import { product, type Lowered } from "./lower.ts";

export interface KernelNames {
  readonly kernel: string;
  /** The parameter for the generator's seed and counter. */
  readonly random: string;
  readonly randomBuffer: number;
  /** Threads of PyTorch's kernel that fills so many elements with random numbers. */
  readonly threadsOf: (length: number) => number;
  readonly isAligned: (buffer: number) => boolean;
}

/** Whether positions need more than 32 bits. */
export function isWide({ rows, columns, values, stores }: Lowered, buffers: readonly Buffer[]): boolean {
  const most = 2 ** 31 - 2 ** 15;
  if (product(rows) * product(columns) >= most) return true;
  const isLarge = (buffer: number, bytes: number): boolean => (buffers[buffer] as Buffer).bytes / bytes >= most;
  return (
    values.some((value) => value.kind === "load" && isLarge(value.buffer, elementBytes(value.dtype))) ||
    stores.some(({ node }) => isLarge(node.output.buffer, elementBytes(node.output.dtype)))
  );
}

/** Comments above a kernel: what it computes, over which elements, and what its parameters hold. */
export function headerOf(
  { rows, columns, values, stores }: Lowered,
  buffers: readonly Buffer[],
  pointers: readonly number[],
  names: KernelNames,
): string[] {
  const operations = [...new Set(values.map(({ label }) => label))].filter((label) => label !== "");
  const isReducing = values.some(({ kind }) => kind === "reduce");
  const over = isReducing
    ? `${product(rows)} rows [${rows.join(", ")}] of ${product(columns)} columns [${columns.join(", ")}]`
    : `${product(rows) * product(columns)} elements [${[...rows, ...columns].join(", ")}]`;
  const lines = [`${names.kernel}: ${operations.join(", ") || "a number"}`, `over ${over}`];
  for (const id of pointers) {
    const buffer = buffers[id] as Buffer;
    const store = stores.find(({ node }) => node.output.buffer === id);
    const load = values.find((value) => value.kind === "load" && value.buffer === id);
    const dtype = store?.node.output.dtype ?? load?.dtype ?? "float32";
    const ways = [load === undefined ? "" : "read", store === undefined ? "" : "written"].filter((way) => way !== "");
    lines.push(`${buffer.name}: ${dtype}, ${buffer.bytes / elementBytes(dtype)} elements, ${ways.join(" and ")}`);
  }
  return lines;
}
