/**
 * What the copies at the end of a loop overwrite must not be read once the loop is left, in whatever way the emitter
 * reads it.
 */
import { describe, expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { emitPtxModule } from "../emit-module.ts";
import { TEST_TARGET } from "../test-target.test-helper.ts";

function linesOf(ir: string): string[] {
  const module = parseModule(`target triple = "nvptx-nvidia-cuda"\n${ir}`, "test.ll");
  const { text } = emitPtxModule(module, { ...TEST_TARGET, keepsCopies: true });
  return text
    .slice(text.indexOf("{\n") + 2)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith(".reg") && line !== "}");
}

const registersIn = (text: string): string[] => text.match(/%[a-z]+\d+/g) ?? [];

/**
 * Branches back on a condition, each with the registers that copies in front of it overwrite, whether or not the loop
 * goes on, and those of them that it or what is behind it reads before they are written again.
 */
function loopsTestedAtEnd(lines: readonly string[]): { overwritten: string[]; readAfterwards: string[] }[] {
  return lines.flatMap((line, at) => {
    const target = /^@!?%p\d+ bra (\S+);$/.exec(line)?.[1];
    if (target === undefined || !lines.slice(0, at).includes(`${target}:`)) return [];
    const overwritten: string[] = [];
    for (let n = at - 1; /^mov\.\S+ %/.test(lines[n] ?? ""); n--)
      overwritten.push(registersIn(lines[n] as string)[0] as string);
    const stale = new Set(overwritten);
    const readAfterwards = registersIn(line).filter((register) => stale.has(register));
    for (const later of lines.slice(at + 1)) {
      // Of a store and of a branch, the first register is read, too.
      const [first, ...rest] = registersIn(later);
      const writes = !/^(?:st|@|bra|ret)/.test(later);
      for (const register of writes ? rest : [first as string, ...rest])
        if (stale.has(register)) readAfterwards.push(register);
      if (writes && first !== undefined) stale.delete(first);
    }
    return [{ overwritten, readAfterwards }];
  });
}

/** A loop of %n iterations: phis besides the counter %i, what each iteration does with them, and what follows. */
const loop = (
  phis: string,
  turn: string,
  after: string,
): string => `@s = internal addrspace(3) global [64 x i32] undef, align 4
define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  ${phis}
  ${turn}
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ${after}
  ret void
}
declare i32 @llvm.ssa.copy.i32(i32)
declare half @llvm.canonicalize.f16(half)`;

const load = "%at = getelementptr i32, ptr %in, i32 %i\n  %x = load volatile i32, ptr %at, align 4";
const word = "%w = phi i32 [ 7, %entry ], [ %x, %body ]";
const half = `%h = phi half [ 0xH0000, %entry ], [ %hx, %body ]`;
const loadHalf = "%hat = getelementptr half, ptr %in, i32 %i\n  %hx = load volatile half, ptr %hat, align 2";

