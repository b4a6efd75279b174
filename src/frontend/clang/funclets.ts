/**
 * Calls that instrumentation adds to blocks of a `catch` or of a cleanup, in a host program's LLVM IR. Such a block
 * belongs to a pad, and a call in it must name the pad ("funclet"), or LLVM takes the code for one that is never
 * reached (LLVM Language Reference, "Funclet Operand Bundles"). Clang's own passes and ours add them without.
 */

const PAD = /^ {2}(%(?:"[^"]*"|[\w.$-]+)) = (catchpad|cleanuppad|catchswitch) within (none|%(?:"[^"]*"|[\w.$-]+)) /;
const LABEL = /^("[^"]*"|[\w.$-]+):/;
const TARGET = /\blabel %("[^"]*"|[\w.$-]+)/g;
const RETURN = /^ {2}catchret from (%(?:"[^"]*"|[\w.$-]+)) to label %("[^"]*"|[\w.$-]+)/;
/** Accesses of observed programs (observed-flags.ts), and checks of reads (null-reads.ts). */
const ADDED = /^ {2}(?:tail )?call void @(?:__sanitizer_cov_(?:load|store)\d+|__heddle_check_read)\([^[\n]*$/;

interface Block {
  readonly lines: number[];
  readonly targets: string[];
}

/** @returns the same text where no function has a pad */
export function nameFunclets(ir: string): string {
  if (!/ = (?:catchpad|cleanuppad) within /.test(ir)) return ir;
  const lines = ir.split("\n");
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]!.startsWith("define ")) continue;
    const end = lines.indexOf("}", i);
    nameInFunction(lines, i + 1, end);
    i = end;
  }
  return lines.join("\n");
}

function nameInFunction(lines: string[], begin: number, end: number): void {
  const blocks = new Map<string, Block>();
  /** The pad that a block begins with; of a `catchswitch` the pad that it is in. */
  const own = new Map<string, string>();
  /** Of a pad, the pad that it is in. */
  const parents = new Map<string, string>();
  let name = "";
  let block: Block = { lines: [], targets: [] };
  blocks.set(name, block);
  for (let at = begin; at < end; at++) {
    const line = lines[at]!;
    if (line === "") continue;
    const label = LABEL.exec(line)?.[1];
    if (label !== undefined) {
      name = label;
      blocks.set(name, (block = { lines: [], targets: [] }));
      continue;
    }
    const [, pad, kind, parent] = PAD.exec(line) ?? [];
    if (pad !== undefined) {
      own.set(name, kind === "catchswitch" ? parent! : pad);
      parents.set(pad, parent!);
    }
    block.lines.push(at);
    for (const [, target] of line.matchAll(TARGET)) block.targets.push(target!);
  }
  if (own.size === 0) return;
  for (const [of, pad] of padsOf(blocks, own, parents, lines)) {
    if (pad === "none") continue;
    for (const at of blocks.get(of)!.lines) {
      const line = lines[at]!;
      if (!ADDED.test(line)) continue;
      const place = line.indexOf(", !");
      const [call, rest] = place < 0 ? [line, ""] : [line.slice(0, place), line.slice(place)];
      lines[at] = `${call} [ "funclet"(token ${pad}) ]${rest}`;
    }
  }
}

/** For each block that control reaches, the pad that it belongs to. */
function padsOf(
  blocks: ReadonlyMap<string, Block>,
  own: ReadonlyMap<string, string>,
  parents: ReadonlyMap<string, string>,
  lines: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  const work: [string, string][] = [["", "none"]];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [name, from] = next;
    const block = blocks.get(name);
    if (block === undefined || found.has(name)) continue;
    const pad = own.get(name) ?? from;
    found.set(name, pad);
    // A catch goes on where its switch is: a catchpad is in a catchswitch, which is in another pad.
    const [, left] = RETURN.exec(lines[block.lines.at(-1)!] ?? "") ?? [];
    const outside = left === undefined ? pad : (parents.get(parents.get(left) ?? "none") ?? "none");
    for (const target of block.targets) work.push([target, outside]);
  }
  return found;
}
