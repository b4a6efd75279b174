import { expect, test } from "vitest";
import { nvrtcLog } from "./nvrtc-log.ts";

test("a header that is not there is named as NVRTC names it, other words stay", () => {
  const log = [
    "k.cu does not compile: 'a/b.h' file not found",
    "dir/k.cu:3:10: fatal error: 'a/b.h' file not found",
    "    3 | #include <a/b.h>",
    "k.cu:7:1: error: unknown type name 'x'",
  ].join("\n");
  expect(nvrtcLog(log).split("\n")).toEqual([
    "k.cu does not compile: 'a/b.h' file not found",
    'dir/k.cu(3): catastrophic error: cannot open source file "a/b.h"',
    "    3 | #include <a/b.h>",
    "k.cu:7:1: error: unknown type name 'x'",
  ]);
});
