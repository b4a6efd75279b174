/** Findings as text, in the manner of compilers: what, where (with the source line), who, against whom, how often, and what usually helps. */
import type { SourceLocation } from "../base/diagnostics.ts";
import { formatLocation } from "../base/diagnostics.ts";
import { formatDim3 } from "../base/dim3.ts";
import type { Extent, Finding, FindingKind } from "./finding.ts";
import type { ObjectName } from "./pointer-bounds.ts";

export interface ReportStyle {
  readonly color: boolean;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
}

const TITLES: Readonly<Record<FindingKind, string>> = {
  "out-of-bounds": "out of bounds", "use-after-free": "use after free", "null-pointer": "null pointer", "not-device-memory": "not device memory",
  unallocated: "not in any allocation", misaligned: "misaligned",
};

const HINTS: Readonly<Record<FindingKind, string>> = {
  "out-of-bounds": "compare the index with the number of elements before the access, and the number of threads with the size of the data",
  "use-after-free": "free the memory after the last kernel that uses it, or drop the pointer",
  "null-pointer": "check that the allocation succeeded and that the pointer was passed to the kernel",
  "not-device-memory": "give the kernel memory from cudaMalloc or cudaMallocManaged, not a pointer of the host",
  unallocated: "the pointer was never set, was overwritten, or an index was applied to it that does not belong to it",
  misaligned: "an access of 2, 4, 8 or 16 bytes needs an address that is a multiple of as many",
};

/** One report after the other, with an empty line between. */
export function formatFindings(findings: readonly Finding[], style: ReportStyle): string {
  return findings.map((finding) => `${formatFinding(finding, style).join("\n")}\n`).join("\n");
}

export function formatFinding(finding: Finding, style: ReportStyle): string[] {
  const paint = (code: string, text: string): string => (style.color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { kind, access, bytes, example, launch, count } = finding;
  const size = `${bytes} byte${bytes === 1 ? "" : "s"}`;
  const lines = [`${paint("1;31", `${finding.checker}: ${TITLES[kind]}:`)} ${access === "atomic" ? "atomic operation on" : `${access} of`} ${size}`];
  lines.push(...place(finding.location, finding.function, style, paint));
  const others = count > 1 ? `, and ${count - 1} more` : "";
  lines.push(`   by thread ${formatDim3(example.thread)} of block ${formatDim3(example.block)}${others}`);
  lines.push(`   ${against(finding, style)}`);
  if (example.landsIn !== null) lines.push(`   where it lands is another allocation, ${describe(example.landsIn)}`);
  lines.push(`   launch ${launch.ordinal}: ${style.readable(launch.kernel)}<<<${formatDim3(launch.grid)}, ${formatDim3(launch.block)}${launch.sharedBytes > 0 ? `, ${launch.sharedBytes}` : ""}>>>`);
  lines.push(`   ${paint("36", "help:")} ${HINTS[kind]}`);
  return lines;
}

function place(location: SourceLocation | null, functionName: string, style: ReportStyle, paint: (code: string, text: string) => string): string[] {
  const inFunction = `, in ${style.readable(location?.functionName ?? functionName)}`;
  if (location === null) return [`  --> somewhere${inFunction}`];
  const lines = [`  --> ${formatLocation(location)}${inFunction}`];
  const source = style.linesOf(location.file)?.[location.line - 1];
  if (source !== undefined) {
    const number = String(location.line);
    const margin = " ".repeat(number.length);
    lines.push(`${margin}  |`, `${number}  | ${source}`);
    // Tabs stay, so that the caret stands under its column.
    if (location.column > 0) lines.push(`${margin}  | ${source.slice(0, location.column - 1).replace(/[^\t]/g, " ")}${paint("1;32", "^")}`);
  }
  for (let outer = location.inlinedAt; outer !== undefined; outer = outer.inlinedAt) lines.push(`   inlined at ${formatLocation(outer)}`);
  return lines;
}

/** The object that was missed, and by how much. */
function against({ kind, bytes, object, example: { address, owner } }: Finding, style: ReportStyle): string {
  const at = `address 0x${address.toString(16)}`;
  if (kind === "use-after-free" && owner !== null) return `${at}, ${address - owner.start} bytes into an allocation that was freed, ${describe(owner)}`;
  if (owner === null) return at;
  const what = objectName(object, owner, style.readable);
  // Differences of 32-bit addresses: a negative distance is a large number otherwise.
  const distance = (address - owner.start) | 0;
  if (distance < 0) return `${-distance} bytes before the start of ${what}`;
  if (distance >= owner.bytes) return `${distance - owner.bytes} bytes past the end of ${what}`;
  return `${distance + bytes - owner.bytes} of its bytes past the end of ${what}`;
}

function objectName(object: ObjectName, owner: Extent, readable: (name: string) => string): string {
  switch (object.kind) {
    case "shared": return `the shared array ${readable(object.name)} of ${owner.bytes} bytes`;
    case "dynamic-shared": return `the dynamic shared memory ${readable(object.name)}, of which the launch gives ${owner.bytes} bytes`;
    case "local": return `the local array ${object.name} of ${owner.bytes} bytes`;
    case "variable": return `the variable ${readable(object.name)} of ${owner.bytes} bytes`;
    case "parameter": return `the allocation ${describe(owner)} that the parameter ${object.name} points into`;
    case "pointer": return `the allocation ${describe(owner)}`;
  }
}

function describe({ start, bytes }: Extent): string {
  return `[0x${start.toString(16)}, 0x${(start + bytes).toString(16)}) of ${bytes} bytes`;
}
