/** Hints about accesses to memory: lanes that lie apart, banks, loads that are too narrow or too many, local memory. */
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import { requestMetric, sectorMetric, wavefrontMetric } from "../access-metrics.ts";
import type { AccessProfile, LineProfile } from "../line-profile.ts";
import {
  LEAST_GAIN,
  LEAST_WASTE,
  TOLERATED,
  VERBS,
  accessesIn,
  placeOf,
  ratio,
  threadMetric,
  type Finding,
  type HintInput,
  type PlacedAccess,
} from "./hint.ts";
import { tileShare } from "./gain.ts";
import { busiestBank, laneStride } from "./lane-strides.ts";

/** Of the bytes that a thread can load at once. */
const WIDEST_BYTES = 16;

/** Accesses of a space whose requests need far more than the ideal: the worst of each line. */
function wastefulAccesses(
  { launch }: HintInput,
  space: AccessProfile["space"],
): (PlacedAccess & { readonly waste: number })[] {
  const all = accessesIn(launch, (access) => access.space === space);
  const total = all.reduce((sum, { access }) => sum + access.transactions, 0);
  const worst = new Map<LineProfile, PlacedAccess & { readonly waste: number }>();
  for (const { line, access } of all) {
    const { transactions, ideal } = access;
    const waste = (transactions - ideal) / Math.max(1, total);
    if (transactions <= ideal * TOLERATED || waste < LEAST_WASTE) continue;
    if ((worst.get(line)?.waste ?? 0) < waste) worst.set(line, { line, access, waste });
  }
  return [...worst.values()];
}

/** Bytes of DRAM cannot be more than those that threads ask for. */
function neededDram({ launch, metrics }: HintInput, operation: "load" | "store"): Record<string, number> {
  const name = operation === "load" ? "dram__bytes_read.sum" : "dram__bytes_write.sum";
  const asked = accessesIn(launch, (access) => access.space === "global" && access.operation === operation).reduce(
    (sum, { access }) => sum + access.threads * access.bytes,
    0,
  );
  return { [name]: Math.min(metrics[name] ?? 0, asked) };
}

export function uncoalescedHints(input: HintInput): Finding[] {
  const vectors = vectorGroups(input);
  const isGrouped = (line: LineProfile): boolean => vectors.some(({ lines }) => lines.includes(line));
  const all = wastefulAccesses(input, "global").filter(
    ({ line, access }) => !(access.operation === "load" && isGrouped(line)),
  );
  const apart = accessesIn(
    input.launch,
    ({ space, transactions, ideal }) => space === "global" && transactions > ideal * TOLERATED,
  ).map((placed) => placed.access);
  return all.map(({ line, access, waste }) => {
    const { operation, bytes, transactions, requests, ideal, threads } = access;
    const used = Math.round((100 * threads * bytes) / (transactions * SECTOR_BYTES));
    const { apart: distance, cure } = describeStride(access);
    return {
      kind: "uncoalesced",
      place: placeOf(line),
      what:
        `${VERBS[operation]} of ${bytes} bytes touch ${ratio(transactions, requests)} sectors a request, ` +
        `ideally ${ratio(ideal, requests)}: ${distance}; ${used} % of the bytes moved are used`,
      cure,
      waste,
      gain: gainSideBySide(
        input,
        apart.filter((other) => isAlike(other, access)),
      ),
    };
  });
}

/** Lanes of both lie apart by as much: one change cures both. */
function isAlike(a: AccessProfile, b: AccessProfile): boolean {
  const [x, y] = [a, b].map(({ sample }) => (sample === null ? null : laneStride(sample).bytes));
  return a === b || (x !== null && x === y);
}

function gainSideBySide(input: HintInput, accesses: readonly AccessProfile[]): number {
  const { metrics, model } = input;
  const changed: Record<string, number> = {};
  for (const access of accesses) {
    const { operation, transactions, ideal } = access;
    const name = sectorMetric(access);
    changed[name] = (changed[name] ?? metrics[name] ?? 0) - (transactions - ideal);
    if (operation === "load" || operation === "store") Object.assign(changed, neededDram(input, operation));
  }
  const threads = Math.max(...accesses.map((access) => sharesOf(input, access)));
  return model.gain({ ideal: accesses, metrics: changed, threads });
}

/** Threads that could share what one does: each goes through a row of its own, one element after the other. */
function sharesOf({ metrics }: HintInput, { sample, requests, bytes }: AccessProfile): number {
  const stride = sample === null ? null : laneStride(sample).bytes;
  const elements = requests / Math.max(1, metrics["smsp__warps_launched.sum"] ?? 0);
  if (stride === null || Math.abs(stride) < WARP * bytes || elements < WARP) return 1;
  return elements >= LONG_ROW ? BLOCK : WARP;
}

const WARP = 32;
/** A row of as many elements is for a block. */
const LONG_ROW = 2048;
const BLOCK = 256;

