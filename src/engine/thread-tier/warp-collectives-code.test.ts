import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import { CollectiveBuffers, computeCollective } from "../schedule/collectives.ts";
import type { CollectiveOperation, WaitOperation } from "../schedule/task.ts";
import { CONTEXT, CONTEXT_BYTES } from "./layout.ts";
import { emitAnswerWarp } from "./warp-collectives-code.ts";

const ANSWERED: readonly CollectiveOperation[] = [
  "shfl-idx",
  "shfl-up",
  "shfl-down",
  "shfl-bfly",
  "vote-all",
  "vote-any",
  "vote-uni",
  "vote-ballot",
  "redux-add",
  "redux-and",
  "redux-or",
  "redux-xor",
];
const OPERATIONS: readonly WaitOperation[] = [
  { kind: "grid-sync" },
  ...ANSWERED.map((operation) => ({ kind: "collective", operation, converged: false }) as const),
  { kind: "collective", operation: "match-any", converged: false },
  { kind: "collective", operation: "shfl-idx", converged: true },
  { kind: "collective", operation: "syncwarp", converged: false },
];

const memory = new WebAssembly.Memory({ initial: 1 });
const words = new Int32Array(memory.buffer);
const at = (lane: number, field: number): number => (lane * CONTEXT_BYTES + field) >> 2;

function answerWarp(): (contexts: number) => number {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { minPages: 1 });
  module.exportFunction("answer_warp", emitAnswerWarp(module, OPERATIONS));
  return new WebAssembly.Instance(new WebAssembly.Module(module.finish()), { env: { memory } }).exports[
    "answer_warp"
  ] as (contexts: number) => number;
}

const answer = answerWarp();

test.each(ANSWERED)("%s is the scheduler's", (operation) => {
  let seed = 1;
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) | 0) >>> 8;
  for (let round = 0; round < 200; round++) {
    const b = new CollectiveBuffers();
    const width = 1 << (random() % 6);
    // Predicates are the same for all in a third of the rounds each.
    const predicate = (): number => {
      if (round % 3 === 2) return random() % 2;
      return round % 3 === 0 ? 0 : 4;
    };
    for (let lane = 0; lane < 32; lane++) {
      b.value[lane] = operation.startsWith("vote") ? predicate() : random() << (random() % 9);
      b.lane[lane] = round % 2 === 0 ? round % 41 : random() % 64;
      b.control[lane] = ((32 - width) << 8) | (round % 4 < 2 && operation === "shfl-up" ? 0 : 31 - (random() % 3));
      words[at(lane, CONTEXT.waitOperation)] = 1 + ANSWERED.indexOf(operation);
      words[at(lane, CONTEXT.operand0)] = b.value[lane] as number;
      words[at(lane, CONTEXT.operand2)] = b.lane[lane] as number;
      words[at(lane, CONTEXT.operand3)] = b.control[lane] as number;
      words[at(lane, CONTEXT.resultHigh)] = 0;
    }
    computeCollective(operation, -1, b);
    expect(answer(0)).toBe(1);
    for (let lane = 0; lane < 32; lane++) {
      expect(words[at(lane, CONTEXT.resultLow)]).toBe(b.result[lane]);
      if (operation.startsWith("shfl")) expect(words[at(lane, CONTEXT.resultHigh)]).toBe(b.resultHigh[lane]);
    }
  }
});

test("the scheduler is asked for everything else", () => {
  const answers = OPERATIONS.map((_, n) => {
    words[at(0, CONTEXT.waitOperation)] = n;
    return answer(0);
  });
  expect(answers).toEqual(
    OPERATIONS.map((operation) =>
      Number(operation.kind === "collective" && !operation.converged && operation.operation !== "match-any"),
    ),
  );
});
