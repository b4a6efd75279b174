/**
 * What Triton's own sanitizers find, the checkers find in Triton kernels: each fault beside a right twin. The faults
 * are those of the tests of triton-viz (its sanitizer, its race detector) and of Triton's gsan.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { check } from "../check.ts";
import { loadTriton, tensorDescriptor, type TritonArgument, type TritonKeywords } from "../triton.ts";
import type { DeviceArray } from "./device-array.ts";
import type { Gpu } from "./gpu.ts";

const filename = "triton-faults.py";
const SOURCE = readFileSync(new URL(filename, import.meta.url), "utf8");
const HELPER = `import triton
import triton.language as tl

@triton.jit
def row_of_two(out, value):
    for j in range(2):
        tl.store(out + j, value)  # FAULT
`;
const imports = { ".helper": HELPER };

const zeros = (device: Gpu, length: number): DeviceArray => device.array(new Int32Array(length));
const floats = (device: Gpu, length: number): DeviceArray => device.array(new Float32Array(length));
const integers = (device: Gpu, values: readonly number[]): DeviceArray => device.array(Int32Array.from(values));

type Arguments = readonly (TritonArgument | TritonKeywords)[];

/** A launch; `kind` is of the finding that it must have, null of none. */
interface Case {
  readonly name: string;
  readonly kernel: string;
  readonly kind: string | null;
  readonly grid?: readonly number[];
  readonly args: (device: Gpu) => Arguments;
}

/** The first has the fault, the second has not. */
function pair(
  kernel: string,
  kind: string,
  faulty: (device: Gpu) => Arguments,
  right: (device: Gpu) => Arguments,
  grid: readonly number[] = [1],
): Case[] {
  return [
    { name: `${kernel}, with its fault`, kernel, kind, grid, args: faulty },
    { name: `${kernel}, right`, kernel, kind: null, grid, args: right },
  ];
}

const OUTSIDE = "out-of-bounds";

const outside: Case[] = [
  ...pair(
    "shifted",
    OUTSIDE,
    (d) => [floats(d, 16), floats(d, 16), { SHIFT: 1000, BLOCK: 16 }],
    (d) => [floats(d, 16), floats(d, 16), { SHIFT: 0, BLOCK: 16 }],
  ),
  ...pair(
    "product",
    OUTSIDE,
    (d) => [floats(d, 1024), floats(d, 1024), floats(d, 1024), { SHIFT: 1, N: 32, T: 16 }],
    (d) => [floats(d, 1024), floats(d, 1024), floats(d, 1024), { SHIFT: 0, N: 32, T: 16 }],
    [2, 2],
  ),
  ...pair(
    "indirect",
    OUTSIDE,
    (d) => [integers(d, [0, 7, 2, 8]), floats(d, 8), floats(d, 4), { BLOCK: 4 }],
    (d) => [integers(d, [0, 7, 2, 3]), floats(d, 8), floats(d, 4), { BLOCK: 4 }],
  ),
  ...pair(
    "counted",
    OUTSIDE,
    (d) => [zeros(d, 4), { FIRST: 1, COUNT: 4 }],
    (d) => [zeros(d, 4), { FIRST: 0, COUNT: 4 }],
  ),
  ...pair(
    "rows_of_two",
    OUTSIDE,
    (d) => [zeros(d, 8), { ROWS: 5 }],
    (d) => [zeros(d, 8), { ROWS: 4 }],
  ),
  ...pair(
    "sorted_index",
    OUTSIDE,
    (d) => [zeros(d, 7), { BLOCK: 8, ONLY: 0 }],
    (d) => [zeros(d, 7), { BLOCK: 8, ONLY: 1 }],
  ),
  ...pair(
    "block_line",
    OUTSIDE,
    (d) => [floats(d, 20), floats(d, 32), { N: 20, BLOCK: 16, CHECKED: false }],
    (d) => [floats(d, 20), floats(d, 32), { N: 20, BLOCK: 16, CHECKED: true }],
    [2],
  ),
  ...pair(
    "block_line_store",
    OUTSIDE,
    (d) => [floats(d, 20), { N: 20, BLOCK: 16, CHECKED: false }],
    (d) => [floats(d, 20), { N: 20, BLOCK: 16, CHECKED: true }],
    [2],
  ),
  ...pair(
    "block_tiles",
    OUTSIDE,
    (d) => [floats(d, 42), floats(d, 8), { M: 6, N: 7, CHECKED: false }],
    (d) => [floats(d, 42), floats(d, 8), { M: 6, N: 7, CHECKED: true }],
    [2],
  ),
  ...pair(
    "strided",
    OUTSIDE,
    (d) => [zeros(d, 4), zeros(d, 5), zeros(d, 4), 4, { X_STRIDE: 1, Y_STRIDE: 2 }],
    (d) => [zeros(d, 4), zeros(d, 5), zeros(d, 4), 3, { X_STRIDE: 1, Y_STRIDE: 2 }],
  ),
  ...pair(
    "unmasked",
    OUTSIDE,
    (d) => [floats(d, 4), floats(d, 1), { BLOCK: 16 }],
    (d) => [floats(d, 16), floats(d, 1), { BLOCK: 16 }],
  ),
  ...pair(
    "before",
    OUTSIDE,
    (d) => [floats(d, 4), floats(d, 1), { SHIFT: 1 }],
    (d) => [floats(d, 4), floats(d, 1), { SHIFT: 0 }],
  ),
  ...pair(
    "described",
    OUTSIDE,
    (d) => [floats(d, 64), floats(d, 4), { M: 8, ROW: 6, ROWS: 16 }],
    (d) => [floats(d, 64), floats(d, 4), { M: 8, ROW: 6, ROWS: 8 }],
  ),
];

