/** `heddle run --watch` through the built command line. Needs dist/ (npm test builds it first). */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const main = new URL("../../dist/bin/main.js", import.meta.url).pathname;

let directory = "";
let child: ChildProcess;
let output = "";
let seen = 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "heddle-watch-"));
  output = "";
  seen = 0;
});
afterEach(() => {
  child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

function start(args: readonly string[]): void {
  child = spawn(process.execPath, [main, "run", "--watch", ...args], {
    cwd: directory,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (bytes: Buffer) => (output += bytes.toString()));
}

function save(name: string, text: string): void {
  writeFileSync(join(directory, name), text);
}

/** Waits until what came since the last call matches, and returns that. */
async function said(pattern: RegExp): Promise<string> {
  for (;;) {
    const fresh = output.slice(seen);
    const match = pattern.exec(fresh);
    if (match !== null) {
      seen += match.index + match[0].length;
      return match[0];
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function endsBy(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on("exit", (code, by) => resolve({ code, signal: by })),
  );
  child.kill(signal);
  return ended;
}

const PROGRAM =
  '#include <cstdio>\n#include "value.h"\n__global__ void k() { printf("kernel %d\\n", VALUE); }\n' +
  "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3; }\n";

test("every save is compiled and run: the file, what it includes, and after errors of all kinds", async () => {
  save("a.cu", PROGRAM);
  save("value.h", "#define VALUE 1\n");
  start(["a.cu"]);
  await said(/kernel 1\n/);
  await said(/heddle: compiled in \d+\.\d\d s, ran \d+\.\d\d s, exit code 0; watching a\.cu and 1 more file\n/);
  save("value.h", "#define VALUE 2\n");
  await said(/value\.h was saved\n/);
  await said(/kernel 2\n/);
  await said(/watching/);
  // As editors save: a new file takes the old one's name.
  save("a.cu.new", PROGRAM.replace("kernel", "nothing"));
  renameSync(join(directory, "a.cu.new"), join(directory, "a.cu"));
  await said(/nothing 2\n/);
  await said(/watching/);
  save("a.cu", PROGRAM.replace("VALUE)", "missing)"));
  await said(/a\.cu:3:\d+: error: use of undeclared identifier 'missing'/);
  await said(/not compiled, after .*; watching a\.cu/);
  save("a.cu", PROGRAM.replace("printf", "*(volatile int *)8 = 1; printf"));
  await said(/an illegal memory access/);
  await said(/exit code 3; watching/);
  rmSync(join(directory, "value.h"));
  await said(/'value\.h' file not found/);
  await said(/not compiled/);
  save("value.h", "#define VALUE 4\n");
  await said(/exit code 3; watching/);
  save("a.cu", PROGRAM);
  await said(/kernel 4\n/);
  await said(/exit code 0; watching/);
  expect(await endsBy("SIGINT")).toMatchObject({ signal: "SIGINT" });
});

test("a program that runs is stopped when its file is saved; Ctrl-C ends at once", async () => {
  const endless = (word: string): string =>
    `#include <cstdio>\n__global__ void endless(int *p) { for (int i = 0;; i++) p[0] += i; }\n` +
    `int main() { int *p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); puts("${word}"); fflush(stdout); endless<<<64, ` +
    `256>>>(p); cudaDeviceSynchronize(); }\n`;
  save("a.cu", endless("one"));
  start(["--workers", "2", "a.cu"]);
  await said(/one\n/);
  // The kernel follows, on a busy machine not at once.
  await new Promise((resolve) => setTimeout(resolve, 500));
  save("a.cu", endless("two"));
  const inKernel = /kernel endless, which had been running for \d+\.\d s/;
  const onHost = /host program, after 0 kernel launches/;
  await said(new RegExp(`a\\.cu was saved: stopped in the (?:${inKernel.source}|${onHost.source})\\n`));
  await said(/two\n/);
  expect(await endsBy("SIGINT")).toMatchObject({ code: 130 });
});

test("a program that waits for input is stopped, too", async () => {
  const reads = (word: string): string =>
    `#include <cstdio>\nint main() { puts("${word}"); fflush(stdout); return getchar() == EOF; }\n`;
  save("a.cu", reads("one"));
  start(["a.cu"]);
  await said(/one\n/);
  save("a.cu", reads("two"));
  await said(/was saved: stopped in the host program/);
  await said(/two\n/);
  expect(await endsBy("SIGINT")).toMatchObject({ code: 130 });
});
