/**
 * Findings as text, in the manner of compilers: what is wrong, where (with the source line), which thread did it, which
 * other access it conflicts with, how often, and what usually helps.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { formatLocation } from "../base/diagnostics.ts";
import { formatDim3 } from "../base/dim3.ts";
import type { Finding, LaunchName } from "./finding.ts";

export interface ReportStyle {
  readonly color: boolean;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
}

/** One report after the other, with an empty line between. @param limit so many; the others are counted. */
export function formatFindings(
  findings: readonly Finding[],
  style: ReportStyle,
  limit: number = Number.POSITIVE_INFINITY,
): string {
  const reports = findings.slice(0, limit).map((finding) => `${formatFinding(finding, style).join("\n")}\n`);
  if (findings.length > limit) reports.push(`and ${findings.length - limit} more\n`);
  return reports.join("\n");
}

export function formatFinding(finding: Finding, style: ReportStyle): string[] {
  const paint = (code: string, text: string): string => (style.color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const { example, launch, count } = finding;
  const color = finding.level === "warning" ? "1;35" : "1;31";
  const lines = [`${paint(color, `${finding.checker}: ${finding.title}:`)} ${finding.message}`];
  if (finding.location !== null || finding.function !== null) {
    const inFunction = finding.location?.functionName ?? finding.function;
    lines.push(
      ...place(finding.location, inFunction === null ? "" : `, in ${style.readable(inFunction)}`, style, paint),
    );
  }
  if (example !== null) lines.push(`   ${formatExample(example, count)}`);
  else if (count > 1) lines.push(`   ${count} times`);
  for (const note of finding.notes) {
    lines.push(`   ${note.text}`);
    if (note.location !== undefined && note.location !== null) lines.push(...place(note.location, "", style, paint));
  }
  if (launch !== null) {
    const at = launch.location === null ? "" : `, at ${formatLocation(launch.location)}`;
    lines.push(`   ${formatLaunch(launch, style.readable)}${at}`);
  }
  lines.push(`   ${paint("36", "help:")} ${finding.help}`);
  return lines;
}

/** The threads that did it: the first of them, and how many there are. */
export function formatExample({ thread, block }: NonNullable<Finding["example"]>, count: number): string {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return `by thread ${formatDim3(thread)} of block ${formatDim3(block)}${others}`;
}

export function formatLaunch(
  { ordinal, kernel, grid, block, sharedBytes }: LaunchName,
  readable: (name: string) => string,
): string {
  const shared = sharedBytes > 0 ? `, ${sharedBytes}` : "";
  return `launch ${ordinal}: ${readable(kernel)}<<<${formatDim3(grid)}, ${formatDim3(block)}${shared}>>>`;
}

function place(
  location: SourceLocation | null,
  inFunction: string,
  style: ReportStyle,
  paint: (code: string, text: string) => string,
): string[] {
  if (location === null) return [`  --> somewhere${inFunction}`];
  const lines = [`  --> ${formatLocation(location)}${inFunction}`];
  const source = style.linesOf(location.file)?.[location.line - 1];
  if (source !== undefined) {
    const number = String(location.line);
    const margin = " ".repeat(number.length);
    lines.push(`${margin}  |`, `${number}  | ${source}`);
    // Tabs stay, so that the caret stands under its column.
    if (location.column > 0)
      lines.push(`${margin}  | ${source.slice(0, location.column - 1).replace(/[^\t]/g, " ")}${paint("1;32", "^")}`);
  }
  for (let outer = location.inlinedAt; outer !== undefined; outer = outer.inlinedAt)
    lines.push(`   inlined at ${formatLocation(outer)}`);
  return lines;
}