/** Members of a struct are this far apart at most. */
const STRUCT_BYTES = 128;

function describeStride({ sample, bytes }: AccessProfile): { readonly apart: string; readonly cure: string } {
  const stride = sample === null ? null : laneStride(sample).bytes;
  if (stride === null)
    return {
      apart: "the lanes' addresses follow no pattern",
      cure: "sort the indices, so that neighbouring threads find their data side by side, or stage it in shared memory",
    };
  const apart = `neighbouring threads are ${Math.abs(stride)} bytes apart`;
  if (Math.abs(stride) > bytes && Math.abs(stride) < STRUCT_BYTES)
    return {
      apart,
      cure:
        "use an array for each member in place of an array of structs, let neighbouring threads take neighbouring " +
        "elements, or load whole structs into shared memory",
    };
  return {
    apart,
    cure:
      "let threadIdx.x be the fastest index of an address: let the threads of a warp walk a row together, or go " +
      "through a tile in shared memory",
  };
}

export function bankConflictHints(input: HintInput): Finding[] {
  const { metrics, model } = input;
  const all = accessesIn(
    input.launch,
    ({ space, transactions, ideal }) => space === "shared" && transactions > ideal * TOLERATED,
  ).map((placed) => placed.access);
  return wastefulAccesses(input, "shared").map(({ line, access, waste }) => {
    const { operation, transactions, requests, ideal, sample } = access;
    const name = wavefrontMetric(access);
    const stride = sample === null ? null : laneStride(sample).bytes;
    const { words } = sample === null ? { words: 0 } : busiestBank(sample);
    const rows = stride === null ? null : Math.abs(stride) / 4;
    const apart =
      rows === null || rows < 2
        ? `up to ${words} lanes ask one bank for different words`
        : `neighbouring threads are ${rows} words apart, so ${words} of them ask one bank for different words`;
    // One change cures all accesses of this kind whose lanes meet in the same way.
    const alike = all.filter(
      (other) => other === access || (other.operation === operation && meetAlike(other, access)),
    );
    const excess = alike.reduce((sum, other) => sum + other.transactions - other.ideal, 0);
    const pad =
      rows !== null && rows % 32 === 0 ? `pad each row to ${rows + 1} elements` : "pad each row by one element";
    return {
      kind: "bank-conflicts",
      place: placeOf(line),
      what:
        `${VERBS[operation]} ${operation === "copy" ? "to" : "of"} shared memory take ` +
        `${ratio(transactions, requests)} wavefronts a request, ideally ${ratio(ideal, requests)}: ${apart}`,
      cure: `${pad}, let neighbouring threads take neighbouring words, or swizzle the column with the row`,
      waste,
      gain: model.gain({ ideal: alike, metrics: { [name]: (metrics[name] ?? 0) - excess } }),
    };
  });
}

function meetAlike(a: AccessProfile, b: AccessProfile): boolean {
  const [x, y] = [a, b].map(({ sample }) => (sample === null ? null : laneStride(sample).bytes));
  return x === y && a.bytes === b.bytes;
}

interface VectorGroup {
  readonly lines: readonly LineProfile[];
  readonly accesses: readonly AccessProfile[];
  readonly stride: number;
}

/** Loads of one thread that lie side by side and together are a vector: p[4 * i], p[4 * i + 1], … */
function vectorGroups({ launch }: HintInput): VectorGroup[] {
  const groups = new Map<string, PlacedAccess[]>();
  for (const placed of accessesIn(
    launch,
    ({ space, operation, sample }) => space === "global" && operation === "load" && sample !== null,
  )) {
    const { access, line } = placed;
    const stride = access.sample === null ? null : laneStride(access.sample).bytes;
    if (stride === null || stride <= access.bytes || stride > WIDEST_BYTES || WIDEST_BYTES % stride !== 0) continue;
    const key = `${line.function} ${stride} ${access.bytes} ${access.requests}`;
    groups.set(key, [...(groups.get(key) ?? []), placed]);
  }
  return [...groups].flatMap(([key, placed]) => {
    const stride = Number(key.split(" ").at(-3));
    const { bytes } = (placed[0] as PlacedAccess).access;
    const offsets = new Set(placed.map(({ access }) => firstAddress(access) % stride));
    if (offsets.size < stride / bytes) return [];
    return [
      { lines: [...new Set(placed.map(({ line }) => line))], accesses: placed.map(({ access }) => access), stride },
    ];
  });
}

function firstAddress({ sample }: AccessProfile): number {
  const lanes = sample?.lanes ?? 0;
  return sample?.addresses[31 - Math.clz32(lanes & -lanes)] ?? 0;
}

