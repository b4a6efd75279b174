/**
 * Findings as workflow commands of GitHub Actions, which shows them at their lines of a change ("Workflow commands",
 * GitHub's documentation).
 */
import { formatLocation } from "../base/diagnostics.ts";
import type { Finding } from "./finding.ts";
import { formatExample, formatLaunch } from "./report-text.ts";

export interface AnnotationStyle {
  /** A file's path in the repository. */
  readonly pathOf: (file: string) => string;
  readonly readable: (name: string) => string;
}

/** One line each. */
export function formatAnnotations(findings: readonly Finding[], { pathOf, readable }: AnnotationStyle): string {
  return findings
    .map((finding) => {
      const { location, example, launch } = finding;
      const properties = [
        ...(location === null
          ? []
          : [
              `file=${property(pathOf(location.file))}`,
              ...(location.line > 0 ? [`line=${location.line}`] : []),
              ...(location.column > 0 ? [`col=${location.column}`] : []),
            ]),
        `title=${property(`${finding.checker}: ${finding.title}`)}`,
      ];
      const text = [
        `${finding.message}${example === null ? "" : `, ${formatExample(example, finding.count)}`}`,
        ...finding.notes.map((note) =>
          note.location === undefined || note.location === null
            ? note.text
            : `${note.text}: ${formatLocation(note.location)}`,
        ),
        ...(launch === null ? [] : [formatLaunch(launch, readable)]),
        `help: ${finding.help}`,
      ].join("\n");
      return `::${finding.level ?? "error"} ${properties.join(",")}::${data(text)}\n`;
    })
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
