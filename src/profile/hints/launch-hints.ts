/** Hints about the launch as a whole: its grid, its blocks, and how many warps fit on a multiprocessor. */
import { dim3Volume } from "../../base/dim3.ts";
import { requestMetric } from "../access-metrics.ts";
import { LEAST_GAIN, percent, type Finding, type HintInput } from "./hint.ts";

/** Of a warp that has something to do. */
const LEAST_LOADS = 4;
/** Less occupancy hides little. */
const LOW_OCCUPANCY = 0.34;
/** What is enough for most kernels. */
const ENOUGH_OCCUPANCY = 0.5;
/** A last wave that is fuller wastes little. */
const NEARLY_EMPTY = 0.5;
/** Of grids with more waves the last one weighs little. */
const FEW_WAVES = 4;
/** Shorter kernels end before the GPU is full. */
const TAIL_MICROSECONDS = 20;

export function launchHints(input: HintInput): Finding[] {
  return [...smallGridHints(input), ...tailHints(input), ...smallBlockHints(input), ...occupancyHints(input)];
}

function smallGridHints({ launch: { grid, facts }, metrics, gpu, model }: HintInput): Finding[] {
  const blocks = dim3Volume(grid);
  const multiprocessors = gpu.multiProcessorCount;
  if (blocks >= multiprocessors) return [];
  const warps = metrics["smsp__warps_launched.sum"] ?? 0;
  // As many blocks as fit on the GPU, if that leaves each warp a few loads; but one for each multiprocessor at least.
  const each = multiprocessors / Math.max(1, blocks);
  const most = each * facts.occupancy.blocks;
  const loads = (metrics[requestMetric({ space: "global", operation: "load" })] ?? 0) / Math.max(1, warps);
  const times = Math.max(each, Math.min(most, loads / LEAST_LOADS));
  return [
    {
      kind: "small-grid",
      place: null,
      what:
        `the grid has ${blocks} ${blocks === 1 ? "block" : "blocks"}, the GPU ${multiprocessors} multiprocessors ` +
        `(${percent(facts.waves)} of a wave)`,
      cure: "split the work into more blocks",
      waste: 1 - blocks / multiprocessors,
      gain: model.gainWithStart({
        metrics: { launch__grid_size: times * blocks, "smsp__warps_launched.sum": times * warps },
      }),
    },
  ];
}

/** The last wave of blocks takes as long as a full one. */
function tailHints({ launch: { facts, grid }, gpu, model }: HintInput): Finding[] {
  const { waves, lastWave, occupancy } = facts;
  // The few blocks of the last wave share the bandwidth that all had before.
  if (model.limiter === "DRAM" || model.limiter === "L2") return [];
  if (waves <= 1 || waves > FEW_WAVES || lastWave >= NEARLY_EMPTY || lastWave === 0) return [];
  const gain = Math.ceil(waves) / waves;
  if (gain < LEAST_GAIN || model.microseconds < TAIL_MICROSECONDS) return [];
  const blocks = dim3Volume(grid);
  const wave = occupancy.blocks * gpu.multiProcessorCount;
  return [
    {
      kind: "tail",
      place: null,
      what:
        `${blocks} blocks are ${waves.toFixed(2)} waves of ${wave}: the last one is ${percent(lastWave)} full ` +
        "and takes as long as a full one",
      cure: `launch ${wave} blocks, or a multiple, that go through the work in a loop; or make blocks smaller`,
      waste: 1 - 1 / gain,
      gain,
    },
  ];
}

function smallBlockHints({ launch: { block }, metrics, model }: HintInput): Finding[] {
  const threads = dim3Volume(block);
  if (threads % 32 === 0) return [];
  const used = threads / (32 * Math.ceil(threads / 32));
  const executed = metrics["smsp__inst_executed.sum"] ?? 0;
  return [
    {
      kind: "small-blocks",
      place: null,
      what: `a block has ${threads} threads: its last warp runs with ${threads % 32} of 32`,
      cure: "choose a multiple of 32 threads",
      waste: 1 - used,
      gain: model.gain({ metrics: { "smsp__inst_executed.sum": executed * used } }),
    },
  ];
}

function occupancyHints({ launch: { facts, grid }, gpu, model }: HintInput): Finding[] {
  const { occupancy, waves } = facts;
  if (occupancy.part >= LOW_OCCUPANCY || dim3Volume(grid) < gpu.multiProcessorCount) return [];
  const more = ENOUGH_OCCUPANCY / Math.max(0.01, occupancy.part);
  const gain = model.gain({
    facts: {
      waves: waves / more,
      occupancy: {
        ...occupancy,
        part: ENOUGH_OCCUPANCY,
        warps: occupancy.warps * more,
        blocks: occupancy.blocks * more,
      },
    },
  });
  const holds =
    `a multiprocessor holds ${occupancy.warps} warps, ${percent(occupancy.part)} of what it could: ` +
    `${occupancy.limit} ${occupancy.limit === "shared memory" ? "limits" : "limit"} them`;
  return gain < LEAST_GAIN
    ? []
    : [
        {
          kind: "occupancy",
          place: null,
          what: `${holds}, and they are too few to hide how long memory takes`,
          cure: `${OF_LIMIT[occupancy.limit]}, or give each thread more independent operations`,
          waste: 1 - occupancy.part,
          gain,
        },
      ];
}

const OF_LIMIT = {
  warps: "choose blocks of which more fit",
  registers: "keep fewer values live, or set __launch_bounds__",
  "shared memory": "take less shared memory in a block",
  blocks: "make blocks larger",
} as const;
