/** Hints about data that could be used again: by tiles in shared memory and in registers, and by registers at all. */
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";
import { requestMetric, sectorMetric, wavefrontMetric } from "../access-metrics.ts";
import { unitRates } from "../gpu-rates.ts";
import {
  LEAST_GAIN,
  LEAST_WASTE,
  accessesIn,
  placeOf,
  ratio,
  threadMetric,
  threadsOf,
  type Finding,
  type HintInput,
  type PlacedAccess,
} from "./hint.ts";
import { isOneAddress } from "./lane-strides.ts";
import { tensorCycles } from "../warpgroup-products.ts";

/** Each sector is loaded many times, by lanes, warps and blocks that could share it. */
export function redundantLoadHints({ launch, metrics, gpu, model }: HintInput): Finding[] {
  const name = sectorMetric({ space: "global", operation: "load" });
  const distinct = (metrics["dram__bytes_read.sum"] ?? 0) / SECTOR_BYTES;
  // Tensor cores need no longer for many products than other units for few.
  const rates = unitRates(gpu);
  const float =
    threadsOf(metrics, ["ffma", "fadd", "fmul", "dfma", "dadd", "dmul", "hfma"]) +
    rates.fp32 * tensorCycles(metrics, rates);
  // A value that all lanes share comes at once.
  const loads = accessesIn(
    launch,
    ({ space, operation, sample, transactions, ideal }) =>
      space === "global" &&
      operation === "load" &&
      sample !== null &&
      !isOneAddress(sample) &&
      // Lanes that lie apart have a hint of their own; of which half of the sectors is used, do not.
      transactions <= HALF_USED * ideal,
  );
  const total = loads.reduce((sum, { access }) => sum + access.transactions, 0);
  const times = total / Math.max(1, distinct);
  const threads = loads.reduce((sum, { access }) => sum + access.threads, 0);
  // A kernel that computes much with each element that it loads does not wait for loads.
  if (times < REDUNDANT || threads * OPERATIONS_A_LOAD < float) return [];
  const worst = loads.sort((a, b) => b.access.requests - a.access.requests)[0];
  const requests = requestMetric({ space: "global", operation: "load" });
  const fewer = Math.min(times, TILE);
  const saved = loads.reduce((sum, { access }) => sum + access.requests, 0) * (1 - 1 / fewer) * WITH_ADDRESSES;
  const gain = model.gain({
    fewer: { accesses: loads.map(({ access }) => access), times: fewer },
    metrics: {
      [name]: (metrics[name] ?? 0) - total * (1 - 1 / fewer),
      [requests]: (metrics[requests] ?? 0) / fewer,
      [EXECUTED]: Math.max(0, (metrics[EXECUTED] ?? 0) - saved),
      [threadMetric("integer")]: Math.max(0, (metrics[threadMetric("integer")] ?? 0) - 32 * saved),
    },
    waits: { loads: launch.waits.loads / fewer },
  });
  if (worst === undefined || gain < LEAST_GAIN) return [];
  return [
    {
      kind: "redundant-loads",
      place: placeOf(worst.line),
      what: `each sector of global memory is loaded ${ratio(total, distinct)} times`,
      cure:
        "load a tile into shared memory once for the whole block, or keep it in registers for several results of a " +
        "thread",
      waste: 1 - 1 / times,
      gain,
    },
  ];
}

const EXECUTED = "smsp__inst_executed.sum";
/** Instructions for a load and its address. */
const WITH_ADDRESSES = 2;
const REDUNDANT = 6;
const HALF_USED = 2;
const OPERATIONS_A_LOAD = 4;
/** A tile is used about as often. */
const TILE = 16;

/** Spills, and arrays that are indexed at run time. */
export function localMemoryHints(input: HintInput): Finding[] {
  return [...localArrayHints(input), ...spillHints(input)];
}

/** Where the registers are known: fewer spilled bytes are in L1, and cost little. */
const MUCH_SPILLED = 32;

function spillHints({ launch: { facts } }: HintInput): Finding[] {
  const bytes = facts.spillBytes ?? 0;
  if (bytes < MUCH_SPILLED) return [];
  return [
    {
      kind: "local-memory",
      place: null,
      what:
        `${facts.registersPerThread} registers are too few for a thread: it stores values in local memory and loads ` +
        `them again, ${bytes} bytes by the code (spills)`,
      cure:
        "keep fewer values live at once: smaller tiles, loops that are unrolled less; or allow more registers " +
        "(__launch_bounds__, -maxrregcount)",
      waste: LEAST_WASTE,
      // How often a warp comes there only the code of the GPU says.
      gain: 1,
    },
  ];
}

function localArrayHints({ launch, model }: HintInput): Finding[] {
  const local = accessesIn(launch, ({ space }) => space === "local");
  const all = accessesIn(launch, ({ space }) => space === "global" || space === "local");
  const sectors = local.reduce((sum, { access }) => sum + access.transactions, 0);
  const waste =
    sectors /
    Math.max(
      1,
      all.reduce((sum, { access }) => sum + access.transactions, 0),
    );
  // What is only stored there is handed to a function: the arguments of printf.
  const isRead = local.some(({ access }) => access.operation === "load");
  if (waste < LEAST_WASTE || !isRead) return [];
  const worst = local.sort((a, b) => b.access.transactions - a.access.transactions)[0] as PlacedAccess;
  const gain = model.gain({
    metrics: Object.fromEntries(
      (["load", "store"] as const).map((operation) => [sectorMetric({ space: "local", operation }), 0]),
    ),
  });
  return [
    {
      kind: "local-memory",
      place: placeOf(worst.line),
      what:
        `an array of the thread is in local memory, which is DRAM behind the caches: ${Math.round(100 * waste)} % of ` +
        "the sectors are for it",
      cure:
        "index it by constants, in loops that are unrolled whole, so that it stays in registers; or have it in " +
        "shared memory",
      waste,
      gain,
    },
  ];
}

/** By less the one does not wait for the other. */
const OUT_OF_BALANCE = 1.15;
const WARP_LANES = 32;
/** The counters alone say that shared memory limits. */
const LEAST_TILE_GAIN = 1.1;

/** Shared memory feeds few operations for each word. */
export function registerTileHints({ launch, metrics, gpu, model }: HintInput): Finding[] {
  const name = wavefrontMetric({ operation: "load" });
  const wavefronts = metrics[name] ?? 0;
  const fma = threadsOf(metrics, ["ffma", "dfma", "hfma"]) / 32;
  const loads = accessesIn(launch, ({ space, operation }) => space === "shared" && operation === "load");
  const worst = loads.sort((a, b) => b.access.requests - a.access.requests)[0];
  // Shared memory serves a wavefront in a cycle, in which the multiply-adds of so many warps are computed.
  const balance = WARP_LANES / unitRates(gpu).fp32;
  if (worst === undefined || fma < wavefronts / 2 || wavefronts < OUT_OF_BALANCE * balance * fma) return [];
  const gain = model.gain({
    fewer: { accesses: loads.map(({ access }) => access), times: 4 },
    metrics: {
      [name]: wavefronts / 4,
      "smsp__inst_executed.sum": (metrics["smsp__inst_executed.sum"] ?? 0) - (3 * wavefronts) / 4,
    },
  });
  if (gain < LEAST_TILE_GAIN) return [];
  return [
    {
      kind: "register-tile",
      place: placeOf(worst.line),
      what: `each multiply-add needs ${(wavefronts / fma).toPrecision(2)} loads of shared memory`,
      cure: "let each thread compute a tile of results, and keep what it loads in registers for all of them",
      waste: 1 - 1 / gain,
      gain,
    },
  ];
}
