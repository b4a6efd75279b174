/** Findings as SARIF 2.1.0 (OASIS standard, 27 March 2020), which code scanning of GitHub and editors read. */
import type { Location, Log, ReportingDescriptor, Result } from "sarif";
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Finding, Note } from "./finding.ts";
import { formatExample, formatLaunch } from "./report-text.ts";

export interface SarifStyle {
  /** Version of Heddle. */
  readonly version: string;
  /** A file's path below `root`, with slashes; an absolute path where it lies elsewhere. */
  readonly pathOf: (file: string) => string;
  /** A file: URI that ends with a slash. */
  readonly root: string;
  readonly readable: (name: string) => string;
}

/** Allocations of one line that were never freed. */
export interface LeakRow {
  readonly bytes: number;
  readonly count: number;
  readonly location: SourceLocation | null;
}

const ROOT = "%SRCROOT%";
const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const LEAK_RULE: ReportingDescriptor = {
  id: "api/leak",
  shortDescription: { text: "memory that was never freed" },
  help: { text: "free device memory when its last user is done, or before the program ends" },
  defaultConfiguration: { level: "note" },
};

export function formatSarif(findings: readonly Finding[], leaks: readonly LeakRow[], style: SarifStyle): string {
  const rules: ReportingDescriptor[] = [];
  const ruleIndex = (rule: ReportingDescriptor): number => {
    const known = rules.findIndex(({ id }) => id === rule.id);
    return known >= 0 ? known : rules.push(rule) - 1;
  };
  const results: Result[] = findings.map((finding) => resultOf(finding, ruleIndex(ruleOf(finding)), style));
  for (const { bytes, count, location } of leaks) {
    results.push({
      ruleId: LEAK_RULE.id,
      ruleIndex: ruleIndex(LEAK_RULE),
      level: "note",
      occurrenceCount: count,
      locations: location === null ? [] : [locationOf(location, style)],
      message: {
        text: `${bytes} bytes of device memory in ${count} allocation${count === 1 ? "" : "s"} were never freed`,
      },
    });
  }
  const log: Log = {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "heddle check", semanticVersion: style.version, rules } },
        originalUriBaseIds: { [ROOT]: { uri: style.root } },
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function ruleOf({ checker, kind, title, help, level }: Finding): ReportingDescriptor {
  return {
    id: `${checker}/${kind}`,
    shortDescription: { text: title },
    help: { text: help },
    defaultConfiguration: { level: level ?? "error" },
  };
}

function resultOf(finding: Finding, ruleIndex: number, style: SarifStyle): Result {
  const { example, launch, location } = finding;
  const who = example === null ? [] : [formatExample(example, finding.count)];
  const lines = [
    `${finding.title}: ${finding.message}`,
    ...who,
    ...finding.notes.map(({ text }) => text),
    ...(launch === null ? [] : [formatLaunch(launch, style.readable)]),
  ];
  const notes: readonly Note[] =
    launch?.location == null ? finding.notes : [...finding.notes, { text: "launched here", location: launch.location }];
  const related = notes.flatMap((note) =>
    note.location == null ? [] : [{ ...locationOf(note.location, style), message: { text: note.text } }],
  );
  return {
    ruleId: `${finding.checker}/${finding.kind}`,
    ruleIndex,
    level: finding.level ?? "error",
    message: { text: lines.join("\n") },
    locations: location === null ? [] : [locationOf(location, style, finding.function)],
    ...(related.length === 0 ? {} : { relatedLocations: related.map((at, id) => ({ id, ...at })) }),
    occurrenceCount: Math.max(1, finding.count),
    properties: {
      ...(example === null ? {} : { example }),
      ...(launch === null
        ? {}
        : {
            launch: {
              kernel: style.readable(launch.kernel),
              grid: launch.grid,
              block: launch.block,
              sharedBytes: launch.sharedBytes,
              ordinal: launch.ordinal,
            },
          }),
      details: finding.details,
    },
  };
}

function locationOf(
  { file, line, column, functionName }: SourceLocation,
  { pathOf, readable }: SarifStyle,
  fallback: string | null = null,
): Location {
  const path = pathOf(file);
  const name = functionName ?? fallback;
  return {
    physicalLocation: {
      artifactLocation: {
        uri: path.split("/").map(encodeURIComponent).join("/"),
        ...(path.startsWith("/") ? {} : { uriBaseId: ROOT }),
      },
      ...(line > 0 ? { region: { startLine: line, ...(column > 0 ? { startColumn: column } : {}) } } : {}),
    },
    ...(name === null ? {} : { logicalLocations: [{ fullyQualifiedName: readable(name), kind: "function" }] }),
  };
}
