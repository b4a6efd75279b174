/** A profile as one HTML file: all kernels, a roofline, and for each kernel its hints, figures and source. */
import { counted } from "../base/counted.ts";
import { dim3Volume, type Dim3 } from "../base/dim3.ts";
import { markup, type Html } from "../report/markup.ts";
import { percentText, shortNumber, timeText } from "../report/numbers.ts";
import { page } from "../report/page.ts";
import { roofline } from "../report/plots.ts";
import { table } from "../report/table.ts";
import { hintsFor } from "./hints.ts";
import { kernelSection } from "./kernel-section.ts";
import { sameLaunches, type SameLaunches } from "./same-launches.ts";
import type { ProfileReport } from "./profile-report.ts";
import { flopsOf } from "./flops.ts";

export interface ProfilePageOptions {
  /** The program. */
  readonly title: string;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
}

/** Kernels with one shape and the same counters, with what the page calls them. */
export interface PageKernel extends SameLaunches {
  /** Of its section. */
  readonly id: string;
  readonly name: string;
}

export function profilePage(report: ProfileReport, options: ProfilePageOptions): string {
  const { gpu, launches, notRecorded } = report;
  const kernels = nameKernels(sameLaunches(launches), options.readable);
  const about =
    `${counted(launches.length, "kernel launch", "kernel launches")}` +
    `${notRecorded === 0 ? "" : ` (${notRecorded} more are not recorded)`}, by the rules of an ${gpu.name} ` +
    `(compute capability ${gpu.computeCapability}, ${gpu.multiprocessors} multiprocessors). ` +
    "Counters are exact; times are those of a model.";
  return page({
    title: `Profile of ${options.title}`,
    about,
    links: kernels.map(({ id, name }) => ({ id, text: name })),
    body:
      kernels.length === 0
        ? [markup`<p>The program launched no kernel.</p>`]
        : [overview(kernels, report), ...kernels.map((kernel) => kernelSection(kernel, gpu, options))],
  });
}

/** Kernels of one name are told apart by their launch configuration. */
function nameKernels(groups: readonly SameLaunches[], readable: ProfilePageOptions["readable"]): PageKernel[] {
  const names = groups.map(({ first }) => shortName(readable(first.kernel)));
  return groups.map((group, i): PageKernel => {
    const name = names[i] as string;
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    const { grid, block } = group.first;
    return {
      ...group,
      id: `kernel-${i + 1}`,
      name: isAlone ? name : `${name} <<<${extents(grid)}, ${extents(block)}>>>`,
    };
  });
}

/** Without parameters and template arguments, which headings have no room for. */
function shortName(name: string): string {
  return /^[\w:~ ]*/.exec(name.replace(/^(?:void|auto) /, ""))?.[0]?.trim() || name;
}

function overview(kernels: readonly PageKernel[], { gpu }: ProfileReport): Html {
  const rows = kernels.map(({ id, name, count, first }) => {
    const { grid, block, facts, predicted, metrics } = first;
    const [hint] = hintsFor(first, gpu.multiprocessors);
    const active = activeThreads(metrics);
    return [
      { show: markup`<a href="#${id}">${name}</a>`, sort: name },
      { show: count, sort: count },
      { show: extents(grid), sort: dim3Volume(grid) },
      { show: extents(block), sort: dim3Volume(block) },
      { show: timeText(predicted.microseconds), sort: predicted.microseconds },
      { show: timeText(count * predicted.microseconds), sort: count * predicted.microseconds },
      predicted.limiter,
      { show: percentText(facts.occupancy.part), sort: facts.occupancy.part },
      { show: active === null ? "" : active.toFixed(1), sort: active ?? 0 },
      hint === undefined
        ? { show: markup`<span class="good">none</span>`, sort: "" }
        : { show: hint.kind.replaceAll("-", " "), sort: hint.kind },
    ];
  });
  const points = kernels.flatMap(({ id, name, first: { metrics, predicted } }) => {
    const bytes = (metrics["dram__bytes_read.sum"] ?? 0) + (metrics["dram__bytes_write.sum"] ?? 0);
    const { single, double } = flopsOf(metrics);
    const flops = single + double;
    if (bytes === 0 || flops === 0) return [];
    return [{ name, intensity: flops / bytes, rate: flops / (predicted.microseconds * 1e-6), href: `#${id}` }];
  });
  const { fp32FlopsPerSecond, fp64FlopsPerSecond, dramBytesPerSecond } = gpu.peaks;
  const isDouble = kernels.some(({ first: { metrics } }) => flopsOf(metrics).double > 0);
  return markup`<section id="kernels">
    <h2>Kernels</h2>
    ${table({
      sortable: true,
      full: true,
      caption: "Launches of one kernel with the same shape and counters are one row. A click on a heading sorts.",
      columns: [
        { title: "kernel", isText: true },
        { title: "launches" },
        { title: "grid" },
        { title: "block" },
        { title: "time (model)" },
        { title: "all launches" },
        { title: "limited by", isText: true },
        { title: "occupancy" },
        { title: "active threads" },
        { title: "first hint", isText: true },
      ],
      rows,
    })}
    <h3>Roofline</h3>
    <p class="muted">
      Where a kernel could be with its operations for each byte (the line), and where the model sees it (the dot). Bytes
      are those that must come from DRAM at least once.
    </p>
    ${
      points.length === 0
        ? markup`<p>No kernel does floating-point arithmetic.</p>`
        : roofline({
            label: "Roofline",
            bytesPerSecond: dramBytesPerSecond,
            roofs: [
              { name: "fp32", peak: fp32FlopsPerSecond },
              ...(isDouble ? [{ name: "fp64", peak: fp64FlopsPerSecond }] : []),
            ],
            points,
          })
    }
  </section> `;
}

/** Threads of a warp that are active on average; null: nothing was executed. */
export function activeThreads(metrics: Readonly<Record<string, number>>): number | null {
  const warps = metrics["smsp__inst_executed.sum"] ?? 0;
  return warps === 0 ? null : (metrics["smsp__thread_inst_executed.sum"] ?? 0) / warps;
}

export function extents({ x, y, z }: Dim3): string {
  return [x, ...(y > 1 || z > 1 ? [y] : []), ...(z > 1 ? [z] : [])].map((one) => shortNumber(one)).join(" × ");
}
