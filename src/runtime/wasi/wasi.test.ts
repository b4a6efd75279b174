import { ILP32 } from "../../base/data-model.ts";
import { describe, expect, test } from "vitest";
import { MemoryFiles, MemoryStreams } from "../host/host-files-memory.ts";
import { Errno, normalizePath } from "../host/host-files.ts";
import { HostMemory } from "../host/host-memory.ts";
import { createWasi, exitCodeOf } from "./wasi.ts";

type Call = (...values: (number | bigint)[]) => number;

function open(
  files = new MemoryFiles({ "in.txt": "hello\nworld\n", "dir/a": "1" }),
  stdin = "",
): { wasi: Record<string, Call>; memory: HostMemory; files: MemoryFiles; streams: MemoryStreams; notes: string[] } {
  const memory = new HostMemory(ILP32);
  memory.attach(new WebAssembly.Memory({ initial: 2 }));
  const streams = new MemoryStreams({ stdin });
  const notes: string[] = [];
  const wasi = createWasi({
    memory,
    argv: ["prog", "x y"],
    env: { A: "1" },
    files,
    streams,
    note: (line) => notes.push(line),
    sleepMs: () => undefined,
  }) as unknown as Record<string, Call>;
  return { wasi, memory, files, streams, notes };
}

/** Puts a text at 1000 and returns [address, length]. */
function text(memory: HostMemory, value: string, at = 1000): [number, number] {
  const bytes = new TextEncoder().encode(value);
  memory.slice(at, bytes.length).set(bytes);
  return [at, bytes.length];
}

function openFile(
  { wasi, memory }: ReturnType<typeof open>,
  path: string,
  oflags: number,
  rights: bigint,
): { errno: number; fd: number } {
  const errno = wasi["path_open"]!(3, 1, ...text(memory, path), oflags, rights, 0n, 0, 500);
  return { errno, fd: memory.u32(500) };
}

function io(host: ReturnType<typeof open>, call: "fd_read" | "fd_write", fd: number, bytes: number, at = 4000): number {
  host.memory.setU32(600, at);
  host.memory.setU32(604, bytes);
  expect(host.wasi[call]!(fd, 600, 1, 608)).toBe(0);
  return host.memory.u32(608);
}

const READ = 2n;
const WRITE = 64n;