describe("the value of the last turn is what it was, read by way of", () => {
  test.each([
    ["the phi itself", loop(word, load, "store i32 %w, ptr %out, align 4")],
    ["freeze", loop(word, `${load}\n  %f = freeze i32 %w`, "store i32 %f, ptr %out, align 4")],
    [
      "freezes of freezes",
      loop(word, `${load}\n  %e = freeze i32 %w\n  %f = freeze i32 %e`, "store i32 %f, ptr %out, align 4"),
    ],
    [
      "zext",
      loop(
        "%b = phi i8 [ 7, %entry ], [ %x, %body ]",
        "%at = getelementptr i8, ptr %in, i32 %i\n  %x = load volatile i8, ptr %at, align 1\n  %z = zext i8 %b to i32",
        "store i32 %z, ptr %out, align 4",
      ),
    ],
    [
      "bitcast of registers of one kind",
      loop(half, `${loadHalf}\n  %c = bitcast half %h to bfloat`, "store bfloat %c, ptr %out, align 2"),
    ],
    ["inttoptr", loop(word, `${load}\n  %p = inttoptr i32 %w to ptr`, "store ptr %p, ptr %out, align 4")],
    [
      "ptrtoint",
      loop(
        "%p = phi ptr [ %in, %entry ], [ %q, %body ]",
        "%q = getelementptr i32, ptr %p, i32 %i\n  %x = load volatile i32, ptr %q, align 4\n" +
          "  %f = ptrtoint ptr %p to i32",
        "store i32 %f, ptr %out, align 4",
      ),
    ],
    [
      "an intrinsic that changes nothing",
      loop(word, `${load}\n  %f = call i32 @llvm.ssa.copy.i32(i32 %w)`, "store i32 %f, ptr %out, align 4"),
    ],
    [
      "canonicalize of a half",
      loop(half, `${loadHalf}\n  %f = call half @llvm.canonicalize.f16(half %h)`, "store half %f, ptr %out, align 2"),
    ],
    [
      "an address in shared memory, a constant away",
      loop(
        "%p = phi ptr addrspace(3) [ @s, %entry ], [ %q, %body ]",
        `${load}\n  %q = getelementptr i32, ptr addrspace(3) %p, i32 %x\n` +
          "  %f = getelementptr i32, ptr addrspace(3) %p, i32 4",
        "store i32 %x, ptr addrspace(3) %f, align 4",
      ),
    ],
    [
      "an address in shared memory, constants away on both sides",
      loop(
        "%p = phi ptr addrspace(3) [ @s, %entry ], [ %q, %body ]",
        `${load}\n  %q = getelementptr i32, ptr addrspace(3) %p, i32 %x\n` +
          "  %f = getelementptr i32, ptr addrspace(3) %p, i32 4",
        "%g = getelementptr i32, ptr addrspace(3) %f, i32 4\n" +
          "  %y = load i32, ptr addrspace(3) %g, align 4\n  store i32 %y, ptr %out, align 4",
      ),
    ],
    [
      "halves of a word, as a pair",
      loop(
        word,
        `${load}
  %t = trunc i32 %w to i16
  %lo = bitcast i16 %t to half
  %u = lshr i32 %w, 16
  %v = trunc i32 %u to i16
  %hi = bitcast i16 %v to half`,
        `%a = fadd half %lo, %lo
  %b = fadd half %hi, %hi
  store half %a, ptr %out, align 4
  %o = getelementptr half, ptr %out, i32 1
  store half %b, ptr %o, align 2`,
      ),
    ],
    [
      "the half that a shift moves up",
      loop(
        half,
        `${loadHalf}
  %c = bitcast half %h to i16
  %d = zext i16 %c to i32
  %up = shl i32 %d, 16`,
        `%m = bitcast half %hx to i16
  %l = zext i16 %m to i32
  %pair = or i32 %l, %up
  store i32 %pair, ptr %out, align 4`,
      ),
    ],
    [
      "a phi of what follows",
      loop(word, `${load}\n  %f = freeze i32 %w`, "%r = phi i32 [ %f, %body ]\n  store i32 %r, ptr %out, align 4"),
    ],
    [
      "the branch's own condition",
      loop(
        "%c = phi i1 [ true, %entry ], [ %d, %body ]",
        `${load}\n  %d = icmp ne i32 %x, 0\n  %f = freeze i1 %c`,
        "",
      ).replace("br i1 %more", "br i1 %f"),
    ],
    [
      "a comparison that an outer loop ends with",
      `define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j2, %latch ]
  br label %body
body:
  %i = phi i32 [ 0, %outer ], [ %next, %body ]
  %at = getelementptr i32, ptr %in, i32 %i
  %x = load volatile i32, ptr %at, align 4
  %again = icmp slt i32 %i, %x
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %latch
latch:
  %j2 = add i32 %j, 1
  store volatile i32 %j, ptr %out, align 4
  br i1 %again, label %end, label %outer
end:
  ret void
}`,
    ],
  ])("%s", (_, ir) => {
    for (const { readAfterwards } of loopsTestedAtEnd(linesOf(ir))) expect(readAfterwards).toEqual([]);
  });
});

describe("loops are tested at their end where what follows needs", () => {
  test.each([
    [
      "nothing of the phis",
      loop(word, `${load}\n  %f = freeze i32 %w\n  %y = add i32 %f, %x`, "store i32 %y, ptr %out, align 4"),
      1,
    ],
    [
      "a sum of them",
      loop(
        "%sum = phi i32 [ 0, %entry ], [ %y, %body ]",
        `${load}\n  %y = add i32 %sum, %x`,
        "store i32 %y, ptr %out, align 4",
      ),
      1,
    ],
    [
      "where a pointer to global memory has come to, which has a register of its own",
      loop(
        "%p = phi ptr [ %in, %entry ], [ %q, %body ]",
        "%x = load volatile i32, ptr %p, align 4\n  %q = getelementptr i32, ptr %p, i32 1",
        "%y = load i32, ptr %q, align 4\n  store i32 %y, ptr %out, align 4",
      ),
      1,
    ],
    [
      "where a pointer to shared memory has come to, as a number",
      loop(
        "%p = phi ptr addrspace(3) [ @s, %entry ], [ %q, %body ]",
        "%x = load volatile i32, ptr addrspace(3) %p, align 4\n  %q = getelementptr i32, ptr addrspace(3) %p, i32 1",
        "store ptr addrspace(3) %q, ptr %out, align 4",
      ),
      1,
    ],
  ])("%s", (_, ir, count) => {
    const loops = loopsTestedAtEnd(linesOf(ir));
    expect(loops.map(({ overwritten }) => overwritten.length > 0)).toEqual(Array.from({ length: count }, () => true));
    expect(loops.flatMap(({ readAfterwards }) => readAfterwards)).toEqual([]);
  });
});
