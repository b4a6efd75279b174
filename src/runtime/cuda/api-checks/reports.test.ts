/** Parts of the reports of wrong calls: directions of copies, accesses while the device works. */
import { expect, test } from "vitest";
import type { CudaContext } from "../context.ts";
import { CopyKind } from "../work/copy.ts";
import { openApi } from "../api-functions/api.test-helper.ts";
import { argumentsOf, draft, type Busy } from "./device-work.ts";
import { directionNote } from "./misuse-report.ts";

const OUT = 64;

test("a note says what the pointers are, where the call says something else", () => {
  const { cuda, call, u32 } = openApi();
  expect(call("cudaMalloc", OUT, 64)).toBe(0);
  const [host, device] = [4096, u32(OUT)];
  const note = (to: number, from: number, kind: number): string | undefined =>
    directionNote(cuda, { to: { address: to }, from: { address: from }, kind } as unknown as Parameters<
      typeof directionNote
    >[1])?.text;
  expect(note(device, host, CopyKind.deviceToHost)).toMatch(/^the pointers say host to device, the call says .*ToHost/);
  expect(note(host, device, CopyKind.hostToDevice)).toMatch(/^the pointers say device to host, the call says/);
  expect(note(device, host, CopyKind.hostToDevice)).toBeUndefined();
  expect(note(device, host, CopyKind.infer)).toBeUndefined();
  expect(note(device, 16, CopyKind.deviceToHost)).toBeUndefined();
});

test("an access while the device works is a read or a write, in words and as data", () => {
  const busy: Busy = {
    start: 4096,
    bytes: 256,
    stream: 0,
    work: 1,
    what: "the kernel fill",
    memory: "managed",
    place: () => null,
    changed: null,
    writes: true,
    reported: [false, false],
  };
  for (const [isWrite, access] of [
    [false, "read"],
    [true, "write"],
  ] as const) {
    const { message, details, level } = draft(busy, 4, isWrite, true);
    expect(message).toBe(`${access} of 4 bytes of managed memory`);
    expect(details).toMatchObject({ access, bytes: 4, memory: "managed" });
    expect(level).toBeUndefined();
  }
  expect(draft(busy, 4, true, false).level).toBe("warning");
});

test("a kernel is given what its pointers point into, and no other of its arguments is a pointer", () => {
  const { cuda, call, u32 } = openApi();
  const managed = [0, 4].map((at) => {
    expect(call("cudaMallocManaged", OUT + at, 64, 1)).toBe(0);
    return u32(OUT + at);
  });
  const kernel = {
    params: [
      { name: "p", offset: 0, size: 4, align: 4, kind: "pointer" },
      { name: "n", offset: 4, size: 4, align: 4, kind: "i32" },
    ],
  };
  const params = new Uint8Array(Uint32Array.from(managed).buffer);
  const found = argumentsOf(
    cuda as CudaContext,
    { call: { kernel, params } } as unknown as Parameters<typeof argumentsOf>[1],
  );
  expect([...found].map(({ hostAddress }) => hostAddress)).toEqual([managed[0]]);
});
