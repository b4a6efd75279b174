/** A profile as one HTML file: all kernels, a roofline, and for each kernel its hints, figures and source. */
import { counted } from "../base/counted.ts";
import { dim3Volume } from "../base/dim3.ts";
import { markup, type Html } from "../report/markup.ts";
import { percentText, timeText } from "../report/numbers.ts";
import { page } from "../report/page.ts";
import { roofline } from "../report/plots.ts";
import { table } from "../report/table.ts";
import { kernelSection } from "./kernel-section.ts";
import { activeThreads, extents, nameKernels, type PageKernel, type ProfilePageOptions } from "./page-kernel.ts";
import { sameLaunches } from "./same-launches.ts";
import type { ProfileReport } from "./profile-report.ts";
import { flopsOf } from "./flops.ts";

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

function overview(kernels: readonly PageKernel[], { gpu }: ProfileReport): Html {
  const rows = kernels.map(({ id, name, count, first }) => {
    const { grid, block, facts, predicted, metrics } = first;
    const [hint] = first.hints;
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
        ? markup`<p>No kernel both computes with floating-point numbers and moves bytes of DRAM.</p>`
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
