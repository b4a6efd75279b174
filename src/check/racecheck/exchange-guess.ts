/**
 * The plain load in front of a loop of compare-and-swap: `old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen));
 * } while (old != seen);`
 *
 * Its value is a guess that the exchange tests: a value that has changed meanwhile costs one more
 * iteration. The CUDA C++ Programming Guide writes atomicAdd of doubles that way ("Atomic Functions").
 */
import type { IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { withoutCasts } from "../../analysis/pointers/pointer-origins.ts";

const known = new WeakMap<IrFunction, ReadonlySet<IrInstruction>>();

export function isExchangeGuess(load: IrInstruction): boolean {
  const fn = load.block.function;
  let guesses = known.get(fn);
  if (guesses === undefined) known.set(fn, (guesses = guessesIn(fn)));
  return guesses.has(load);
}

function guessesIn(fn: IrFunction): Set<IrInstruction> {
  const guesses = new Set<IrInstruction>();
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      if (i.op !== "cmpxchg") continue;
      for (const source of sourcesOf(i.expected)) {
        if (
          source.kind === "instruction" &&
          source.op === "load" &&
          withoutCasts(source.pointer) === withoutCasts(i.pointer)
        )
          guesses.add(source);
      }
    }
  }
  return guesses;
}

/** Where a value comes from, through phis and casts. */
function sourcesOf(value: IrValue): Set<IrValue> {
  const seen = new Set<IrValue>();
  const work = [value];
  for (let one = work.pop(); one !== undefined; one = work.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (one.kind !== "instruction") continue;
    if (one.op === "phi") work.push(...one.incoming.map((incoming) => incoming.value));
    if (one.op === "cast") work.push(one.operand);
  }
  return seen;
}