const right: Case[] = [
  {
    name: "indices by cumsum, shifts and where",
    kernel: "hard_indices",
    kind: null,
    args: (d) => [integers(d, [1, 0, 1, 1, 0, 0, 1, 0]), zeros(d, 8), zeros(d, 8), zeros(d, 8), { BLOCK: 8 }],
  },
  {
    name: "indices of a maximum, and a loop as long as the data says",
    kernel: "reduced",
    kind: null,
    grid: [4],
    args: (d) => [floats(d, 32), floats(d, 4), integers(d, [1, 2, 3, 9]), { M: 4, N: 8 }],
  },
  {
    name: "a view that repeats one row",
    kernel: "repeated",
    kind: null,
    grid: [4],
    args: (d) => [floats(d, 5), floats(d, 20), 0, 1, { N: 5 }],
  },
];

/** Which of two accesses comes first is not for the program to say: the kind may be any of a race. */
const RACE = "race";
const RACES: readonly string[] = ["read-after-write", "write-after-read", "write-after-write", "insufficient-scope"];
const relaxed = { GIVE: "relaxed", TAKE: "relaxed", SCOPE: "gpu" };
const ordered = { GIVE: "release", TAKE: "acquire", SCOPE: "gpu" };

const races: Case[] = [
  ...pair(
    "read_after_write",
    RACE,
    (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), relaxed],
    (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), ordered],
    [2],
  ),
  ...pair(
    "write_after_read",
    RACE,
    (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), relaxed],
    (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), ordered],
    [2],
  ),
  ...pair(
    "write_after_write",
    RACE,
    (d) => [zeros(d, 1), zeros(d, 1), relaxed],
    (d) => [zeros(d, 1), zeros(d, 1), ordered],
    [2],
  ),
  // A release that nobody acquires, an acquire of nothing that was released, and a scope that is too small.
  ...["GIVE", "TAKE"].map((side) => ({
    name: `read_after_write, relaxed on one side: ${side}`,
    kernel: "read_after_write",
    kind: RACE,
    grid: [2],
    args: (d: Gpu) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), { ...ordered, [side]: "relaxed" }],
  })),
  {
    name: "read_after_write, in the scope of a block",
    kernel: "read_after_write",
    kind: RACE,
    grid: [2],
    args: (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), { ...ordered, SCOPE: "cta" }],
  },
  {
    name: "read_after_write, right with acq_rel in the system",
    kernel: "read_after_write",
    kind: null,
    grid: [2],
    args: (d) => [zeros(d, 1), zeros(d, 1), zeros(d, 1), { GIVE: "acq_rel", TAKE: "acq_rel", SCOPE: "sys" }],
  },
  ...pair(
    "descriptor_store",
    RACE,
    (d) => [zeros(d, 256), zeros(d, 1), zeros(d, 1), { N: 16, GIVE: "relaxed", TAKE: "relaxed" }],
    (d) => [zeros(d, 256), zeros(d, 1), zeros(d, 1), { N: 16, GIVE: "release", TAKE: "acquire" }],
    [2],
  ),
  ...pair(
    "descriptor_load",
    RACE,
    (d) => described(d, { N: 16, GIVE: "relaxed", TAKE: "relaxed" }),
    (d) => described(d, { N: 16, GIVE: "release", TAKE: "acquire" }),
    [2],
  ),
  ...pair(
    "relayed",
    RACE,
    (d) => [zeros(d, 1), zeros(d, 2), zeros(d, 1), { SEM: "relaxed" }],
    (d) => [zeros(d, 1), zeros(d, 2), zeros(d, 1), { SEM: "acquire" }],
    [3],
  ),
  ...pair(
    "gathered",
    RACE,
    (d) => [zeros(d, 4), zeros(d, 1), zeros(d, 4), { WRITERS: 4, SEM: "relaxed" }],
    (d) => [zeros(d, 4), zeros(d, 1), zeros(d, 4), { WRITERS: 4, SEM: "release" }],
    [5],
  ),
  ...pair(
    "overlapping",
    RACE,
    (d) => [zeros(d, 64), { STEP: 8, BLOCK: 16 }],
    (d) => [zeros(d, 64), { STEP: 16, BLOCK: 16 }],
    [4],
  ),
  ...pair(
    "in_place",
    RACE,
    (d) => [zeros(d, 129), { SHIFT: 1, BLOCK: 32 }],
    (d) => [zeros(d, 129), { SHIFT: 0, BLOCK: 32 }],
    [4],
  ),
  ...pair(
    "histogram",
    RACE,
    (d) => [zeros(d, 64), zeros(d, 2), { ATOMIC: false, BLOCK: 16 }],
    (d) => [zeros(d, 64), zeros(d, 2), { ATOMIC: true, BLOCK: 16 }],
    [4],
  ),
];

