/** How many blocks a scheduler holds at once, with tasks that spin for some rounds; slots that are used again. */
import { expect, test } from "vitest";
import type { BlockRunnerHost } from "../backend.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { BlockScheduler } from "./block-scheduler.ts";
import type { Task, TaskSource, TaskStatus, Wait } from "./task.ts";

/** Runs so many blocks. @returns the most that were held at once, and how often a slot was prepared */
function run(blocks: number, maxResident: number, slots: number): { most: number; prepared: number; ran: number } {
  let [next, held, most, prepared, ran] = [0, 0, 0, 0, 0];
  const task = (): Task => {
    let rounds = 40;
    const self = {
      warp: 0,
      lanes: 1,
      waits: [],
      exitedLanes: 0,
      yieldedLanes: 1,
      state: () => null,
      run: () => {
        if (--rounds > 0) return "yielded";
        held--;
        ran++;
        self.exitedLanes = 1;
        self.lanes = 0;
        return "ended";
      },
    };
    return self as unknown as Task;
  };
  const source: Partial<TaskSource> = {
    prepare: (slot) => (prepared++, slot < slots),
    start: () => {
      most = Math.max(most, ++held);
      return [task()];
    },
    memoryVersion: () => 0,
  };
  expect(schedulerOf(source, blocks, maxResident, () => (next < blocks ? next++ : -1)).run()).toBeNull();
  return { most, prepared, ran };
}

function schedulerOf(
  source: Partial<TaskSource>,
  blocks: number,
  maxResident: number,
  nextBlock: () => number,
): BlockScheduler {
  const host: Partial<BlockRunnerHost> = { nextBlock, stopped: () => false, alone: () => true };
  const launch: Partial<LaunchDescriptor> = { grid: { x: blocks, y: 1, z: 1 }, cooperative: false, cluster: null };
  return new BlockScheduler(
    source as TaskSource,
    launch as LaunchDescriptor,
    host as BlockRunnerHost,
    "k",
    maxResident,
  );
}

test("blocks that spin bring further ones, up to as many as fit", () => {
  expect(run(20, 3, 100)).toMatchObject({ most: 3, ran: 20 });
  expect(run(20, 100, 5)).toMatchObject({ most: 5, ran: 20 });
});

test("when all blocks have started, no slot is prepared for another", () => {
  const { most, prepared, ran } = run(2, 10, 100);
  expect([most, ran]).toEqual([2, 2]);
  expect(prepared).toBe(3);
});

test("a task that is ready twice does not run for the next block of its slot under the name of the last one", () => {
  // A block is started after every eighth round of spinning: one of eight in a row ends at such a time.
  for (let rounds = 20; rounds < 28; rounds++) expect(passedAlone(rounds), `${rounds} rounds`).toEqual([false, false]);
});

/** In which blocks of two in the same slot the first warp passed a barrier at which the second one was not. */
function passedAlone(rounds: number): boolean[] {
  const passed: boolean[] = [];
  let arrived = false;
  // Two lanes that arrive at a barrier by themselves are resumed one after the other: the task is ready twice. Its
  // second run ends it, after the first one has put it among those that yielded.
  const first = scripted(0, [...yields(rounds), "waiting", "yielded"], [1, 2], (run) => {
    if (run === rounds + 1) passed.push(!arrived);
  });
  const second = scripted(1, [...yields(rounds + 5), "waiting"], [1], (run) => {
    if (run === rounds + 5) arrived = true;
  });
  const slots = [[first, second], [scripted(0, yields(200), [], () => undefined)]];
  let next = 0;
  const source: Partial<TaskSource> = {
    prepare: () => true,
    start: (slot) => {
      for (const task of slots[slot] ?? []) task.reset();
      arrived = false;
      return slots[slot] ?? [];
    },
    memoryVersion: () => 0,
  };
  schedulerOf(source, 3, 2, () => (next < 3 ? next++ : -1)).run();
  return passed;
}

const yields = (count: number): TaskStatus[] => Array.from({ length: count }, () => "yielded");

/** A task that ends after so many statuses, each a run's; groups of lanes wait at a barrier by themselves. */
function scripted(
  warp: number,
  statuses: readonly TaskStatus[],
  groups: readonly number[],
  noteRun: (run: number) => void,
): Task & { reset: () => void } {
  const wait = (lanes: number): Wait => ({
    lanes,
    operation: { kind: "barrier", reduction: "none" },
    mask: 0,
    barrier: 0,
    threads: -1,
    site: 0,
  });
  const all = groups.reduce((a, b) => a | b, 0) || 1;
  let at = 0;
  const self = {
    warp,
    lanes: all,
    waits: [] as Wait[],
    exitedLanes: 0,
    yieldedLanes: 0,
    state: () => null,
    resume: () => undefined,
    reset: () => ((at = 0), (self.lanes = all)),
    run: (): TaskStatus => {
      noteRun(at);
      const status = statuses[at++] ?? "ended";
      self.waits = status === "waiting" ? groups.map(wait) : [];
      self.yieldedLanes = status === "yielded" ? all : 0;
      if (status === "ended") [self.exitedLanes, self.lanes] = [self.lanes, 0];
      return status;
    },
  };
  return self as unknown as Task & { reset: () => void };
}
