/** Which labels a function reaches, and from how many places: known before any block is made. */
import type { PtxBody, PtxStatement } from "./syntax.ts";

/** By label; one that is missing is never reached. */
export type Arrivals = ReadonlyMap<string, number>;

interface Segment {
  readonly label: string | null;
  /** Labels that it goes to, each as often as it does. */
  readonly targets: string[];
  /** Its end is reached. */
  falls: boolean;
}

/** Ends what comes behind it, unless it has a guard. */
export function endsBlock({ opcode, guard }: PtxStatement): boolean {
  const [word] = opcode;
  return guard === null && (word === "bra" || word === "brx" || word === "ret" || word === "exit");
}

/** The labels that a branch names. */
export function branchTargets({ opcode, operands }: PtxStatement, { targets }: PtxBody): readonly string[] {
  const [word] = opcode;
  if (word === "bra") return operands.flatMap((operand) => (operand.kind === "label" ? [operand.name] : []));
  if (word !== "brx") return [];
  const list = operands[1];
  if (list?.kind === "label" || list?.kind === "symbol") return [...new Set(targets.get(list.name) ?? [])];
  return list?.kind === "vector"
    ? [...new Set(list.elements.flatMap((e) => (e.kind === "label" ? [e.name] : [])))]
    : [];
}

export function arrivals(body: PtxBody): Arrivals {
  const segments: Segment[] = [{ label: null, targets: [], falls: true }];
  for (const statement of body.statements) {
    const segment = segments.at(-1) as Segment;
    if (statement.kind === "label") segments.push({ label: statement.name, targets: [], falls: true });
    else if (segment.falls) {
      segment.targets.push(...branchTargets(statement, body));
      if (endsBlock(statement)) segment.falls = false;
    }
  }
  const places = new Map(segments.map(({ label }, i) => [label, i]));
  const counts = new Map<string, number>();
  const seen = new Set([0]);
  const work = [0];
  const go = (at: number): void => {
    const { label } = segments[at] as Segment;
    if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
    if (seen.has(at)) return;
    seen.add(at);
    work.push(at);
  };
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const { targets, falls } = segments[at] as Segment;
    for (const target of targets) {
      const place = places.get(target);
      if (place !== undefined) go(place);
    }
    if (falls && at + 1 < segments.length) go(at + 1);
  }
  return counts;
}
