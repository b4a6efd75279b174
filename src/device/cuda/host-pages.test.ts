/** Pages at two addresses: what one side writes the other reads, also after the WebAssembly memory has grown. */
import { expect, test } from "vitest";
import { addressOf, bytesAt } from "./foreign-library.ts";
import { HostPages } from "./host-pages.ts";

const AT = 0x1d00_0000_0000;
const MIB = 2 ** 20;

test.runIf(process.platform === "linux")("a host program's memory lies at a second address, too", () => {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65536 });
  const pages = HostPages.reserve(AT, 16 * MIB);
  expect(pages).not.toBeNull();
  if (pages === null) return;
  // A second user gets other addresses, or none.
  expect(HostPages.reserve(AT, 16 * MIB)).toBeNull();
  const start = MIB;
  const host = (): Uint8Array => new Uint8Array(memory.buffer, start, MIB + 100);
  host().fill(9);
  expect(pages.share(AT + 2 * MIB, MIB + 100, addressOf(host()))).toBe(true);
  const twin = bytesAt(AT + 2 * MIB, MIB + 100);
  // What was there is gone, and what comes is on both sides.
  expect(host()[5]).toBe(0);
  host().fill(7);
  expect(twin.every((byte) => byte === 7)).toBe(true);
  twin[MIB + 99] = 3;
  expect(host()[MIB + 99]).toBe(3);
  memory.grow(1000);
  expect(host()[MIB + 99]).toBe(3);
  host()[0] = 1;
  expect(twin[0]).toBe(1);
  // Neighbours are who they were.
  expect(new Uint8Array(memory.buffer)[start - 1]).toBe(0);
  pages.empty(AT + 2 * MIB, MIB + 100);
  expect([host()[0], host()[MIB], twin[0]]).toEqual([0, 0, 0]);
  pages.close();
  host()[0] = 5;
  expect(host()[0]).toBe(5);
});
