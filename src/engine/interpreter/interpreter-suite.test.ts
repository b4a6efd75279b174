import { describe, expect, test } from "vitest";
import { readExecutorSuite } from "../suite-files-node.ts";
import { createInterpreter } from "./interpreter.ts";

const suite = readExecutorSuite();
const executors = {
  forward: createInterpreter(),
  reverse: createInterpreter({ order: "reverse", quantum: 50, residentBlocks: 4 }),
};

describe.each(Object.entries(executors))("the interpreter, threads in %s order", (_, executor) => {
  const opened = suite.open();
  test.each(suite.cases.map((c) => [c.name, c] as const))("%s", (_name, c) => {
    expect(suite.check(executor, opened, c)).toBeNull();
  });
});
