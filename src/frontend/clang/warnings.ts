/**
 * The compiler's warnings. A user who asks for warnings gets Clang's own text. Others get, from the host pass, a line
 * for each place that is right only where `long`, `size_t` and pointers have 64 bits.
 */
import type { CompileOptions } from "../../program/compiled-program.ts";
import type { LostConstant } from "../../program/lost-constants.ts";
import { lostConstantLines } from "./constants/lost-constants.ts";

/** Errors of Clang that are warnings or nothing for nvcc with gcc. */
const LENIENCE: readonly string[] = [
  "-Wno-register",
  "-Wno-c++11-narrowing",
  "-Wno-dynamic-exception-spec",
  "-Wno-reserved-user-defined-literal",
  "-Wno-invalid-offsetof",
  "-Wno-format-security",
  "-Wno-error=implicit-function-declaration",
  "-Wno-error=implicit-int",
  "-Wno-error=int-conversion",
  "-Wno-error=incompatible-function-pointer-types",
  "-Wno-error=return-type",
  "-Wno-error=incompatible-pointer-types",
  "-Wno-error=enum-constexpr-conversion",
  "-Wno-invalid-specialization",
  "-Wno-unknown-warning-option",
  "-Wno-pass-failed",
];

/** The warnings among which some are of the data model; `modelWarning` picks them. */
const MODEL_GROUPS: readonly string[] = [
  // Not shorten-64-to-32: nearly all such conversions keep the value. "heddle check" reports those that do not.
  "constant-conversion",
  "integer-overflow",
  "shift-count-overflow",
  "tautological-constant-out-of-range-compare",
  "format",
];

/** Whether only what differs from a 64-bit machine is reported. */
function isDefault(options: CompileOptions): boolean {
  return options.warnings.length === 0;
}

/**
 * nvcc shows few warnings by default, so only what the user asks for is on, and in the host pass what differs from a
 * 64-bit machine. (Device code has the same model, and the host pass reads it, too.)
 *
 * @param path of the source: code that comes with Heddle has no warnings.
 */
export function warningFlags(options: CompileOptions, what: "device" | "host", path: string): string[] {
  if (!isDefault(options)) return [...options.warnings, ...LENIENCE];
  if (what === "device" || path.startsWith("/heddle/") || options.model === "lp64") return ["-w", ...LENIENCE];
  return ["-Wno-everything", ...MODEL_GROUPS.map((group) => `-W${group}`), ...LENIENCE];
}

/** The report with what Clang does not look for, unless the user wants no warnings. */
export function withLostConstants(
  warnings: string,
  constants: readonly LostConstant[],
  options: CompileOptions,
): string {
  const lines = options.warnings.includes("-w") ? "" : lostConstantLines(constants, warnings);
  if (lines === "") return warnings;
  return warnings.endsWith(TRAILER) ? warnings.slice(0, -TRAILER.length) + lines + TRAILER : warnings + lines + TRAILER;
}

/** What the compiler printed, as the user sees it: the short form, unless warnings were asked for. */
export function readableReport(report: string, options: CompileOptions): string {
  return isDefault(options) && report !== "" ? shortForm(parse(report)) : report;
}

/** The report of a source that does not compile, without warnings that nobody asked for. */
export function onlyErrors(report: string, options: CompileOptions): string {
  if (!isDefault(options)) return report;
  return parse(report)
    .filter(({ level }) => level !== "warning")
    .map(({ text }) => text)
    .join("")
    .replaceAll(/^\d+ warnings? and (?=\d+ errors? generated)/gm, "");
}

interface Diagnostic {
  /** file:line:column */
  readonly place: string;
  readonly level: "warning" | "error" | "other";
  readonly message: string;
  /** Of the warning: shorten-64-to-32. */
  readonly group: string;
  /** With all that belongs to it. */
  readonly text: string;
}

/** What the compiler printed, cut into its diagnostics; notes belong to the one before. */
function parse(report: string): Diagnostic[] {
  const header = /^(\S.*?:\d+:\d+): (warning|error|fatal error): (.*?)(?: \[-W([^\]]*)\])?$/;
  const found: Diagnostic[] = [];
  let including = "";
  for (const line of report.split(/(?<=\n)/)) {
    // eslint-disable-next-line no-control-regex
    const plain = line.replaceAll(/\x1b\[[0-9;]*[mK]/g, "").trimEnd();
    const [, place, level, message, group = ""] = header.exec(plain) ?? [];
    if (place !== undefined && message !== undefined) {
      const text = including + line;
      found.push({ place, level: level === "warning" ? level : "error", message, group, text });
      including = "";
    } else if (/^(?:In file included from|\s+from) /.test(plain)) including += line;
    else if (/^\d+ (?:warning|error)s?\b.* generated/.test(plain) || found.length === 0)
      found.push({ place: "", level: "other", message: plain, group: "", text: including + line });
    else {
      const last = found.pop() as Diagnostic;
      found.push({ ...last, text: last.text + including + line });
      including = "";
    }
  }
  return found;
}