function described(device: Gpu, keywords: TritonKeywords): Arguments {
  const data = zeros(device, 256);
  const descriptor = tensorDescriptor(data, { shape: [16, 16], blockShape: [8, 8] });
  return [data, descriptor, zeros(device, 1), zeros(device, 1), keywords];
}

const unwritten = pair(
  "copied",
  "uninitialized",
  (d) => [d.array(16, "float32"), floats(d, 16), { BLOCK: 16 }],
  (d) => [floats(d, 16), floats(d, 16), { BLOCK: 16 }],
);

/** Lines with FAULT of the kernel, and of the helper's file. */
function faultLines(kernel: string): string[] {
  const lines = SOURCE.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`def ${kernel}(`));
  const length = lines.slice(start + 1).findIndex((line) => /^(def|@)/.test(line));
  const own = lines.slice(start, length < 0 ? lines.length : start + 1 + length);
  const found = own.flatMap((line, i) => (line.includes("FAULT") ? [`${filename}:${start + i + 1}`] : []));
  const helper = HELPER.split("\n").findIndex((line) => line.includes("FAULT"));
  return [...found, `helper.py:${helper + 1}`];
}

async function findings({ kernel, grid = [1], args }: Case): Promise<{ kind: string; place: string }[]> {
  const report = await check(async (device) => {
    const program = await loadTriton(SOURCE, { filename, device, imports });
    await program.kernel(kernel).launch({ grid, numWarps: 1 }, ...args(device));
  });
  return report.findings.map(({ kind, location }) => ({ kind, place: `${location?.file}:${location?.line}` }));
}

describe.each([
  ["outside of arrays", outside],
  ["right, though hard to follow", right],
  ["races between programs", races],
  ["memory that nobody has written", unwritten],
])("%s", (_, cases) => {
  it.each(cases)("$name", async (each) => {
    const found = await findings(each);
    if (each.kind === null) {
      expect(found).toEqual([]);
      return;
    }
    const kinds = each.kind === RACE ? RACES : [each.kind];
    expect(found.filter(({ kind }) => kinds.includes(kind))).not.toEqual([]);
    const lines = faultLines(each.kernel);
    expect(found.filter(({ place }) => lines.includes(place))).not.toEqual([]);
  });
});

it("the launches of a stream are in order", async () => {
  const { findings: found } = await check(async (device) => {
    const { kernels } = await loadTriton(SOURCE, { filename, device, imports });
    const [x, out] = [device.array(1024, "int32"), device.array(1024, "int32")];
    await kernels["written"]?.launch({ grid: 8 }, x, { BLOCK: 128 });
    await kernels["reversed_copy"]?.launch({ grid: 8 }, x, out, { BLOCK: 128 });
  });
  expect(found).toEqual([]);
});
