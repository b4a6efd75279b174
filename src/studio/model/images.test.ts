/** Netpbm's six formats: the same picture in each. */
import { describe, expect, it } from "vitest";
import { decodeNetpbm, imageType } from "./images.ts";

const bytesOf = (text: string, ...bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([...new TextEncoder().encode(text), ...bytes]);
const rgbaOf = (bytes: Uint8Array): number[] | null => {
  const pixels = decodeNetpbm(bytes);
  return pixels === null ? null : [...pixels.rgba];
};

const BLACK = [0, 0, 0, 255];
const WHITE = [255, 255, 255, 255];

describe("Netpbm", () => {
  it.each([
    ["P1", bytesOf("P1\n# a comment\n3 1\n101\n")],
    ["P2", bytesOf("P2 3 1 15\n0 15 0")],
    ["P3", bytesOf("P3 3 1 255 0 0 0 255 255 255 0 0 0")],
    ["P4", bytesOf("P4 3 1\n", 0b10100000)],
    ["P5", bytesOf("P5 3 1 255\n", 0, 255, 0)],
    ["P5 of 16 bits", bytesOf("P5 3 1 65535\n", 0, 0, 255, 255, 0, 0)],
    ["P6", bytesOf("P6\n3 1\n255\n", 0, 0, 0, 255, 255, 255, 0, 0, 0)],
  ])("%s", (_, bytes) => {
    expect(rgbaOf(bytes)).toEqual([...BLACK, ...WHITE, ...BLACK]);
  });

  it("has red, green and blue in this order", () => {
    expect(rgbaOf(bytesOf("P6 1 1 255\n", 1, 2, 3))).toEqual([1, 2, 3, 255]);
  });

  it("is nothing else", () => {
    expect(rgbaOf(bytesOf("P7 1 1"))).toBe(null);
    expect(rgbaOf(bytesOf("P6 x"))).toBe(null);
    expect(rgbaOf(bytesOf("Program"))).toBe(null);
    expect(rgbaOf(bytesOf("P6 99999999 99999999 255\n"))).toBe(null);
  });
});

it("knows what browsers show", () => {
  expect(imageType(bytesOf("", 0x89, 0x50, 0x4e, 0x47))).toBe("image/png");
  expect(imageType(bytesOf("BM"))).toBe(null);
  expect(imageType(bytesOf("text"))).toBe(null);
});
