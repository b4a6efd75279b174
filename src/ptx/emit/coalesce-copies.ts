/**
 * Gives the registers that phi copies connect one name, where their values are never live at the same time: the sum of
 * a loop is then added to in place. Otherwise the driver's compiler sees a copy at the loop's end and another behind
 * it, moves the last additions past both copies, and keeps their operands in registers until then (the coalescing of G.
 * Chaitin et al., "Register allocation via coloring", 1981: all copies that interference allows). Where a value stays
 * what it was on one side of a branch, no copy is left there, and the driver's compiler puts the other side under a
 * predicate instead of behind a branch.
 *
 * Works on the lines of a function, because only they have all reads and writes. An instruction reads all of its
 * operands before it writes. Of inline PTX the emission says what it reads and writes: several instructions, so that a
 * result may be there before an operand is read. An operand that is also a result ("+f") has one register for both; the
 * copy in front of it goes. So sums of wgmma.mma_async stay where they are from product to product, and nothing touches
 * them between a product and its wait, which PTX forbids (PTX ISA 8.5, 9.7.15.6).
 */
const REGISTER = /%(?:fd?|rd?)\d+\b/g;
/** Instructions that write their first operand, or group of operands, and nothing else. */
const WRITES = new Set([
  "abs",
  "add",
  "and",
  "bfe",
  "bfi",
  "brev",
  "clz",
  "cnot",
  "copysign",
  "cos",
  "cvt",
  "cvta",
  "div",
  "dp4a",
  "ex2",
  "ffs",
  "fma",
  "ld",
  "lg2",
  "mad",
  "max",
  "min",
  "mov",
  "mul",
  "neg",
  "not",
  "or",
  "popc",
  "prmt",
  "rcp",
  "rem",
  "rsqrt",
  "selp",
  "setp",
  "shf",
  "shl",
  "shr",
  "shfl",
  "sin",
  "sqrt",
  "sub",
  "tanh",
  "xor",
]);
/** Instructions that only read. */
const READS = new Set(["st", "red", "bar", "barrier", "membar", "fence"]);
/** Instructions that nothing follows. */
const ENDS = new Set(["ret", "exit", "trap"]);

