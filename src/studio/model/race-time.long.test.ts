/** Races of real programs, found by racecheck and recorded as the page does both. Their threads are those of dist/. */
import { expect, test } from "vitest";
import { programRequest } from "../../browser/program-options.ts";
import type { Finding } from "../../check/finding.ts";
import { FIRST_BLOCK } from "../../recording/recording-choice.ts";
import type { BlockRecording } from "../../recording/recording.ts";
import { raceOf, type Race } from "./problems.ts";
import { blocksOf, raceTime, type RaceTime } from "./race-time.ts";

const DIST = new URL("../../../dist/session/platform-node.js", import.meta.url).href;
const { openNodeSession } = (await import(DIST)) as typeof import("../../session/platform-node.ts");

async function racesOf(source: string): Promise<Race[]> {
  const findings: Finding[] = [];
  const request = programRequest(source, { clang: "" }, { check: ["racecheck"] });
  for await (const event of openNodeSession().start(request))
    if (event.kind === "finding") findings.push(event.finding);
  return findings.flatMap((finding) => raceOf(finding) ?? []);
}

async function timeOf(source: string, race: Race): Promise<RaceTime> {
  const recordings: BlockRecording[] = [];
  for (const block of blocksOf(race)) {
    const record = { ...FIRST_BLOCK, launch: race.launch, block };
    const request = programRequest(source, { clang: "" }, { record });
    for await (const event of openNodeSession().start(request))
      if (event.kind === "recorded") recordings.push(event.recording);
  }
  return raceTime(race, recordings);
}

const program = (kernel: string, launch: string): string => `#include <cstdio>
__global__ void before(int* x) { x[threadIdx.x] = threadIdx.x; }
${kernel}
int main() {
  int* x;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  before<<<1, 64>>>(x);
  race${launch}(x);
  cudaDeviceSynchronize();
  return 0;
}
`;

test("threads of a block: both on one time line, between the same barriers", async () => {
  const source = program(
    `__global__ void race(int* x) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = t;
  __syncthreads();
  part[t] = t + 1;
  int next = part[(t + 32) % 64];
  __syncthreads();
  x[t] = next;
}`,
    "<<<2, 64>>>",
  );
  const [race] = await racesOf(source);
  expect(race?.launch).toBe(2);
  const { rows, verdict } = await timeOf(source, race as Race);
  expect(rows.map(({ what, place }) => `${what} ${place.line}`).toSorted()).toEqual(["reads 9", "writes 8"]);
  expect(verdict).toMatch(/^No barrier stands between the two\. Here the (upper|lower) one came first/);
  for (const { cells } of rows) {
    const at = cells.indexOf("access");
    expect(cells.filter((cell) => cell === "access")).toHaveLength(1);
    // Both barriers are part of the picture.
    expect([cells.indexOf("barrier") < at, cells.lastIndexOf("barrier") > at]).toEqual([true, true]);
  }
  expect(rows[0].cells).toHaveLength(rows[1].cells.length);
});

test("blocks: each has a time of its own", async () => {
  const source = program(`__global__ void race(int* x) { x[threadIdx.x] = blockIdx.x; }`, "<<<2, 32>>>");
  const [race] = await racesOf(source);
  expect(blocksOf(race as Race)).toHaveLength(2);
  const { rows, verdict } = await timeOf(source, race as Race);
  expect(rows.map(({ what }) => what)).toEqual(["writes", "writes"]);
  expect(new Set(rows.map(({ block }) => block)).size).toBe(2);
  expect(verdict).toContain("any order");
});

test("lanes of a warp do it in one step", async () => {
  const source = program(`__global__ void race(int* x) { x[threadIdx.x / 2] = threadIdx.x; }`, "<<<1, 32>>>");
  const [race] = await racesOf(source);
  const { rows, verdict } = await timeOf(source, race as Race);
  expect(rows[0].step).toBe(rows[1].step);
  expect(verdict).toContain("one step");
});
