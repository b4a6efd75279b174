import { describe, expect, test } from "vitest";
import { shuffleSource } from "../interpreter/collectives.ts";
import { CollectiveBuffers, computeCollective } from "./collectives.ts";
import type { CollectiveOperation } from "./task.ts";

const LANES = Array.from({ length: 32 }, (_, lane) => lane);

function run(
  operation: CollectiveOperation,
  lanes: number,
  fill: (b: CollectiveBuffers, lane: number) => void,
): CollectiveBuffers {
  const b = new CollectiveBuffers();
  for (const lane of LANES) fill(b, lane);
  computeCollective(operation, lanes, b);
  return b;
}

describe("shuffles are the interpreter's", () => {
  test.each(["idx", "up", "down", "bfly"] as const)("%s", (mode) => {
    for (const lanes of [-1, 0x0000ffff, 0x5a5a1234]) {
      for (const width of [32, 16, 8, 4, 2]) {
        for (let offset = 0; offset < 32; offset += 3) {
          const control = ((32 - width) << 8) | (mode === "up" ? 0 : 31);
          const b = run(`shfl-${mode}`, lanes, (buffers, lane) => {
            buffers.value[lane] = 1000 + lane;
            buffers.lane[lane] = offset;
            buffers.control[lane] = control;
          });
          for (const lane of LANES.filter((l) => ((lanes >>> l) & 1) !== 0)) {
            const { source, valid } = shuffleSource(mode, lane, offset, control);
            expect(b.result[lane]).toBe(((lanes >>> source) & 1) !== 0 ? 1000 + source : 0); // 0 as measured on an H200
            expect(b.resultHigh[lane]).toBe(Number(valid));
          }
        }
      }
    }
  });
});

test("votes", () => {
  const odd = (b: CollectiveBuffers, lane: number): void => {
    b.value[lane] = lane & 1;
  };
  const one = (b: CollectiveBuffers, lane: number): void => {
    b.value[lane] = 1;
  };
  expect(run("vote-ballot", 0xff, odd).result[0]).toBe(0xaa);
  expect([run("vote-any", 0x55, odd), run("vote-any", 0x57, odd)].map((b) => b.result[0])).toEqual([0, 1]);
  expect(
    [run("vote-all", 0xaa, odd), run("vote-all", 0xab, odd), run("vote-all", -1, one)].map((b) => b.result[1]),
  ).toEqual([1, 0, 1]);
  expect(
    [run("vote-uni", 0x55, odd), run("vote-uni", 0xaa, odd), run("vote-uni", 0xff, odd)].map((b) => b.result[3]),
  ).toEqual([1, 1, 0]);
  expect(run("activemask", 0x80000001 | 0, odd).result[31]).toBe(0x80000001 | 0);
});

test("a match of all looks at the lanes that take part, and at no other", () => {
  const evenAlike = (b: CollectiveBuffers, lane: number): void => {
    b.value[lane] = lane % 2 === 0 ? 7 : lane;
  };
  for (const lanes of [0b101, 0b100, 0x55555555, 0x54000000]) {
    const { result, resultHigh } = run("match-all", lanes, evenAlike);
    expect([result[2], resultHigh[2]], lanes.toString(2)).toEqual([lanes, 1]);
  }
  expect(run("match-all", 0b111, evenAlike).resultHigh[0]).toBe(0);
});

test("matches look at both words", () => {
  const halves = (b: CollectiveBuffers, lane: number): void => {
    b.value[lane] = 7;
    b.high[lane] = lane >> 4;
  };
  const any = run("match-any", -1, halves);
  expect([any.result[0], any.result[31]]).toEqual([0xffff, 0xffff0000 | 0]);
  const all = run("match-all", -1, halves);
  expect([all.result[5], all.resultHigh[5]]).toEqual([0, 0]);
  const low = run("match-all", 0x00f0, halves);
  expect([low.result[5], low.resultHigh[5]]).toEqual([0xf0, 1]);
});

test("reductions over the lanes that take part", () => {
  const values = (b: CollectiveBuffers, lane: number): void => {
    b.value[lane] = lane === 3 ? -5 : lane * 3;
  };
  const of = (operation: CollectiveOperation, lanes = 0xff): number =>
    run(operation, lanes, values).result[7] as number;
  expect(of("redux-add")).toBe(0 + 3 + 6 - 5 + 12 + 15 + 18 + 21);
  expect([of("redux-min"), of("redux-max"), of("redux-umin"), of("redux-umax")]).toEqual([-5, 21, 0, -5]);
  expect([of("redux-and", 0b11100000), of("redux-or", 0b111), of("redux-xor", 0b110)]).toEqual([
    15 & 18 & 21,
    3 | 6,
    3 ^ 6,
  ]);
  const floats = (b: CollectiveBuffers, lane: number): void => {
    new Float32Array(b.value.buffer)[lane] = lane === 2 ? NaN : lane - 4;
  };
  const float = (operation: CollectiveOperation): number =>
    new Float32Array(run(operation, 0xff, floats).result.buffer)[0] as number;
  expect([float("redux-fmin"), float("redux-fmax"), float("redux-fmin-abs"), float("redux-fmin-nan")]).toEqual([
    -4,
    3,
    0,
    NaN,
  ]);
});
