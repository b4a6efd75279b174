/** Block IR as text, for people: one operation a line, regions indented. */
import { formatOperand } from "../../../ir/text/print.ts";
import type { BlockKernel, BlockOp, BlockValue, Region } from "./model.ts";
import { operandsOf, regionsOf } from "./operands.ts";
import { formatBlockType } from "./types.ts";

export function printKernel(kernel: BlockKernel): string {
  const names = new Names();
  const params = kernel.params.map(({ value, name, typeName, divisibility }) => {
    names.give(value, name);
    return `%${name}: ${typeName}${divisibility > 1 ? ` (a multiple of ${divisibility})` : ""}`;
  });
  return [`kernel ${kernel.name}(${params.join(", ")}) {`, ...printRegion(kernel.body, names, "  "), "}", ""].join(
    "\n",
  );
}

class Names {
  readonly #names = new Map<BlockValue, string>();

  give(value: BlockValue, name: string): void {
    this.#names.set(value, name);
  }

  of(value: BlockValue): string {
    let name = this.#names.get(value);
    if (name === undefined) this.#names.set(value, (name = `${this.#names.size}`));
    return `%${name}`;
  }
}

function printRegion(region: Region, names: Names, indent: string): string[] {
  const lines = region.ops.flatMap((op) => printOp(op, names, indent));
  if (region.yields.length > 0)
    lines.push(`${indent}yield ${region.yields.map((value) => names.of(value)).join(", ")}`);
  return lines;
}

const HIDDEN = new Set(["op", "location", "results", "operands", "sources", "value"]);

function printOp(op: BlockOp, names: Names, indent: string): string[] {
  const operands = operandsOf(op).map((value) => names.of(value));
  const attributes = Object.entries(op)
    .filter(([key, value]) => !HIDDEN.has(key) && (typeof value !== "object" || Array.isArray(value)) && value !== null)
    .filter(([key, value]) => key !== "initial" && value !== false)
    .map(([key, value]) => (value === true ? key : `${key}=${Array.isArray(value) ? `[${value.join(", ")}]` : value}`));
  if (op.op === "constant") attributes.push(formatOperand(op.value));
  const results = op.results.map((value) => names.of(value));
  const types = op.results.map(({ type }) => formatBlockType(type));
  const left = results.length === 0 ? "" : `${results.join(", ")} = `;
  const right = types.length === 0 ? "" : ` : ${types.join(", ")}`;
  const words = [op.op, operands.join(", "), ...attributes].filter((word) => word !== "");
  const line = `${indent}${left}${words.join(" ")}${right}`;
  const place = op.location === null ? "" : `  # line ${op.location.line}`;
  const regions = regionsOf(op);
  if (regions.length === 0) return [`${line}${place}`];
  const lines = [`${line} {${place}`];
  for (const [i, region] of regions.entries()) {
    if (i > 0) lines.push(`${indent}} {`);
    if (region.params.length > 0) {
      const params = region.params.map((value) => `${names.of(value)}: ${formatBlockType(value.type)}`);
      lines.push(`${indent}(${params.join(", ")}):`);
    }
    lines.push(...printRegion(region, names, `${indent}  `));
  }
  return [...lines, `${indent}}`];
}
