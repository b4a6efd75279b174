/**
 * Tests lie beside what they test. `unit` and `tools` need Node.js alone, `browser` drives headless Chromium and says
 * so loudly where there is none. `npm test` runs all but `long`, `npx vitest run --project unit src/ir` a part.
 *
 * `unit` is what computes, `tools` starts compilers and programs. The files of both share processes, the modules in
 * them, and Clang: to load these costs more than most of the files do. `long` (`npm run test:long`, and
 * `.ci/run --long`): all pairs of the checkers' suites, on both tiers of the engine, every ladder, every report of the
 * docs, most of what needs a browser, and programs that take Clang long. `exhaustive` (`npm run test:exhaustive`) takes
 * minutes more, for those who change our headers of Thrust and CUB: all pairs of types; and what is of 64-bit programs
 * alone, whose C library is built first.
 *
 * Host programs have 64 bits where their C library is built, else 32; HEDDLE_MODEL=ilp32 or lp64 chooses.
 *
 * Compiling kernels makes much garbage, and two processes share the processors: a larger young generation, collected by
 * one thread, saves a sixth.
 *
 * What computes without an end, as WebAssembly does that nothing can interrupt, is ended and named by a watchdog
 * (scripts/watchdog).
 *
 * The first test to compile CUDA waits for Clang (seconds, and 600 MB): hence few processes. Limits of time only end
 * what hangs: a busy machine may be many times slower than an idle one, and no test may fail for that.
 */
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

const common = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  environment: "node" as const,
  restoreMocks: true,
  setupFiles: ["./scripts/watchdog/setup.ts", "./scripts/random-seed.ts"],
  globalSetup: ["./scripts/test-model.ts"],
  execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
  // Profiles are the same on machines with and without a toolkit.
  env: { HEDDLE_PTXAS: "none", HEDDLE_TEST_PTXAS: process.env["HEDDLE_PTXAS"] ?? "ptxas" },
};
const browser = ["src/**/browser.test.ts"];
const suites = ["src/check/suite.test.ts", "src/runtime/cuda/api-checks/api-checks.test.ts"];
const long = ["{src,kernels,scripts}/**/*.long.test.ts", "bench/**/*.long.test.mjs"];
const exhaustive = ["src/**/*.exhaustive.test.ts"];
const unit = [
  "src/{base,libraries,ir,wasm,machine,analysis,program,store,ptx,engine,device}/**/*.test.ts",
  "src/{instrument,profile,recording}/**/*.test.ts",
  "src/frontend/{triton,ptx}/**/*.test.ts",
  "src/studio/**/*.test.ts",
  "src/runtime/{cuda,cuda/api-functions,host,wasi}/*.test.ts",
];

const config: ViteUserConfig = defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: "tools",
          include: ["{src,kernels,scripts}/**/*.test.ts", "{bench,scripts}/**/*.test.mjs"],
          exclude: [...browser, ...unit, ...long, ...exhaustive],
          env: { ...common.env, HEDDLE_TESTS: "short" },
          isolate: false,
        },
      },
      { test: { ...common, name: "long", include: [...suites, ...long] } },
      {
        test: {
          ...common,
          name: "exhaustive",
          include: ["src/check/suite.test.ts", ...exhaustive],
          env: { ...common.env, HEDDLE_TESTS: "all" },
        },
      },
      {
        test: { ...common, name: "unit", include: unit, exclude: [...browser, ...long, ...exhaustive], isolate: false },
      },
      { test: { ...common, name: "browser", include: browser } },
    ],
  },
});

export default config;
