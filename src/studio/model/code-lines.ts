/** Device code, with the source line that each of its lines comes from. */

export interface CodeLine {
  readonly text: string;
  /** Of the program's own file; null: none, or not known. */
  readonly line: number | null;
}

/** PTX says where it comes from by `.file` and `.loc`, which are not shown. */
export function ptxLines(ptx: string, path: string): CodeLine[] {
  const files = new Map<string, string>();
  for (const [, number = "", name = ""] of ptx.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]*)"/gm)) files.set(number, name);
  const isOwn = (number: string): boolean => (files.get(number) ?? "").endsWith(path);
  let current: number | null = null;
  const lines: CodeLine[] = [];
  for (const text of ptx.split("\n")) {
    const place = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(text);
    if (place !== null) {
      current = isOwn(place[1] ?? "") ? Number(place[2]) : null;
      continue;
    }
    if (/^\s*\.file\s/.test(text)) continue;
    if (/^[.}]/.test(text) || text.trim() === "") current = null;
    lines.push({ text, line: current });
  }
  return lines;
}

/** nvdisasm says it by comments: `//## File "a.cu", line 3`. Directives and titles of sections are not shown. */
export function sassLines(sass: string, path: string): CodeLine[] {
  let current: number | null = null;
  const lines: CodeLine[] = [];
  for (const text of sass.split("\n")) {
    const place = /^\s*\/\/##\s*File "([^"]*)", line (\d+)/.exec(text);
    if (place !== null) {
      current = place[1]?.endsWith(path) === true ? Number(place[2]) : null;
      continue;
    }
    if (/^(?:\/\/-|\s*\.[a-z_]+[\s,]|\.text\.)/.test(text)) continue;
    if (!text.startsWith(" ") && !text.startsWith("\t")) current = null;
    lines.push({ text: text.replace(/\s+;/, ";"), line: text.trim() === "" ? null : current });
  }
  return lines;
}

/** LLVM IR says it by debug records: `!dbg !12`, and `!12 = !DILocation(line: 7, …)`. Metadata is not shown. */
export function irLines(ir: string): CodeLine[] {
  const places = new Map<string, number>();
  for (const [, name = "", line] of ir.matchAll(/^(!\d+) = (?:distinct )?!DILocation\(line: (\d+)/gm))
    places.set(name, Number(line));
  return ir
    .split("\n")
    .filter((text) => !/^(?:!|attributes #|source_filename|target |; ModuleID)/.test(text) && !/#dbg_/.test(text))
    .map((text) => {
      const name = /!dbg (!\d+)/.exec(text)?.[1];
      const line = name === undefined || text.startsWith("define") ? null : (places.get(name) ?? null);
      return { text: text.replaceAll(/,? !\w+ !\d+/g, ""), line: line === 0 ? null : line };
    });
}

/** Runs of empty lines become one, and there is none at either end. */
export function withoutGaps(lines: readonly CodeLine[]): CodeLine[] {
  const isEmpty = (line: CodeLine | undefined): boolean => line === undefined || line.text.trim() === "";
  return lines.filter((line, i) => !isEmpty(line) || (!isEmpty(lines[i - 1]) && i < lines.length - 1));
}
