/** Findings as one HTML file: a table of all, and for each its source, the other access, and what helps. */
import { formatLocation, type SourceLocation } from "../base/diagnostics.ts";
import { excerpt } from "../report/excerpt.ts";
import { markup, type Html } from "../report/markup.ts";
import { page } from "../report/page.ts";
import { table } from "../report/table.ts";
import type { Finding } from "./finding.ts";
import type { LeakRow } from "./report-sarif.ts";
import { formatExample, formatLaunch, type ReportStyle } from "./report-text.ts";

export interface CheckPageParts extends Pick<ReportStyle, "linesOf" | "readable"> {
  /** The program. */
  readonly title: string;
  /** In a sentence, what was found in what. */
  readonly summary: string;
  /** What else there is to say of the run as a whole. */
  readonly notes: readonly string[];
  readonly findings: readonly Finding[];
  readonly leaked: readonly LeakRow[];
}

export function checkPage({ title, summary, notes, findings, leaked, ...style }: CheckPageParts): string {
  return page({
    title: `Check of ${title}`,
    about: summary,
    links: [
      ...(findings.length > 0 ? [{ id: "findings", text: "All findings" }] : []),
      ...(leaked.length > 0 ? [{ id: "leaked", text: "Never freed" }] : []),
    ],
    body: [
      markup`${notes.map((note) => markup`<p>${note}</p>`)}`,
      findings.length === 0 ? markup`<p class="none">The checkers have found nothing.</p>` : overview(findings),
      ...findings.map((finding, i) => findingSection(finding, idOf(i), style)),
      ...(leaked.length > 0 ? [leaks(leaked)] : []),
    ],
  });
}

const idOf = (index: number): string => `finding-${index + 1}`;

function overview(findings: readonly Finding[]): Html {
  const rows = findings.map(({ checker, title, message, location, count, level }, i) => {
    const place = location === null ? "" : `${location.file}:${location.line}`;
    return [
      { show: markup`<a href="#${idOf(i)}">${title}</a>`, sort: title },
      message,
      checker,
      { show: place, sort: location === null ? "" : `${location.file}:${String(location.line).padStart(8)}` },
      { show: level ?? "error", sort: level ?? "error", tone: "bad" as const },
      { show: count, sort: count },
    ];
  });
  return markup`<section id="findings">
    <h2>All findings</h2>
    ${table({
      columns: [
        { title: "finding", isText: true },
        { title: "what was done", isText: true, isProse: true },
        { title: "checker", isText: true },
        { title: "where", isText: true },
        { title: "level", isText: true },
        { title: "times" },
      ],
      rows,
      full: true,
      sortable: true,
    })}
  </section>`;
}

function findingSection(finding: Finding, id: string, style: Pick<ReportStyle, "linesOf" | "readable">): Html {
  const { checker, title, message, location, example, count, notes, launch, help } = finding;
  const name = location?.functionName ?? finding.function;
  const times = count > 1 ? `${count} times` : null;
  const who = example === null ? times : formatExample(example, count);
  const from = launch?.location ?? null;
  return markup`<section id="${id}">
    <h2>${title}</h2>
    <p><b>${checker}</b>: ${message}${who === null ? null : `, ${who}`}</p>
    ${placeOf(location, name === null ? "" : `, in ${style.readable(name)}`, style)}
    ${notes.map((note) => markup`<p>${note.text}</p>${note.location ? placeOf(note.location, "", style) : null}`)}
    ${
      launch === null
        ? null
        : markup`<p class="muted">
            ${formatLaunch(launch, style.readable)}${from === null ? null : `, at ${formatLocation(from)}`}
          </p>`
    }
    <p class="cure">${help}</p>
  </section>`;
}

function placeOf(location: SourceLocation | null, suffix: string, { linesOf }: Pick<ReportStyle, "linesOf">): Html {
  if (location === null) return markup`<p class="muted">at a place that is not known${suffix}</p>`;
  const { file, line, column } = location;
  return excerpt({ place: `${formatLocation(location)}${suffix}`, lines: linesOf(file), line, column });
}

function leaks(leaked: readonly LeakRow[]): Html {
  return markup`<section id="leaked">
    <h2>Never freed</h2>
    ${table({
      columns: [{ title: "allocated at", isText: true }, { title: "allocations" }, { title: "bytes" }],
      rows: leaked.map(({ location, count, bytes }) => [
        location === null ? "not known" : formatLocation(location),
        { show: count, sort: count },
        { show: bytes, sort: bytes },
      ]),
      sortable: true,
    })}
  </section>`;
}
