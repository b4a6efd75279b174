import { describe, expect, test } from "vitest";
import { run, runWith } from "./compared-runs.test-helper.ts";
import { createThreadExecutor } from "./thread-executor.ts";

/** One thread t stores at out + something when t is 5; others do nothing. */
const onlyThreadFive = (body: string): string => `
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 5
  br i1 %c, label %do, label %end
do:
  ${body}
  br label %end
end:
  ret void
}`;

describe("faults", () => {
  test("null, out of range, wrapping, misaligned", () => {
    expect(run(onlyThreadFive("store i32 1, ptr null, align 4"), { grid: 1, block: 8 }, 4).fault).toMatchObject({
      kind: "illegal-address",
      thread: { x: 5, y: 0, z: 0 },
      access: { address: 0, bytes: 4, kind: "store" },
    });
    expect(
      run(
        onlyThreadFive("%v = load i64, ptr inttoptr (i32 -4 to ptr), align 4\n store i64 %v, ptr %out"),
        { grid: 1, block: 8 },
        4,
      ).fault,
    ).toMatchObject({
      kind: "illegal-address",
      access: { address: 0xffff_fffc, bytes: 8, kind: "load" },
    });
    expect(
      run(
        onlyThreadFive("%p = getelementptr i8, ptr %out, i32 2\n%v = atomicrmw add ptr %p, i32 1 monotonic"),
        { grid: 1, block: 8 },
        4,
      ).fault,
    ).toMatchObject({
      kind: "misaligned-address",
      access: { bytes: 4, kind: "atomic" },
    });
    // Alignment is what the instruction promises, not what the type would like.
    expect(
      run(
        onlyThreadFive("%p = getelementptr i8, ptr %out, i32 2\nstore i32 7, ptr %p, align 2"),
        { grid: 1, block: 8 },
        4,
      ),
    ).toMatchObject({ fault: null, out: [7 << 16, 0, 0, 0] });
  });

  test("trap, unreachable, assert, wrong barrier, call of no function", () => {
    expect(run(onlyThreadFive("call void @llvm.trap()"), { grid: 1, block: 8 }, 1).fault?.kind).toBe("trap");
    expect(
      run(
        onlyThreadFive("call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 33)"),
        { grid: 1, block: 8 },
        1,
      ).fault?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 16)"), { grid: 1, block: 8 }, 1).fault
        ?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("%f = load ptr, ptr %out\ncall void %f(i32 1)"), { grid: 1, block: 8 }, 1).fault?.kind,
    ).toBe("illegal-instruction");
    expect(
      run(onlyThreadFive("call void inttoptr (i32 12345 to ptr)(i32 1)"), { grid: 1, block: 8 }, 1).fault?.kind,
    ).toBe("illegal-instruction");
    const asserted = run(
      `
@m = constant [6 x i8] c"x > 0\\00"
@f = constant [5 x i8] c"a.cu\\00"
@n = constant [5 x i8] c"kern\\00"
${onlyThreadFive("call void @__assertfail(ptr @m, ptr @f, i32 12, ptr @n, i32 1)")}`,
      { grid: 2, block: 8 },
      1,
    );
    expect(asserted.fault).toMatchObject({
      kind: "assert",
      message: expect.stringContaining("x > 0"),
      assertion: { expression: "x > 0", file: "a.cu", line: 12, functionName: "kern" },
    });
  });

  test("recursion without end overflows the stack, deep recursion does not", () => {
    const recursion = (stop: string): string => `
define i32 @down(i32 %n, ptr %p) {
  %a = alloca i32, align 4
  store i32 %n, ptr %a
  %c = icmp eq i32 %n, ${stop}
  br i1 %c, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @down(i32 %m, ptr %a)
  %q = load i32, ptr %a
  %s = add i32 %r, %q
  ret i32 %s
end:
  ret i32 0
}
define ptx_kernel void @k(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = add i32 %t, 50
  %r = call i32 @down(i32 %n, ptr null)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %p
  ret void
}`;
    expect(run(recursion("0"), { grid: 1, block: 3 }, 3).out).toEqual([1275, 1326, 1378]);
    expect(runWith(createThreadExecutor(), recursion("-1000000000"), { grid: 1, block: 3 }, 3).fault?.kind).toBe(
      "stack-overflow",
    );
  });
});
