/**
 * How many registers a kernel in PTX will need, where no driver is there to say: the most that are live at once. The
 * driver's compiler orders instructions anew, computes some values again and shares others, so that its own figure
 * differs.
 */

/** 32-bit registers of a value, by the type of its declaration. Predicates have registers of their own. */
function width(type: string): number {
  if (type === "pred") return 0;
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 32);
  return Math.max(1, bits / 32);
}

/** What every kernel has beside its values: the pointer to its stack, and operands that the hardware wants in pairs. */
const OWN_REGISTERS = 4;

interface Block {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly steps: { readonly reads: readonly string[]; readonly writes: readonly string[] }[];
  readonly targets: string[];
  fallsThrough: boolean;
  live: Set<string>;
}

/** null: the text has no such kernel. */
export function estimateRegisters(ptx: string, kernel: string): number | null {
  const escaped = kernel.replaceAll(/[$.]/g, String.raw`\$&`);
  const entry = new RegExp(String.raw`\.entry ${escaped}\(`).exec(ptx);
  if (entry === null) return null;
  const body = ptx.slice(entry.index, ptx.indexOf("\n}", entry.index));
  const widths = new Map<string, number>();
  for (const [, type = "", prefix = ""] of body.matchAll(/\.reg \.(\w+) (%[a-z]+)</g)) widths.set(prefix, width(type));
  const blocks = readBlocks(body);
  spread(blocks);
  let most = 0;
  for (const block of blocks.list) {
    const live = new Set(block.live);
    for (const { reads, writes } of block.steps.toReversed()) {
      // What an instruction writes and nobody reads has a register all the same.
      for (const register of writes) live.add(register);
      most = Math.max(most, weight(live, widths));
      for (const register of writes) live.delete(register);
      for (const register of reads) live.add(register);
      most = Math.max(most, weight(live, widths));
    }
  }
  return most + OWN_REGISTERS;
}

function weight(live: ReadonlySet<string>, widths: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const register of live) sum += widths.get(register.replace(/\d+$/, "")) ?? 1;
  return sum;
}

function readBlocks(body: string): { readonly list: Block[]; readonly byLabel: ReadonlyMap<string, number> } {
  const list: Block[] = [];
  const byLabel = new Map<string, number>();
  const begin = (): Block => {
    const block: Block = {
      reads: new Set(),
      writes: new Set(),
      steps: [],
      targets: [],
      fallsThrough: true,
      live: new Set(),
    };
    list.push(block);
    return block;
  };
  let block = begin();
  for (const line of body.split("\n")) {
    const label = /^(\$\w+):/.exec(line)?.[1];
    if (label !== undefined) {
      block = begin();
      byLabel.set(label, list.length - 1);
      continue;
    }
    const [, guard = null, opcode = "", operands = ""] = /^\t(?:@(!?%p\d+) )?([a-z][\w.:]*) ?(.*);/.exec(line) ?? [];
    if (opcode === "") continue;
    const { reads, writes } = operandsOf(opcode, operands);
    if (guard !== null) reads.push(guard.replace("!", ""));
    // A write under a condition leaves what there was: it is read, too.
    if (guard !== null) reads.push(...writes);
    block.steps.push({ reads, writes });
    for (const register of reads) if (!block.writes.has(register)) block.reads.add(register);
    for (const register of writes) block.writes.add(register);
    const jumps = opcode === "bra" || opcode.startsWith("bra.");
    if (jumps) block.targets.push(operands.trim());
    if ((jumps && guard === null) || opcode === "ret" || opcode === "exit" || opcode === "trap")
      block.fallsThrough = false;
    if (jumps) block = begin();
  }
  return { list, byLabel };
}

/** The first operand is the result, except for those that have none. */
function operandsOf(opcode: string, operands: string): { readonly reads: string[]; readonly writes: string[] } {
  const all = [...operands.matchAll(/%[a-z]+\d+\b/g)].map(([name]) => name);
  const hasNone = /^(st|red|bra|ret|exit|bar|barrier|membar|fence|prefetch|cp|wgmma|mbarrier|trap|call)\b/.test(opcode);
  if (hasNone) return { reads: all, writes: [] };
  const first = /^\s*(\{[^}]*\}|[^,]*)/.exec(operands)?.[0] ?? "";
  // An address in brackets is read.
  const writes = first.includes("[") ? [] : [...first.matchAll(/%[a-z]+\d+\b/g)].map(([name]) => name);
  return { reads: all.slice(writes.length), writes };
}

/** Sets what is live at the end of each block. */
function spread({ list, byLabel }: { readonly list: Block[]; readonly byLabel: ReadonlyMap<string, number> }): void {
  const atStart = list.map(({ reads }) => new Set(reads));
  for (let changed = true; changed;) {
    changed = false;
    for (let i = list.length - 1; i >= 0; i--) {
      const block = list[i] as Block;
      const next = block.targets.map((label) => byLabel.get(label) ?? -1);
      if (block.fallsThrough) next.push(i + 1);
      for (const successor of next)
        for (const register of atStart[successor] ?? []) {
          if (block.live.has(register)) continue;
          block.live.add(register);
          changed = true;
          if (!block.writes.has(register)) atStart[i]?.add(register);
        }
    }
  }
}