export function vectorHints(input: HintInput): Finding[] {
  const { metrics, model } = input;
  const grouped = vectorGroups(input).map(({ lines, accesses, stride }): Finding => {
    const excess = accesses.reduce((sum, { transactions, ideal }) => sum + transactions - ideal, 0);
    const name = sectorMetric({ space: "global", operation: "load" });
    const { bytes } = accesses[0] as AccessProfile;
    return {
      kind: "vector-load",
      place: placeOf(lines[0] as LineProfile),
      what:
        `each thread loads ${stride / bytes} neighbouring elements of ${bytes} bytes one by one: ` +
        `${stride / bytes} times the requests, each for parts of the same sectors`,
      cure: `load them at once, as a ${vectorType(bytes, stride)}`,
      waste: excess / Math.max(1, metrics[name] ?? 0),
      gain: model.gain({
        ideal: accesses,
        metrics: { [name]: (metrics[name] ?? 0) - excess },
        wider: stride / bytes,
      }),
    };
  });
  return [...grouped, ...narrowLoads(input)];
}

function vectorType(bytes: number, stride: number): string {
  if (bytes === 4) return `float${stride / 4} (int${stride / 4})`;
  return bytes === 8 ? "double2" : `vector of ${stride} bytes (uint${stride / 4})`;
}

const LEAST_WAVES = 2;
const EXECUTED = "smsp__inst_executed.sum";
/** Instructions for a load and its address. */
const WITH_ADDRESSES = 2;
/** Of the loads, those that fill tiles. */
const MOSTLY = 0.5;
const LEAST_FILL_GAIN = 1.1;
/** A warp that loads so often does so in a loop. */
const MANY_LOADS = 16;

/** Coalesced loads of a few bytes, where waiting for them limits a kernel that reads much. */
function narrowLoads({ launch, metrics, model }: HintInput): Finding[] {
  const requests = metrics[requestMetric({ space: "global", operation: "load" })] ?? 0;
  const each = requests / Math.max(1, metrics["smsp__warps_launched.sum"] ?? 0);
  // Of a grid that fits on the GPU at once, with few loads in a warp, every load is under way at once.
  if (launch.facts.waves < LEAST_WAVES && each < MANY_LOADS) return [];
  const loads = accessesIn(
    launch,
    ({ space, operation, bytes, transactions, ideal }) =>
      space === "global" && operation === "load" && bytes <= WIDEST_BYTES && transactions <= ideal * TOLERATED,
  );
  const total = metrics[sectorMetric({ space: "global", operation: "load" })] ?? 0;
  const distinct = (metrics["dram__bytes_read.sum"] ?? 0) / SECTOR_BYTES;
  const worst = loads.sort((a, b) => b.access.transactions - a.access.transactions)[0];
  if (worst === undefined || worst.access.transactions < total / 4) return [];
  // What is read again and again comes from a cache. Who fills tiles waits for it all the same.
  const fillsTiles = tileShare(launch, metrics) > MOSTLY;
  if (total > 8 * distinct && !fillsTiles) return [];
  const { access, line } = worst;
  if (access.bytes === WIDEST_BYTES) return loadsUnderWay(worst, model);
  const wider = WIDEST_BYTES / access.bytes;
  // Who computes with tiles competes with loads for issue slots; who waits for DRAM does not.
  const asked = fillsTiles ? loads.reduce((sum, one) => sum + one.access.requests, 0) : 0;
  const saved = asked * (1 - 1 / wider) * WITH_ADDRESSES;
  const gain = model.gain({
    wider,
    metrics: {
      [EXECUTED]: Math.max(0, (metrics[EXECUTED] ?? 0) - saved),
      [threadMetric("integer")]: Math.max(0, (metrics[threadMetric("integer")] ?? 0) - (WARP * saved) / 2),
    },
  });
  if (gain < (fillsTiles ? LEAST_FILL_GAIN : LEAST_GAIN)) return [];
  return [
    {
      kind: "vector-load",
      place: placeOf(line),
      what:
        `a request loads ${32 * access.bytes} bytes only; ` +
        `${each < MANY_LOADS ? `${ratio(each, 1)} of them a warp are` : "a warp waits with"} too few bytes under way ` +
        "to fill the time that DRAM takes to answer",
      cure:
        `let each thread load ${WIDEST_BYTES} bytes at once (float4, or uint4 of halves), or several elements before ` +
        "it uses the first",
      waste: 1 - 1 / gain,
      gain,
    },
  ];
}

/** Loads side by side of a thread that are enough where one is too few. */
const SIDE_BY_SIDE = 4;

/** Loads are as wide as they can be, and warps wait for one after the other. */
function loadsUnderWay({ line }: PlacedAccess, model: HintInput["model"]): Finding[] {
  const gain = model.gain({ wider: SIDE_BY_SIDE });
  if (gain < LEAST_GAIN) return [];
  return [
    {
      kind: "loads-under-way",
      place: placeOf(line),
      what: "warps wait for one load after the other: too few bytes are under way to fill the time that DRAM takes",
      cure:
        "ask for several elements before the first of them is used, or for the next one before this one is used; " +
        "or let more warps fit on a multiprocessor",
      waste: 1 - 1 / gain,
      gain,
    },
  ];
}
