/** How many blocks a scheduler holds at once, with tasks that spin for some rounds. */
import { expect, test } from "vitest";
import type { BlockRunnerHost } from "../backend.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { BlockScheduler } from "./block-scheduler.ts";
import type { Task, TaskSource } from "./task.ts";

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
  const host: Partial<BlockRunnerHost> = {
    nextBlock: () => (next < blocks ? next++ : -1),
    stopped: () => false,
    alone: () => true,
  };
  const launch: Partial<LaunchDescriptor> = { grid: { x: blocks, y: 1, z: 1 }, cooperative: false, cluster: null };
  const scheduler = new BlockScheduler(
    source as TaskSource,
    launch as LaunchDescriptor,
    host as BlockRunnerHost,
    "k",
    maxResident,
  );
  expect(scheduler.run()).toBeNull();
  return { most, prepared, ran };
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