describe("WASI", () => {
  test("arguments and environment", () => {
    const { wasi, memory } = open();
    wasi["args_sizes_get"]!(0x100, 0x104);
    expect([memory.u32(0x100), memory.u32(0x104)]).toEqual([2, 9]);
    wasi["args_get"]!(0x200, 0x300);
    expect(memory.cString(memory.u32(0x204))).toBe("x y");
    wasi["environ_get"]!(0x200, 0x300);
    expect(memory.cString(memory.u32(0x200))).toBe("A=1");
  });

  test("files: read, seek, write, append, truncate", () => {
    const host = open();
    const { fd } = openFile(host, "in.txt", 0, READ);
    expect(io(host, "fd_read", fd, 5)).toBe(5);
    expect(host.memory.text(4000, 5)).toBe("hello");
    expect(host.wasi["fd_seek"]!(fd, -6n, 2, 700)).toBe(0);
    expect(host.memory.u64(700)).toBe(6n);
    expect(io(host, "fd_read", fd, 100)).toBe(6);
    expect(io(host, "fd_read", fd, 100)).toBe(0);
    expect(host.wasi["fd_close"]!(fd)).toBe(0);
    expect(host.wasi["fd_close"]!(fd)).toBe(Errno.badf);
    const out = openFile(host, "dir/out", 1 | 8, WRITE);
    expect(out.errno).toBe(0);
    text(host.memory, "abc", 4000);
    expect(io(host, "fd_write", out.fd, 3)).toBe(3);
    expect(io(host, "fd_write", out.fd, 3)).toBe(3);
    expect(new TextDecoder().decode(host.files.readFile("dir/out"))).toBe("abcabc");
  });

  test("what is not there, or outside, has its errno", () => {
    const host = open();
    expect(openFile(host, "none", 0, READ).errno).toBe(Errno.noent);
    expect(openFile(host, "../../etc/passwd", 0, READ).errno).toBe(Errno.notcapable);
    expect(openFile(host, "in.txt", 1 | 4, WRITE).errno).toBe(Errno.exist);
    expect(openFile(host, "in.txt", 2, READ).errno).toBe(Errno.notdir);
    expect(host.wasi["path_create_directory"]!(3, ...text(host.memory, "dir"))).toBe(Errno.exist);
    expect(host.wasi["path_remove_directory"]!(3, ...text(host.memory, "dir"))).toBe(Errno.notempty);
    expect(host.wasi["fd_read"]!(3, 0xffff_fff0, 1, 8)).not.toBe(0);
  });

  test("directories are listed in pieces", () => {
    const host = open();
    const { fd } = openFile(host, "dir", 2, READ);
    host.files.writeFile("dir/longer-name", "");
    const names: string[] = [];
    for (let cookie = 0n; ;) {
      expect(host.wasi["fd_readdir"]!(fd, 5000, 60, cookie, 700)).toBe(0);
      const used = host.memory.u32(700);
      let at = 5000;
      while (at + 24 <= 5000 + used && at + 24 + host.memory.u32(at + 16) <= 5000 + used) {
        names.push(host.memory.text(at + 24, host.memory.u32(at + 16)));
        cookie = host.memory.u64(at);
        at += 24 + host.memory.u32(at + 16);
      }
      if (used < 60) break;
    }
    expect(names).toEqual([".", "..", "a", "longer-name"]);
  });

  test("streams: stdin, and output in order", () => {
    const host = open(undefined, "12 34");
    expect(io(host, "fd_read", 0, 3)).toBe(3);
    expect(io(host, "fd_read", 0, 100, 4003)).toBe(2);
    expect(host.memory.text(4000, 5)).toBe("12 34");
    expect(io(host, "fd_read", 0, 100)).toBe(0);
    text(host.memory, "out", 4000);
    io(host, "fd_write", 1, 3);
    io(host, "fd_write", 2, 2);
    expect([host.streams.stdout, host.streams.stderr]).toEqual(["out", "ou"]);
    // Standard output says it is a terminal, so that the C library buffers by line.
    host.wasi["fd_fdstat_get"]!(1, 800);
    expect(host.memory.u8(800)).toBe(2);
  });

  test("a descriptor's type, flags and rights", () => {
    const host = open();
    const stateOf = (fd: number): unknown[] => {
      expect(host.wasi["fd_fdstat_get"]!(fd, 800)).toBe(0);
      const { memory } = host;
      return [memory.u8(800), memory.u8(801), memory.u8(802), memory.u8(803), memory.u64(808), memory.u64(816)];
    };
    const [all, seekAndTell] = [0x1fff_ffffn, 4n | 32n];
    expect(stateOf(0)).toEqual([2, 0, 0, 0, all - seekAndTell, 0n]);
    expect(stateOf(3)).toEqual([3, 0, 0, 0, all, all]);
    const { fd } = openFile(host, "in.txt", 0, READ);
    expect(stateOf(fd)).toEqual([4, 0, 0, 0, all, all]);
    expect(host.wasi["fd_fdstat_set_flags"]!(fd, 5)).toBe(0);
    expect(stateOf(fd)).toEqual([4, 0, 5, 0, all, all]);
  });

  test("exit, clocks, random, sleep", () => {
    const { wasi, memory } = open();
    let left: unknown = null;
    try {
      wasi["proc_exit"]!(7);
    } catch (error) {
      left = error;
    }
    expect(exitCodeOf(left)).toBe(7);
    expect(exitCodeOf(new Error("another"))).toBeNull();
    expect(wasi["clock_time_get"]!(0, 0n, 64)).toBe(0);
    expect(Number(memory.u64(64) / 1_000_000n)).toBeGreaterThan(1.6e12);
    expect(wasi["random_get"]!(2000, 70000 - 5000)).toBe(0);
    memory.setU64(0, 42n);
    memory.setU8(8, 0);
    memory.setU32(16, 1);
    memory.setU64(24, 1000n);
    expect(wasi["poll_oneoff"]!(0, 100, 1, 96)).toBe(0);
    expect([memory.u64(100), memory.u32(96)]).toEqual([42n, 1]);
  });
});

test("paths are shortened", () => {
  expect(normalizePath("a/./b/../c")).toBe("a/c");
  expect(normalizePath("../../x/")).toBe("../../x");
  expect(normalizePath("/../a//b")).toBe("/a/b");
  expect(normalizePath("./.")).toBe(".");
});
