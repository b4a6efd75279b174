/** Results as one HTML file that needs nothing else: a table, the ladder as bars, each sweep as bars, each profile. */
import { keyOf } from "../kernel-library/search-space.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { formatMs, percent } from "../measure/format-times.ts";
import { throttledBy } from "../measure/gpu-clocks.ts";
import { bars } from "../report/bars.ts";
import { markup, type Html } from "../report/markup.ts";
import { page } from "../report/page.ts";
import { table, type Cell, type Column } from "../report/table.ts";
import { clocksText, errorText, formatSurroundings, gainsOf, rateOf } from "./report-table.ts";
import type { ProfilePageOptions } from "../profile/page-kernel.ts";
import { profileSections, profileTable } from "./profile-sections.ts";
import { mainTiming, type LadderResult, type ResultRecord, type RivalResult, type VersionResult } from "./results.ts";

/** @param linesOf a source file's lines, for profiles. */
export function benchPage(
  records: readonly ResultRecord[],
  linesOf: ProfilePageOptions["linesOf"] = () => null,
): string {
  const [first] = records;
  const about =
    first === undefined
      ? ""
      : `${formatSurroundings(first.surroundings)}; ${first.surroundings.time}. Times are medians.`;
  const named = records.map((record, i) => ({ id: `ladder-${i + 1}`, record }));
  return page({
    title: records.length === 1 && first !== undefined ? `Ladder ${first.ladder}` : "Ladders",
    about,
    links: named.map(({ id, record }) => ({ id, text: record.ladder })),
    body: named.flatMap(({ id, record }) => [section(id, record), ...profileSections(id, record, linesOf)]),
  });
}

function section(id: string, result: LadderResult): Html {
  const { ladder, summary, shape, versions, rivals, checkedShapes, seed } = result;
  const isCold = [...versions, ...rivals].some(({ timings }) => timings.some(({ cache }) => cache === "cold"));
  const gains = gainsOf(versions);
  const rows = [
    ...versions.map((version, i) => {
      const { version: name, idea, configuration } = version;
      const text = { name, idea, configuration: keyOf(configuration ?? {}), gain: gains[i] ?? "" };
      return tableRow(result, text, version, isCold);
    }),
    ...rivals.map((rival) => {
      const text = { name: rival.rival, idea: "", configuration: rival.description ?? "", gain: "" };
      return tableRow(result, text, rival, isCold);
    }),
  ];
  const about =
    `${shapeText(shape)}; right at ${checkedShapes} shapes before it is timed; ` +
    `inputs of timed launches: --seed ${seed}`;
  return markup`<section id="${id}"><h2>${ladder}</h2>
<p>${summary}. <span class="muted">${about}</span></p>
${ladderBars(result)}
${table({ columns: columns(isCold), rows, full: true, sortable: true })}
${notes(result)}
${versions.filter(({ trials }) => trials.length > 1).map((version) => sweep(version))}
${profileTable(id, result)}
</section>
`;
}

function columns(isCold: boolean): Column[] {
  return [
    { title: "version", isText: true },
    { title: "idea", isText: true, isProse: true },
    { title: "configuration", isText: true },
    { title: "median" },
    { title: "spread" },
    { title: "95 % of the median" },
    ...(isCold ? [{ title: "hot" }] : []),
    { title: "rate" },
    { title: "of the limit" },
    { title: "× before" },
    { title: "error / allowed" },
  ];
}

interface RowText {
  readonly name: string;
  readonly idea: string;
  readonly configuration: string;
  readonly gain: string;
}

function tableRow(
  result: LadderResult,
  { name, idea, configuration, gain }: RowText,
  { verdict, problem, timings, comparison }: VersionResult | RivalResult,
  isCold: boolean,
): Cell[] {
  const [timing] = timings;
  if (timing === undefined || verdict !== "ok") {
    const why = problem === null ? verdict : `${verdict}: ${problem}`;
    return [name, idea, { show: why, sort: why, tone: verdict === "absent" ? "muted" : "bad" }];
  }
  const { median, spread, low, high, samples } = timing.ms;
  const hot = timings.find(({ cache }) => cache === "hot");
  const share = timing.limitMs / median;
  return [
    name,
    idea,
    configuration,
    { show: formatMs(median), sort: median },
    { show: `± ${percent(spread)}`, sort: spread },
    { show: `${formatMs(low)} – ${formatMs(high)} (n = ${samples})`, sort: low },
    ...(isCold ? [hot === undefined ? "" : { show: formatMs(hot.ms.median), sort: hot.ms.median }] : []),
    rateOf(result, { timings }),
    { show: percent(share), sort: share },
    gain,
    errorText(comparison),
  ];
}

/** What limits, and the state of the GPU. */
function notes(result: LadderResult): Html {
  const timing = [...result.versions, ...result.rivals].map(mainTiming).find((candidate) => candidate !== null) ?? null;
  const clocks = clocksText(result);
  const said: string[] = [];
  if (timing !== null) said.push(`physical floor ${formatMs(timing.floorMs)}`);
  if (clocks !== null) said.push(`clocks: ${clocks}`);
  const throttled = throttledBy(result);
  const warning = throttled === null ? null : markup`; <span class="bad">throttled (${throttled})</span>`;
  return markup`<p class="muted">${said.join("; ")}${warning}</p>`;
}

/** Times with the interval of the median, and the limit as a line. */
function ladderBars({ versions, rivals }: LadderResult): Html | null {
  const timed = [
    ...versions.map((result) => ({ name: result.version, result })),
    ...rivals.map((result) => ({ name: result.rival, result })),
  ].flatMap(({ name, result }) => {
    const timing = mainTiming(result);
    return timing === null || result.verdict !== "ok" ? [] : [{ name, timing }];
  });
  const limit = timed[0]?.timing.limitMs ?? 0;
  return bars(
    timed.map(({ name, timing: { ms } }) => ({
      name,
      value: ms.median,
      text: formatMs(ms.median),
      range: [ms.low, ms.high] as const,
    })),
    { label: "Time of each version", limit: { value: limit, text: `limit ${formatMs(limit)}` } },
  );
}

/** Every configuration that was tried, fastest first. */
function sweep({ version, trials }: VersionResult): Html | null {
  const usable = trials
    .flatMap(({ configuration, medianMs }) => (medianMs === null ? [] : [{ name: keyOf(configuration), ms: medianMs }]))
    .toSorted((a, b) => a.ms - b.ms);
  if (usable.length === 0) return null;
  const unusable = trials.length - usable.length;
  const count = `${trials.length} configurations${unusable === 0 ? "" : `, ${unusable} of them cannot be used`}`;
  return markup`<details><summary>Sweep of ${version}: ${count}</summary>
${bars(
  usable.map(({ name, ms }) => ({ name, value: ms, text: formatMs(ms) })),
  { label: `Sweep of ${version}` },
)}</details>
`;
}
