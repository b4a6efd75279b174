import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { assertValid } from "../../ir/verify.ts";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { readPtx } from "./read-ptx.ts";

const HEAD = ".version 8.4\n.target sm_80\n.address_size 64\n";
/** out[i] of a kernel that writes a register for each thread. */
const kernel = (body: string, registers = ""): string => `${HEAD}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<5>;
  ${registers}
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  ${body}
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r3;
  ret;
}`;

function results(text: string, n = 5): number[] {
  const device = openNodeDevice({ engine: "interpreter", workers: 1 });
  const program = readPtx(text, "k.ptx");
  assertValid(program.ir, "reading PTX");
  const module = device.loadModule(program);
  const out = device.allocate(4 * 8);
  const params = new Uint8Array(12);
  new DataView(params.buffer).setUint32(0, out, true);
  new DataView(params.buffer).setInt32(8, n, true);
  const config = { grid: { x: 1, y: 1, z: 1 }, block: { x: 8, y: 1, z: 1 }, sharedBytes: 0 };
  const outcome = device.launchBlocking(module.kernel("k"), config, params);
  expect(outcome.fault).toBeNull();
  const bytes = new Uint8Array(32);
  device.read(out, bytes);
  device.close();
  return [...new Int32Array(bytes.buffer)];
}

function problem(text: string): string {
  try {
    readPtx(text, "k.ptx");
  } catch (error) {
    expect(error).toBeInstanceOf(HeddleError);
    return (error as HeddleError).summary;
  }
  return "";
}

test("branches, loops and guards", () => {
  const body = `
  mov.u32 %r3, 0; mov.u32 %r4, 0;
LOOP:
  setp.ge.u32 %p1, %r4, %r2;
  @%p1 bra DONE;
  add.u32 %r3, %r3, %r4;
  add.u32 %r4, %r4, 1;
  bra.uni LOOP;
DONE:
  and.b32 %r5, %r2, 1;
  setp.eq.u32 %p2|%p3, %r5, 1;
  @%p2 add.s32 %r3, %r3, 100;
  @!%p2 add.s32 %r3, %r3, 1000;
  @%p3 bra SKIP;
  mul.lo.s32 %r3, %r3, %r1;
SKIP:`;
  expect(results(kernel(body))).toEqual([1000, 500, 1001, 515, 1006, 550, 1015, 605]);
});

test("a jump by index, and a label that nothing reaches", () => {
  const body = `
  ts: .branchtargets A, B, A, C;
  and.b32 %r4, %r2, 3;
  brx.idx %r4, ts;
NEVER: mov.u32 %r3, 9; bra END;
A: mov.u32 %r3, 1; bra END;
B: mov.u32 %r3, 2; bra END;
C: mov.u32 %r3, 3;
END:`;
  expect(results(kernel(body))).toEqual([1, 2, 1, 3, 1, 2, 1, 3]);
});

test("functions: values, structures in memory, recursion, through a register", () => {
  const functions = `
.func (.param .b32 r) factorial(.param .b32 n)
{ .reg .b32 %r<5>; .reg .pred %p;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  setp.lt.u32 %p, %r1, 2;
  @%p bra DONE;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r3;
    call.uni (b), factorial, (a);
    ld.param.b32 %r4, [b]; }
  mul.lo.u32 %r2, %r4, %r1;
DONE: st.param.b32 [r], %r2; ret; }
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 p[16])
{ .reg .b64 %rd<3>;
  ld.param.v2.b64 {%rd1, %rd2}, [p];
  st.param.v2.b64 [r], {%rd2, %rd1}; ret; }
.global .u64 table[2] = {factorial, factorial};
`;
  const body = `
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), factorial, (a); ld.param.b32 %r4, [b]; }
  cvt.u64.u32 %rd5, %r4; mov.u64 %rd6, 1;
  { .param .align 8 .b8 a[16]; .param .align 8 .b8 b[16];
    st.param.b64 [a], %rd6; st.param.b64 [a+8], %rd5;
    call (b), swap, (a);
    ld.param.b64 %rd7, [b]; ld.param.b64 %rd8, [b+8]; }
  add.s64 %rd7, %rd7, %rd8; cvt.u32.u64 %r3, %rd7;
  ld.global.u64 %rd8, [table+8];
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call (b), %rd8, (a), proto; ld.param.b32 %r5, [b]; }
  add.u32 %r3, %r3, %r5;`;
  expect(results(kernel(body).replace(HEAD, HEAD + functions))).toEqual([8, 8, 9, 13, 31, 127, 727, 5047]);
});

