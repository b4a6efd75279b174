import { expect, test } from "vitest";
import { readTar, writeTar } from "./tar.ts";

test("an archive that was written is read back, with names longer than their field", () => {
  const files = [
    { name: "a", bytes: new Uint8Array(0) },
    { name: `${"folder/".repeat(20)}name.h`, bytes: new Uint8Array(512).fill(1) },
    { name: `lib/${"x".repeat(96)}`, bytes: new Uint8Array([1, 2, 3]) },
  ];
  expect([...readTar(writeTar(files))]).toEqual(files);
  expect(() => writeTar([{ name: "y".repeat(300), bytes: new Uint8Array(0) }])).toThrow("does not fit");
});
