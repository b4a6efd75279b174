import { expect, test } from "vitest";
import type { DeviceProgram } from "../program/device-program.ts";
import { createPtxPipeline } from "./link-program.ts";

const TRIPLE = 'target triple = "nvptx64-nvidia-cuda"';
const PROGRAM: DeviceProgram = {
  name: "own.cu",
  options: { fmad: false },
  ir: `${TRIPLE}
declare i32 @of_library()
define i32 @own() {
  %1 = call i32 @of_library()
  ret i32 %1
}
`,
};
const LIBRARY = `${TRIPLE}\ndefine i32 @of_library() {\n  ret i32 7\n}\n`;

test("the device library's text is read with the first program, once", () => {
  let reads = 0;
  const text = (): string => {
    reads++;
    return LIBRARY;
  };
  const link = createPtxPipeline({ key: "1", text }, 64);
  expect(reads).toBe(0);
  expect([...link([PROGRAM]).functions.keys()].sort()).toEqual(["of_library", "own"]);
  link([PROGRAM]);
  expect(reads).toBe(1);
});
