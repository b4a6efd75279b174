/** What the versions of a ladder make a GPU do, on the page: a table, and a section for each kernel. */
import { demangle } from "../base/demangle.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { kernelSection } from "../profile/kernel-section.ts";
import { nameKernels, type ProfilePageOptions } from "../profile/page-kernel.ts";
import { sameLaunches } from "../profile/same-launches.ts";
import { markup, type Html } from "../report/markup.ts";
import { table, type Column } from "../report/table.ts";
import { notProfiled, PROFILE_COLUMNS, profileCells, profileConditions, summarizeProfiles } from "./profile-summary.ts";
import { profileOf, type LadderResult } from "./results.ts";

const COLUMNS: readonly Column[] = [
  { title: "version", isText: true },
  ...PROFILE_COLUMNS.map((title) => (title === "limited by" ? { title, isText: true } : { title })),
  { title: "first hint", isText: true },
];

/** @param id of the ladder's section. */
export function profileTable(id: string, result: LadderResult): Html | null {
  const { versions } = result;
  const about = profileConditions(result);
  const failed = notProfiled(versions).map(({ version, why }) => markup`<p class="muted">${version}: ${why}</p>`);
  if (about === null) return failed.length === 0 ? null : markup`<h3>Not profiled</h3>${failed}`;
  const rows = summarizeProfiles(result).map((summary) => {
    const { version } = summary;
    const [hint] = summary.hints;
    const place = versions.findIndex((candidate) => candidate.version === version);
    return [
      { show: markup`<a href="#${prefixOf(id, place)}kernel-1">${version}</a>`, sort: version },
      ...profileCells(summary),
      hint === undefined
        ? { show: markup`<span class="good">none</span>`, sort: "" }
        : { show: hint.kind.replaceAll("-", " "), sort: hint.kind },
    ];
  });
  return markup`<h3>What a GPU does</h3>
<p class="muted">
  Counted at ${shapeText(about.shape)}, by the rules of an ${about.gpu.name}. Times are those of a model.
</p>
${table({ columns: COLUMNS, rows, full: true })}
${failed}`;
}

/** Nsight Compute's sections for each kernel of each version. */
export function profileSections(
  id: string,
  { versions }: LadderResult,
  linesOf: ProfilePageOptions["linesOf"],
): Html[] {
  return versions.flatMap((version, i) => {
    const profile = profileOf(version);
    if (profile === null) return [];
    const kernels = nameKernels(sameLaunches(profile.launches), demangle, prefixOf(id, i));
    return kernels.map((kernel) =>
      kernelSection({ ...kernel, name: `${version.version}: ${kernel.name}` }, profile.gpu, {
        title: version.version,
        readable: demangle,
        linesOf,
      }),
    );
  });
}

const prefixOf = (id: string, version: number): string => `${id}-${version + 1}-`;
