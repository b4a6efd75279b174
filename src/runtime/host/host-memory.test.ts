import { expect, test } from "vitest";
import { ILP32 } from "../../base/data-model.ts";
import { HostMemory } from "./host-memory.ts";

test.each([false, true])("what lies in pages that the program has added is seen (shared: %s)", (shared) => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 8, shared });
  const accesses: ((host: HostMemory, at: number) => unknown)[] = [
    (host, at) => (host.setU64(at, 7n), host.u64(at)),
    (host, at) => (host.setU8(at, 7), host.u8(at)),
    (host, at) => (host.setF64(at, 7), host.f64(at)),
    (host, at) => (host.setCString(at, "7", 2), host.cString(at)),
    (host, at) => host.bytes.length > at,
    (host, at) => host.view.byteLength > at,
    (host, at) => host.size > at,
  ];
  for (const access of accesses) {
    const host = new HostMemory(ILP32);
    host.attach(memory);
    const end = 65536 * memory.grow(1);
    expect([7n, 7, "7", true]).toContain(access(host, end));
  }
});