/** What a statement of inline PTX does with registers; one that is tied stands in both lists. */
export interface StatementEffects {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

interface Line {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The registers of a copy. */
  readonly copy: { readonly to: string; readonly from: string } | null;
  readonly label: string | null;
  readonly target: string | null;
  /** Whether the next line may follow. */
  readonly goesOn: boolean;
  /** Registers whose use is not known: they stay what they are. */
  readonly pinned: readonly string[];
  /** Whether results may be written before the operands are read. */
  readonly writesEarly: boolean;
}

const NOTHING: Line = {
  writes: [],
  reads: [],
  copy: null,
  label: null,
  target: null,
  goesOn: true,
  pinned: [],
  writesEarly: false,
};

function read(line: string, statements: ReadonlyMap<string, StatementEffects>): Line {
  const effects = statements.get(line);
  if (effects !== undefined) {
    const known = new Set([...effects.writes, ...effects.reads]);
    // A name that is no operand is the statement's own.
    const pinned = (line.match(REGISTER) ?? []).filter((register) => !known.has(register));
    return { ...NOTHING, ...effects, pinned, writesEarly: true };
  }
  const label = /^(\S+):$/.exec(line);
  if (label !== null) return { ...NOTHING, label: label[1] as string };
  const registers = line.match(REGISTER) ?? [];
  const parts = /^\t(@!?%p\d+ )?([a-z]\w*)([.\w]*)(?: ([^\n;]*))?;$/.exec(line);
  if (parts === null) return { ...NOTHING, pinned: registers };
  const [, guard = "", operation = "", , operands = ""] = parts;
  if (operation === "bra") return { ...NOTHING, target: operands, goesOn: guard !== "" };
  if (ENDS.has(operation)) return { ...NOTHING, reads: registers, goesOn: guard !== "" };
  if (READS.has(operation)) return { ...NOTHING, reads: registers };
  const [first = "", rest] = splitFirst(operands);
  // What is written on a condition is also read: what it held may stay.
  if (!WRITES.has(operation) || guard !== "" || first.includes("[")) return { ...NOTHING, pinned: registers };
  const reads = rest.match(REGISTER) ?? [];
  const isCopy =
    operation === "mov" &&
    registers.length === 2 &&
    first === registers[0] &&
    rest === registers[1] &&
    classOf(first) === classOf(rest);
  return { ...NOTHING, writes: first.match(REGISTER) ?? [], reads, copy: isCopy ? { to: first, from: rest } : null };
}

/** The first operand, which may be a group in braces, and what follows. */
function splitFirst(operands: string): [string, string] {
  const end = operands.startsWith("{") ? operands.indexOf("}") + 1 : operands.indexOf(",");
  return end <= 0 ? [operands, ""] : [operands.slice(0, end), operands.slice(end).replace(/^,? */, "")];
}

const classOf = (register: string): string => register.replace(/\d+$/, "");

/**
 * @param statements inline PTX among the lines, by its text
 * @returns the lines with fewer copies and fewer registers; nothing else changes.
 */
export function coalesceCopies(
  lines: readonly string[],
  statements: ReadonlyMap<string, StatementEffects> = new Map(),
): string[] {
  const parsed = lines.map((line) => read(line, statements));
  const candidates = new Set<string>();
  for (const { copy } of parsed) {
    if (copy !== null) candidates.add(copy.to).add(copy.from);
  }
  for (const { pinned } of parsed) for (const register of pinned) candidates.delete(register);
  if (candidates.size < 2) return [...lines];
  const conflicts = interference(parsed, candidates);
  const representative = new Map<string, string>();
  const find = (register: string): string => {
    let at = register;
    for (let next = representative.get(at); next !== undefined; next = representative.get(at)) at = next;
    return at;
  };
  for (const { copy } of parsed) {
    if (copy === null || !candidates.has(copy.to) || !candidates.has(copy.from)) continue;
    const [to, from] = [find(copy.to), find(copy.from)];
    if (to === from || conflicts.get(to)?.has(from)) continue;
    representative.set(from, to);
    const joined = conflicts.get(to) ?? new Set();
    for (const other of conflicts.get(from) ?? []) {
      joined.add(other);
      conflicts.get(other)?.add(to);
    }
    conflicts.set(to, joined);
  }
  if (representative.size === 0) return [...lines];
  return lines.flatMap((line, i) => {
    const copy = (parsed[i] as Line).copy;
    if (copy !== null && find(copy.to) === find(copy.from)) return [];
    return [line.replace(REGISTER, find)];
  });
}

interface Span {
  readonly first: number;
  last: number;
  next: number[];
}

/** Straight stretches of lines and where they lead. */
function spansOf(parsed: readonly Line[]): Span[] {
  const spans: Span[] = [];
  const atLabel = new Map<string, number>();
  let span: Span | null = null;
  parsed.forEach(({ label, target, goesOn }, at) => {
    if (label !== null) {
      atLabel.set(label, spans.length);
      span = null;
    }
    if (span === null) spans.push((span = { first: at, last: at, next: [] }));
    span.last = at;
    if (target !== null || !goesOn) span = null;
  });
  spans.forEach((span, i) => {
    const { target, goesOn } = parsed[span.last] as Line;
    if (goesOn && i + 1 < spans.length) span.next.push(i + 1);
    const to = target === null ? undefined : atLabel.get(target);
    if (to !== undefined) span.next.push(to);
  });
  return spans;
}

/**
 * Which candidates may not share a register: one is written where the other's value is wanted afterwards, unless by a
 * copy of it.
 */
function interference(parsed: readonly Line[], candidates: ReadonlySet<string>): Map<string, Set<string>> {
  const spans = spansOf(parsed);
  const liveAtEnd = liveness(parsed, spans, candidates);
  const conflicts = new Map<string, Set<string>>([...candidates].map((register) => [register, new Set()]));
  spans.forEach(({ first, last }, i) => {
    const live = new Set(liveAtEnd[i]);
    for (let at = last; at >= first; at--) {
      const { writes, reads, copy, writesEarly } = parsed[at] as Line;
      for (const written of writes) {
        if (!candidates.has(written)) continue;
        for (const other of [...live, ...writes, ...(writesEarly ? reads : [])]) {
          if (other === written || other === copy?.from || !candidates.has(other)) continue;
          conflicts.get(written)?.add(other);
          conflicts.get(other)?.add(written);
        }
      }
      for (const written of writes) live.delete(written);
      for (const register of reads) if (candidates.has(register)) live.add(register);
    }
  });
  return conflicts;
}

function liveness(parsed: readonly Line[], spans: readonly Span[], candidates: ReadonlySet<string>): Set<string>[] {
  // What a span reads before it writes, and what it writes.
  const own = spans.map(({ first, last }) => {
    const [wanted, written] = [new Set<string>(), new Set<string>()];
    for (let at = last; at >= first; at--) {
      const { writes, reads } = parsed[at] as Line;
      for (const register of writes)
        if (candidates.has(register)) {
          written.add(register);
          wanted.delete(register);
        }
      for (const register of reads) if (candidates.has(register)) wanted.add(register);
    }
    return { wanted, written };
  });
  const atEnd = spans.map(() => new Set<string>());
  const atBegin = own.map(({ wanted }) => new Set(wanted));
  for (let changed = true; changed;) {
    changed = false;
    for (let i = spans.length - 1; i >= 0; i--) {
      const [end, begin] = [atEnd[i] as Set<string>, atBegin[i] as Set<string>];
      for (const next of (spans[i] as Span).next) {
        for (const register of atBegin[next] as Set<string>) {
          if (end.has(register)) continue;
          end.add(register);
          if (!own[i]?.written.has(register) && !begin.has(register)) {
            begin.add(register);
            changed = true;
          }
        }
      }
    }
  }
  return atEnd;
}
