/**
 * A session on Node.js yields events: of a run, of a check, of a program that is stopped, and of a bench. Programs run
 * in threads, whose scripts are those of dist/ (npm test builds it first): a process of its own starts these sessions.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ResultRecord } from "../bench/results.ts";
import type { SessionEvent } from "./events.ts";
import type { ProgramEnd } from "./events.ts";
import type { ErrorReport } from "./error-report.ts";
import { openNodeSession } from "./platform-node.ts";
import {
  DEFAULT_DEVICE,
  type CodeTexts,
  type ProgramRequest,
  type RunSettings,
  type SessionRequest,
} from "./request.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-session-"));
afterAll(() => rmSync(folder, { recursive: true }));

function request(text: string, settings: Partial<RunSettings> = {}): ProgramRequest {
  const isCheck = (settings.check ?? null) !== null;
  return {
    kind: isCheck ? "check" : "run",
    program: {
      sources: [{ path: "program.cu", text }],
      objects: [],
      compile: { observed: isCheck },
      name: "program.cu",
    },
    argv: isCheck ? ["program", "one", "more"] : ["program", "one"],
    env: null,
    timeout: null,
    settings: {
      ...DEFAULT_DEVICE,
      device: "emulated",
      directories: [],
      files: {},
      isolation: null,
      stdin: "from the request\n",
      timeLaunches: true,
      launchEvents: true,
      ...settings,
    },
  };
}

const FILL = `
#include <stdio.h>
__global__ void fill(int* p, int n) { int i = threadIdx.x; if (i <= n) p[i] = i; }
int main(int argc, char** argv) {
  char line[80];
  fgets(line, sizeof line, stdin);
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  fill<<<1, 128>>>(p, argc == 2 ? 63 : 64);
  cudaDeviceSynchronize();
  printf("%s: %s", argv[1], line);
  fprintf(stderr, "done\\n");
  cudaFree(p);
  return 7;
}`;

interface Worked {
  readonly events: readonly SessionEvent[];
  /** What the iterator has thrown. */
  readonly thrown: ErrorReport | null;
  readonly end: ProgramEnd | CodeTexts | ErrorReport;
}

const SCRIPT = `
import { openNodeSession } from ${JSON.stringify(new URL("../../dist/session/platform-node.js", import.meta.url).href)};
import { reportOf } from ${JSON.stringify(new URL("../../dist/session/error-report.js", import.meta.url).href)};
const [request, stopsAtOutput] = JSON.parse(process.argv[2]);
const run = openNodeSession().start(request);
const events = [];
let thrown = null;
try {
  for await (const event of run) {
    events.push(event.kind === "output" ? { ...event, bytes: [...event.bytes] } : event);
    if (stopsAtOutput && event.kind === "output") run.stop();
  }
} catch (error) {
  thrown = reportOf(error);
}
process.stdout.write(JSON.stringify({ events, thrown, end: await run.result.catch(reportOf) }), () => process.exit(0));
`;

const script = join(folder, "work.mjs");
writeFileSync(script, SCRIPT);

function work(asked: SessionRequest, { stopsAtOutput = false } = {}): Promise<Worked> {
  const args = [script, JSON.stringify([asked, stopsAtOutput])];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Worked);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}

function textOf(events: readonly SessionEvent[], stream: "stdout" | "stderr"): string {
  const decoder = new TextDecoder();
  return events
    .map((event) =>
      event.kind === "output" && event.stream === stream ? decoder.decode(Uint8Array.from(event.bytes)) : "",
    )
    .join("");
}

test("device code as texts, which name the source's lines", async () => {
  const source = { path: "twice.cu", text: "__global__ void twice(float* x) {\n  x[threadIdx.x] *= 2;\n}\n" };
  const { end } = await work({ kind: "code", source, compile: {}, files: {} });
  const { ir, ptx } = end as CodeTexts;
  expect(ptx).toMatch(/\.file\s+\d+ "(?:.*\/)?twice\.cu"/);
  expect(ptx).toMatch(/\.loc\s+\d+ 2 \d+\n\s*(?!\.loc)\S/);
  expect(ir).toMatch(/define .*@_Z5twicePf/);
  expect(ir).toContain("!DILocation(line: 2");
});

