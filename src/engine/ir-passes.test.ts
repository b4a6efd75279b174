/**
 * The passes of ir/ change no result: random kernels run in the interpreter as they are and after the passes, and their
 * memory is compared. The kernels are about types: odd integers, vectors, aggregates, through calls, loops, selections
 * and memory.
 */
import { expect, test } from "vitest";
import type { IrModule } from "../ir/model/ir.ts";
import { cloneModule } from "../ir/model/clone.ts";
import { parseModule } from "../ir/text/parse.ts";
import { cleanUp } from "../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../ir/passes/pass-inline.ts";
import { legalizeModule } from "../ir/passes/pass-legalize.ts";
import { simplifyLoops } from "../ir/passes/pass-loop-simplify.ts";
import { shareProducts } from "../ir/passes/pass-reuse-multiplies.ts";
import { printModule } from "../ir/text/print.ts";
import { assertValid } from "../ir/verify.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { randomKernel } from "./ir-passes.generator.ts";

const OUT_BYTES = 8192;

function runKernel(module: IrModule, input: Uint8Array): Uint8Array {
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const x = h.place(input);
  const out = h.place(new Uint8Array(OUT_BYTES));
  const { fault } = h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [x, out]);
  expect(fault).toBeNull();
  return h.read(out, OUT_BYTES);
}

const pipelines: Record<string, (module: IrModule) => void> = {
  "clean up": (module) => {
    for (const fn of module.functions.values()) cleanUp(fn);
  },
  inline: (module) => {
    for (const fn of module.functions.values()) if (fn.isKernel) expect(inlineCalls(fn, module)).toEqual([]);
  },
  "simplify loops": (module) => {
    for (const fn of module.functions.values()) simplifyLoops(fn);
  },
  "share products": (module) => {
    for (const fn of module.functions.values()) shareProducts(fn);
  },
  legalize: legalizeModule,
  all: (module) => {
    for (const fn of module.functions.values()) {
      if (fn.isKernel) inlineCalls(fn, module);
      cleanUp(fn);
    }
    assertValid(module, "inline and clean up");
    legalizeModule(module);
    assertValid(module, "legalize");
    for (const fn of module.functions.values()) {
      cleanUp(fn);
      simplifyLoops(fn);
    }
  },
  "print and read": (module) => {
    const again = parseModule(printModule(module), "printed.ll");
    module.functions = again.functions;
    module.globals = again.globals;
  },
};

const runs = Number(process.env["HEDDLE_FUZZ_RUNS"] ?? 40);
const firstSeed = Number(process.env["HEDDLE_FUZZ_SEED"] ?? 1);

test.each(Object.entries(pipelines))(
  "%s",
  (name, run) => {
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const original = parseModule(randomKernel(seed), `random-${seed}.ll`);
      assertValid(original, "the generator");
      const input = Uint8Array.from(
        { length: 256 },
        (_, i) => (Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 11,
      );
      const changed = cloneModule(original);
      run(changed);
      assertValid(changed, `${name}, seed ${seed}`);
      expect(Buffer.from(runKernel(changed, input)).toString("hex"), `seed ${seed}`).toBe(
        Buffer.from(runKernel(original, input)).toString("hex"),
      );
    }
  },
  20_000 + runs * 200,
);