const TRAILER = "  here long, size_t and pointers have 32 bits (docs/run.md); -w hides these warnings\n";

/** Lines for one file; further ones are counted. */
const MOST_LINES = 8;

function shortForm(diagnostics: readonly Diagnostic[]): string {
  const lines = new Set<string>();
  for (const diagnostic of diagnostics) {
    const said = diagnostic.level === "warning" ? modelWarning(diagnostic) : null;
    if (said !== null) lines.add(`${diagnostic.place}: warning: ${said}\n`);
  }
  if (lines.size === 0) return "";
  const shown = [...lines].slice(0, MOST_LINES);
  const rest = lines.size - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more ${rest === 1 ? "line" : "lines"} of this kind\n`] : []),
    TRAILER,
  ].join("");
}

/** Bits of an integer or pointer type here and on a 64-bit machine; null for other types. */
interface Width {
  readonly here: number;
  readonly there: number;
  readonly pointee: string | null;
}

function widthOf(type: string): Width | null {
  const bare = type
    .replaceAll(/\b(?:const|volatile|__restrict|restrict|_Atomic)\b/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (bare.endsWith("*")) return { here: 32, there: 64, pointee: bare.slice(0, -1).trim() };
  if (/^(?:unsigned )?long$/.test(bare)) return { here: 32, there: 64, pointee: null };
  if (/^(?:unsigned )?long long$/.test(bare)) return { here: 64, there: 64, pointee: null };
  if (/^(?:(?:un)?signed )?(?:int|short|char)$|^bool$|^wchar_t$/.test(bare))
    return { here: 32, there: 32, pointee: null };
  return null;
}

/** `'size_t' (aka 'unsigned long')` as the user calls it, and as it is. */
const TYPE = /'([^']+)'(?: \(aka '([^']+)'\))?/g;

/** What is wrong only with a 32-bit model; null if it is the same on a 64-bit machine. */
function modelWarning({ group, message: clangs }: Diagnostic): string | null {
  // Clang writes 1'000'000 in some messages.
  const message = clangs.replaceAll(/(?<=\d)'(?=\d)/g, "");
  const types = [...message.matchAll(TYPE)].map(([, name, real]) => ({
    name: (name as string).replace(/^const /, ""),
    width: widthOf(real ?? (name as string)),
    real: real ?? (name as string),
  }));
  const isLong = (width: Width | null | undefined): boolean => width?.here === 32 && width.there === 64;
  const [first, second] = types;
  switch (group) {
    case "constant-conversion": {
      const [, value, left] = /changes value from (\S+) to (\S+)$/.exec(message) ?? [];
      // -1 and the largest value are that in both models.
      if (!isLong(second?.width) || value === undefined || /^(?:-\d{1,9}|18446744073709551615)$/.test(value))
        return null;
      return `${value} does not fit into ${second?.name}, which has 32 bits here: ${left} is left`;
    }
    case "integer-overflow": {
      const [, result] = /result is (\S+) with type/.exec(message) ?? [];
      if (!isLong(first?.width)) return null;
      return `this overflows ${first?.name}, which has 32 bits here: the result is ${result}`;
    }
    case "shift-count-overflow":
      return "the shift count is not smaller than the bits of the type: long and size_t have 32 bits here";
    case "tautological-constant-out-of-range-compare": {
      const [, constant, always] =
        /constant (\S+) with expression of type .* is always (true|false)/.exec(message) ?? [];
      if (!isLong(first?.width)) return null;
      return `a ${first?.name} has 32 bits here: the comparison with ${constant} is always ${always}`;
    }
    case "format":
      return formatWarning(message, first, second);
    default:
      return null;
  }
}

interface TypeInMessage {
  readonly name: string;
  readonly real: string;
  readonly width: Width | null;
}

/** A format that has the argument's width only on a 64-bit machine. */
function formatWarning(message: string, wanted?: TypeInMessage, given?: TypeInMessage): string | null {
  if (!/^format specifies type/.test(message) || !wanted?.width || !given?.width) return null;
  const reads = wanted.width.pointee !== null && given.width.pointee !== null;
  const [a, b] = reads
    ? [widthOf(wanted.width.pointee as string), widthOf(pointee(given))]
    : [wanted.width, given.width];
  if (a === null || b === null || a.there !== b.there || a.here === b.here) return null;
  const bits = (type: string, { here }: Width): string => `${type}, which has ${here} bits here`;
  return `the format is for ${bits(wanted.name, wanted.width)}, the argument is ${bits(given.name, given.width)}`;
}

function pointee({ real }: TypeInMessage): string {
  return real.replace(/\*[^*]*$/, "").trim();
}
