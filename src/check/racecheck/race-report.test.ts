/** What a report of a race advises, by what has met and where. */
import { expect, test } from "vitest";
import type { CheckedDevice } from "../checker.ts";
import { describeRace } from "./race-report.ts";
import type { RaceSite } from "./race-site.ts";

const site = (kind: string): RaceSite =>
  ({
    kind,
    bytes: 4,
    location: null,
    volatile: false,
    object: { kind: "unknown" },
    pointer: { kind: "param", name: kind, type: { kind: "ptr", addressSpace: 0 } },
    index: 0,
  }) as unknown as RaceSite;

const origin = { x: 0, y: 0, z: 0 };

function helpFor(mine: string, theirs: string, between: "warp" | "block" | "grid"): string {
  const { kind, help } = describeRace(
    { site: site(mine), block: origin, thread: origin },
    { site: site(theirs), block: null, thread: null },
    "write",
    { between, isNarrow: false, isOrdered: false, isBlockMemory: false },
    { address: 4096, value: 0 },
    { readable: (name: string) => name } as unknown as CheckedDevice,
    { copiesOf: () => [] } as unknown as Parameters<typeof describeRace>[6],
  );
  return `${kind}: ${help ?? ""}`;
}

test("an atomic access and a plain one: make both atomic, or order them, where threads of a block can", () => {
  const advice = /^atomic-and-plain: use atomic operations for all accesses, or put __sync/;
  expect(helpFor("write", "atomic", "block")).toMatch(advice);
  expect(helpFor("write", "atomic", "warp")).toMatch(advice);
  expect(helpFor("write", "atomic", "grid")).toMatch(
    /^atomic-and-plain: give each block elements of its own, use atomic/,
  );
});

test("two plain accesses: nothing is said of atomic operations where a barrier helps", () => {
  expect(helpFor("write", "write", "block")).toMatch(/^write-after-write: put __syncthreads\(\)/);
  expect(helpFor("write", "write", "warp")).toMatch(/^write-after-write: put __syncwarp\(\)/);
});
