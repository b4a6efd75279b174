/**
 * A constant that both sides of a branch begin with is put into its register in front of the branch ("hoisting of
 * common code", S. Muchnick, Advanced Compiler Design, 13.5). So sums that begin at zero do so once, whether their
 * loop runs or not. For sums of wgmma.mma_async it is more than text: on the side without products the zeros would be
 * written between a product and its wait, as NVIDIA's assembler sees it, and it then waits after each product.
 *
 * Works on lines, behind coalesceCopies, which gives both sides the same registers.
 */
const CONSTANT = /^\tmov\.\w+ (%(?:fd?|rd?|h)\d+), (?:0[fd][\dA-Fa-f]+|-?\d+|0x[\dA-Fa-f]+);$/;

/** @returns the lines, of which some stand once instead of twice. */
export function hoistConstants(lines: readonly string[]): string[] {
  const labels = new Map<string, number>();
  const jumps = new Map<string, number>();
  lines.forEach((line, at) => {
    if (line.endsWith(":")) labels.set(line.slice(0, -1), at);
    // A table of jumps names labels, too.
    for (const [name] of line.endsWith(":") ? [] : line.matchAll(/\$L\d+\b/g))
      jumps.set(name, (jumps.get(name) ?? 0) + 1);
  });
  const gone = new Set<number>();
  const before = new Map<number, string[]>();
  lines.forEach((line, at) => {
    const target = /^\t@!?%p\d+ bra (\$L\d+);$/.exec(line)?.[1];
    const there = target === undefined ? undefined : labels.get(target);
    // Nothing else may come to either side.
    if (target === undefined || there === undefined || jumps.get(target) !== 1) return;
    if (!/^\t(?:bra \S+|ret|exit|trap);$/.test(lines[there - 1] ?? "")) return;
    const sides = new Map(constantsFrom(lines, there + 1).map((one) => [one.line, one.at]));
    for (const { line: constant, at: here } of constantsFrom(lines, firstOf(lines, at + 1, jumps))) {
      const other = sides.get(constant);
      if (other === undefined || gone.has(here) || gone.has(other)) continue;
      gone.add(here).add(other);
      before.set(at, [...(before.get(at) ?? []), constant]);
    }
  });
  if (gone.size === 0) return [...lines];
  return lines.flatMap((line, at) => (gone.has(at) ? [] : [...(before.get(at) ?? []), line]));
}

/** Behind a label that nothing jumps to. */
function firstOf(lines: readonly string[], at: number, jumps: ReadonlyMap<string, number>): number {
  const line = lines[at] ?? "";
  return line.endsWith(":") && !jumps.has(line.slice(0, -1)) ? at + 1 : at;
}

/** The constants that a stretch begins with; each register once, so that their order says nothing. */
function constantsFrom(lines: readonly string[], from: number): { line: string; at: number }[] {
  const found: { line: string; at: number }[] = [];
  const registers = new Set<string>();
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.startsWith("\t.loc ")) continue;
    const register = CONSTANT.exec(line)?.[1];
    if (register === undefined || registers.has(register)) break;
    registers.add(register);
    found.push({ line, at });
  }
  return found;
}