describe("a program", () => {
  test("a run yields its launches and its output, and ends with the exit code", async () => {
    const { events, end } = await work(request(FILL));
    expect(events[0]).toMatchObject({ kind: "started" });
    expect(events.filter(({ kind }) => kind === "launch")).toMatchObject([{ launch: { block: [128, 1, 1] } }]);
    expect(textOf(events, "stdout")).toBe("one: from the request\n");
    expect(textOf(events, "stderr")).toBe("done\n");
    expect(end).toMatchObject({ how: "exited", status: { exitCode: 7, launches: 1 }, checked: null });
    expect(events.at(-1)).toEqual({ kind: "exit", end });
  });

  test("a check yields its findings with their lines", async () => {
    const { events } = await work(request(FILL, { check: ["memcheck"], launchEvents: false }));
    expect(events.filter(({ kind }) => kind === "finding")).toMatchObject([
      { finding: { kind: "out-of-bounds", count: 1, location: { line: 3 } } },
    ]);
  });

  test("a program that never ends is stopped, by the caller or when its time is up", async () => {
    const endless = `
#include <stdio.h>
int main() { puts("begun"); fflush(stdout); for (volatile int i = 0;; i++); }`;
    const stopped = await work(request(endless), { stopsAtOutput: true });
    expect(textOf(stopped.events, "stdout").trim()).toBe("begun");
    expect(stopped.end).toMatchObject({ how: "stopped", by: "caller", activity: { kernel: null, launches: 0 } });
    const timed = await work({ ...request(endless), timeout: 1 });
    expect(timed.end).toMatchObject({ how: "stopped", by: "timeout" });
  });

  test("what does not compile is thrown where the events are read, and where the result is", async () => {
    const { thrown, end } = await work(request("int main() {}\n__global__ void k() { nothing = 1; }"));
    expect(thrown).toMatchObject({ code: "compile-error" });
    expect(end).toMatchObject({ code: "compile-error" });
  });
});

test("a bench yields its device, its progress and its results", async () => {
  writeFileSync(
    join(folder, "1-plain.cu"),
    "// Plain.\n" +
      "__global__ void twice(const float* x, float* y, int n) { int i = threadIdx.x; if (i < " +
      "n) y[i] = 2 * x[i]; }\n",
  );
  writeFileSync(
    join(folder, "twice.ladder.ts"),
    `export default {
  summary: "y = 2 x",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: (random) => random, seed: 1 } },
  outputs: {
    y: { dtype: "float32", length: ({ n }) => n, tolerance: { absolute: 0, relative: 0, reason: "exact" } },
  },
  reference: ({ x }) => ({ y: x.map((value) => 2 * value) }),
  work: ({ n }) => ({ bytes: 8 * n, operations: n }),
  shapes: { check: [{ n: 3 }], time: { emulated: [{ n: 100 }], cuda: [] } },
  versions: { "1-plain": { launch: ({ n }) => [{ kernel: "twice", grid: 1, block: 128, args: ["x", "y", n] }] } },
};`,
  );
  const run = openNodeSession({ version: "1.2.3", origin: () => ({ commit: null, dirty: false }) }).start({
    kind: "bench",
    ladders: [{ file: join(folder, "twice.ladder.ts") }],
    settings: {
      device: "emulated",
      gpu: null,
      workers: 1,
      shape: {},
      only: null,
      rivals: false,
      sweep: false,
      sweepAgain: false,
      checkOnly: false,
      profile: false,
      caches: false,
      seed: 5,
    },
  });
  const events: SessionEvent[] = [];
  for await (const event of run) events.push(event);
  expect(events[0]).toMatchObject({ kind: "device", about: { heddle: "1.2.3", device: { kind: "emulated" } } });
  expect(events.filter(({ kind }) => kind === "progress").at(-1)).toMatchObject({
    part: 1,
    what: "twice/1-plain done",
  });
  const [record] = (await run.result) as [ResultRecord];
  expect(events.at(-1)).toEqual({ kind: "result", record });
  expect(record.versions[0]).toMatchObject({ version: "1-plain", verdict: "ok", idea: "Plain." });
});
