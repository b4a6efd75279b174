/**
 * Checks of overflow in a host program's LLVM IR, as Clang's front end writes it (-fsanitize, observed-flags.ts): those
 * outside of loops stay. They cost nothing there, and sizes of allocations are computed there. In loops they would make
 * host code several times as slow.
 *
 * A function that is called from a loop counts as a loop.
 */

interface IrFunction {
  readonly name: string;
  /** Lines of the body: [start, end). */
  readonly start: number;
  readonly end: number;
}

interface Block {
  /** Its label; "" for the first block. */
  readonly name: string;
  readonly start: number;
  readonly successors: number[];
  inLoop: boolean;
  /** It reports what a check has found. */
  isHandler: boolean;
}

const LABEL = /^("[^"]*"|[\w.$-]+):/;
const SUCCESSOR = /\blabel %("[^"]*"|[\w.$-]+)/g;
const NAMED = /@("[^"]*"|[\w.$]+)/g;
const CHECK = /^(\s*br) i1 [^,]+, (label %(?:"[^"]*"|[\w.$-]+)), label %("[^"]*"|[\w.$-]+)/;

export function keepChecksOutsideLoops(ir: string): string {
  const lines = ir.split("\n");
  const functions = functionsOf(lines);
  const blocks = new Map(functions.map((one) => [one, blocksOf(lines, one)]));
  const hot = hotFunctions(lines, functions, blocks);
  for (const one of functions) {
    const own = blocks.get(one) as Block[];
    const handlers = new Set(own.filter(({ isHandler }) => isHandler).map(({ name }) => name));
    if (handlers.size === 0) continue;
    for (const [index, block] of own.entries()) {
      if (!block.inLoop && !hot.has(one.name)) continue;
      const end = own[index + 1]?.start ?? one.end;
      for (let at = block.start; at < end; at++) {
        const [, branch, target, handler] = CHECK.exec(lines[at] as string) ?? [];
        if (handler !== undefined && handlers.has(handler)) lines[at] = `${branch} ${target}`;
      }
    }
  }
  return lines.join("\n");
}

function functionsOf(lines: readonly string[]): IrFunction[] {
  const functions: IrFunction[] = [];
  let open: { name: string; start: number } | null = null;
  for (const [at, line] of lines.entries()) {
    if (line.startsWith("define ")) open = { name: /@("[^"]*"|[\w.$]+)/.exec(line)?.[1] ?? "", start: at + 1 };
    else if (line === "}" && open !== null) {
      functions.push({ ...open, end: at });
      open = null;
    }
  }
  return functions;
}

function blocksOf(lines: readonly string[], { start, end }: IrFunction): Block[] {
  const blocks: Block[] = [];
  const begin = (name: string, at: number): void => {
    blocks.push({ name, start: at, successors: [], inLoop: false, isHandler: false });
    targets.push([]);
  };
  const names = new Map<string, number>();
  const targets: string[][] = [];
  begin("", start);
  for (let at = start; at < end; at++) {
    const line = lines[at] as string;
    const label = LABEL.exec(line)?.[1];
    if (label !== undefined) {
      // The first block may have a label, too.
      if (at > start) begin(label, at);
      names.set(label, blocks.length - 1);
    } else if (line.includes("@__ubsan_handle_")) (blocks.at(-1) as Block).isHandler = true;
    else if (line.includes("label %"))
      for (const [, target] of line.matchAll(SUCCESSOR)) (targets.at(-1) as string[]).push(target as string);
  }
  for (const [index, wanted] of targets.entries())
    for (const name of wanted) {
      const target = names.get(name);
      if (target !== undefined) (blocks[index] as Block).successors.push(target);
    }
  markLoops(blocks);
  return blocks;
}

/** Blocks of strongly connected components (Tarjan, without recursion). */
function markLoops(blocks: readonly Block[]): void {
  const order = new Int32Array(blocks.length).fill(-1);
  const low = new Int32Array(blocks.length);
  const onStack = new Uint8Array(blocks.length);
  const stack: number[] = [];
  let count = 0;
  for (let root = 0; root < blocks.length; root++) {
    if (order[root] !== -1) continue;
    const work: { block: number; next: number }[] = [];
    const enter = (block: number): void => {
      order[block] = low[block] = count++;
      stack.push(block);
      onStack[block] = 1;
      work.push({ block, next: 0 });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { block } = top;
      const successor = (blocks[block] as Block).successors[top.next++];
      if (successor !== undefined) {
        if (successor === block) (blocks[block] as Block).inLoop = true;
        if (order[successor] === -1) enter(successor);
        else if (onStack[successor] === 1) low[block] = Math.min(low[block] as number, order[successor] as number);
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.block;
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[block] as number);
      if (low[block] !== order[block]) continue;
      const component = stack.splice(stack.lastIndexOf(block));
      for (const member of component) {
        onStack[member] = 0;
        if (component.length > 1) (blocks[member] as Block).inLoop = true;
      }
    }
  }
}

/** Functions that a loop names, and what those name. */
function hotFunctions(
  lines: readonly string[],
  functions: readonly IrFunction[],
  blocks: ReadonlyMap<IrFunction, readonly Block[]>,
): ReadonlySet<string> {
  const byName = new Map(functions.map((one) => [one.name, one]));
  const hot = new Set<string>();
  const pending: string[] = [];
  const note = (from: number, to: number): void => {
    for (let at = from; at < to; at++)
      for (const [, name] of (lines[at] as string).matchAll(NAMED))
        if (byName.has(name as string) && !hot.has(name as string)) {
          hot.add(name as string);
          pending.push(name as string);
        }
  };
  for (const one of functions) {
    const own = blocks.get(one) as readonly Block[];
    for (const [index, block] of own.entries()) if (block.inLoop) note(block.start, own[index + 1]?.start ?? one.end);
  }
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const { start, end } = byName.get(name) as IrFunction;
    note(start, end);
  }
  return hot;
}