test("variables: values of all kinds, addresses among them", () => {
  const variables = `
.global .align 4 .b8 bytes[6] = {1, 2, 255, 0x10};
.const .f32 floats[3] = {0f3F800000, 2.5, -3};
.global .align 8 .u64 places[2] = {generic(bytes)+2, numbers};
.visible .global .s16 numbers[2][2] = {{1, -2}, {3, 4}};
.shared .align 4 .b8 tile[64];`;
  const body = `
  ld.global.u8 %r3, [bytes+2];
  ld.const.f32 %f1, [floats+4]; cvt.rzi.s32.f32 %r4, %f1; add.s32 %r3, %r3, %r4;
  ld.global.u64 %rd5, [places]; ld.u8 %r4, [%rd5+1]; add.s32 %r3, %r3, %r4;
  mov.u64 %rd5, places; ld.global.u64 %rd6, [%rd5+8]; ld.s16 %r4, [%rd6+2]; add.s32 %r3, %r3, %r4;
  mov.u32 %r6, tile; shl.b32 %r7, %r2, 2; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r3;
  bar.sync 0; ld.shared.u32 %r3, [tile];`;
  expect(results(kernel(body).replace(HEAD, HEAD + variables))).toEqual(Array.from({ length: 8 }, () => 271));
});

test("local memory, and the address of a parameter", () => {
  const body = `
  .local .align 4 .b8 depot[32];
  mov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5;
  mul.wide.u32 %rd7, %r2, 4; add.s64 %rd7, %rd6, %rd7;
  st.u32 [%rd7], %r1; ld.local.u32 %r3, [depot+8];
  setp.ne.u32 %p1, %r2, 2; @%p1 mov.u32 %r3, %r2;`;
  expect(results(kernel(body))).toEqual([0, 1, 5, 3, 4, 5, 6, 7]);
});

test("lines of the source are the instructions' places", () => {
  const text = kernel(".loc 1 7 3\n ld.global.u32 %r3, [%rd1+4000000];").replace(HEAD, `${HEAD}.file 1 "a.cu"\n`);
  const { ir } = readPtx(text, "k.ptx");
  const load = ir.functions.get("k")?.blocks.flatMap((b) => b.instructions.filter(({ op }) => op === "load"))[0];
  expect(load?.location).toMatchObject({ file: "a.cu", line: 7, column: 3, functionName: "k" });
});

test("pointers of a kernel are its parameters", () => {
  const { ir } = readPtx(kernel("mov.u32 %r3, %r1;"), "k.ptx");
  const [out, n] = ir.functions.get("k")?.params ?? [];
  expect([out?.type.kind, out?.isWide, n?.type.kind]).toEqual(["ptr", true, "int"]);
});

test.each([
  ["mov.u32 %r3, %r99;", "k.ptx:12:3: unknown name '%r99'"],
  ["bra NOWHERE;", /names no label/],
  ["add.s32 %r3, %rd1, 1;", /operands of 'add.s32 %r3, %rd1, 1' do not have its type/],
  ["frobnicate.u32 %r3, 1;", /'frobnicate.u32 %r3, 1' is not supported yet/],
  ["call nothing;", /unknown function 'nothing'/],
  ["tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", /tex.2d.* is not supported yet/],
  ["mov.u32 %r3, 1", /expected ';'/],
  ["@%r1 mov.u32 %r3, 1;", /a guard is a register of type .pred/],
  ["add.s32 %r3, %p1, 1;", /is a predicate/],
])("%s", (body, message) => {
  const text = problem(kernel(body));
  if (typeof message === "string") expect(text).toBe(message);
  else expect(text).toMatch(message);
});

test("what is no module", () => {
  expect(problem("")).toMatch(/does not begin with .version/);
  expect(problem(".version 99.0\n.target sm_80")).toMatch(/PTX of version 99.0/);
  expect(problem(`${HEAD}.entry f( { ret; }`)).toMatch(/k.ptx:4:/);
  expect(problem(`${HEAD}.entry f() { ret;`)).toMatch(/'}' is missing/);
});

test("texts with parts left out, doubled or exchanged end in an error of ours or in valid IR", () => {
  const text = kernel(
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.b64 {%r3, %r4}, %rd1; A: ld.v2.u32 {%r3, %r5}, [%rd1];",
  );
  const words = text.split(/(?<=[\s,;])/);
  let state = 12345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let i = 0; i < 1500; i++) {
    const changed = [...words];
    for (let k = random(3); k >= 0; k--) {
      const at = random(changed.length);
      const kind = random(3);
      if (kind === 0) changed.splice(at, 1 + random(3));
      else if (kind === 1) changed.splice(at, 0, changed[random(changed.length)] as string);
      else changed[at] = changed[random(changed.length)] as string;
    }
    try {
      assertValid(readPtx(changed.join(""), "fuzz.ptx").ir, "reading PTX");
    } catch (error) {
      if (!(error instanceof HeddleError)) throw new Error(changed.join(""), { cause: error });
    }
  }
});
