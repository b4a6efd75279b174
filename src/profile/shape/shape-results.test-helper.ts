/** A random kernel does what it did when its code has the form that NVIDIA's compilers give it. */
import { expect } from "vitest";
import { ACC_CELLS, ACC_OPERATIONS, MAX_THREADS, SLOTS, SLOT_BYTES } from "../../engine/fuzz/program.ts";
import { generateProgram } from "../../engine/fuzz/generate.ts";
import { caseOf } from "../../engine/fuzz/run-case.ts";
import { suiteInput } from "../../engine/executor-suite.ts";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { shapeAsCompiled } from "./shape-as-compiled.ts";

const OUT_INTS: number = Math.max(8192, (64 * MAX_THREADS * SLOTS * SLOT_BYTES) / 4);

export function expectSameResults(seed: number): void {
  const { ir, grid, block, n } = caseOf(generateProgram(seed));
  const run = (shaped: boolean): { fault: string | null; out: Int32Array } => {
    const h = new Harness(undefined, 1 << 22);
    const module = parseModule(ir, "random.ll");
    for (const fn of module.functions.values()) if (shaped && fn.blocks.length > 0) shapeAsCompiled(fn, module);
    if (shaped) assertValid(module, "shapeAsCompiled");
    const out = h.place(new Int32Array(OUT_INTS));
    const args = [out, h.place(suiteInput()), h.place(new Uint8Array(ACC_OPERATIONS.length * ACC_CELLS * 8)), n];
    const launch = { grid, block, sharedBytes: MAX_THREADS * 8 };
    const { fault } = h.run(createInterpreter({ maxSteps: 400_000 }), h.load(module), "k", launch, args);
    return { fault: fault?.kind ?? null, out: h.readI32(out, OUT_INTS) };
  };
  const plain = run(false);
  if (plain.fault !== null) return;
  expect(run(true)).toEqual(plain);
}
