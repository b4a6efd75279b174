/** The executor suite's files, from where they lie beside this one. For tests on Node.js. */
import { readFileSync } from "node:fs";
import { ExecutorSuite } from "./executor-suite.ts";

export function readExecutorSuite(): ExecutorSuite {
  const read = (name: string): string => readFileSync(new URL(`./suite/${name}`, import.meta.url), "utf8");
  return new ExecutorSuite({ source: read("suite.cu"), ir: read("suite.ll"), expected: read("suite.expected.json") });
}
