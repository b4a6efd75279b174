/**
 * The passes change no result: kernels run in the interpreter as they are and after the passes, and their memory is
 * compared.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { randomKernel } from "../../engine/ir-passes.generator.ts";
import { generateProgram } from "../../engine/fuzz/generate.ts";
import { caseOf, compareExecutors } from "../../engine/fuzz/run-case.ts";
import type { Executor } from "../../engine/executor.ts";
import { ExecutorSuite } from "../../engine/executor-suite.ts";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { prepareModule } from "./prepare-module.ts";

/** The interpreter on what the passes make of a program. */
function interpreterAfterPasses(): Executor {
  const interpreter = createInterpreter();
  const prepared = new WeakMap<IrModule, IrModule>();
  return {
    name: "after the passes",
    run(program, kernel, ...rest) {
      let module = prepared.get(program.module);
      if (module === undefined) {
        module = cloneModule(program.module);
        prepareModule(module);
        assertValid(module, "prepareModule");
        prepared.set(program.module, module);
      }
      const changed = module;
      const own = (fn: IrFunction): IrFunction => changed.functions.get(fn.name) as IrFunction;
      const functionTable = program.functionTable.map((fn) => (fn === null ? null : own(fn)));
      return interpreter.run(
        { ...program, module, functionTable },
        { ...kernel, function: own(kernel.function) },
        ...rest,
      );
    },
  };
}

function runRandom(module: IrModule, input: Uint8Array): string {
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const x = h.place(input);
  const out = h.place(new Uint8Array(8192));
  const { fault } = h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [x, out]);
  expect(fault).toBeNull();
  return Buffer.from(h.read(out, 8192)).toString("hex");
}

const firstSeed = Number(process.env["HEDDLE_FUZZ_SEED"] ?? 1);
const runs = Number(process.env["HEDDLE_FUZZ_RUNS"] ?? 12);

test("random kernels about types", () => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const original = parseModule(randomKernel(seed), `random-${seed}.ll`);
    const input = Uint8Array.from(
      { length: 256 },
      (_, i) => (Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 11,
    );
    const changed = cloneModule(original);
    prepareModule(changed);
    assertValid(changed, `seed ${seed}`);
    expect(runRandom(changed, input), `seed ${seed}`).toBe(runRandom(original, input));
  }
});

test("random kernels of many threads", () => {
  const executors = [createInterpreter({ maxSteps: 400_000 }), interpreterAfterPasses()];
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const outcome = compareExecutors(caseOf(generateProgram(seed)), executors, new Harness());
    expect(outcome.kind === "different" ? outcome.report : "", `seed ${seed}`).toBe("");
  }
});

test("the executor suite", () => {
  const read = (name: string): string => readFileSync(new URL(`../../engine/suite/${name}`, import.meta.url), "utf8");
  const suite = new ExecutorSuite({
    source: read("suite.cu"),
    ir: read("suite.ll"),
    expected: read("suite.expected.json"),
  });
  const executor = interpreterAfterPasses();
  const opened = suite.open();
  for (const one of suite.cases) {
    // A case may have changed variables that another reads; those are run on a program of their own.
    const wrong =
      suite.check(executor, opened, one) === null ? null : suite.check(interpreterAfterPasses(), suite.open(), one);
    expect(wrong, one.name).toBeNull();
  }
});
