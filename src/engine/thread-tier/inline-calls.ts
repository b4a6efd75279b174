/**
 * Calls that a thread does without stopping: who and where it is, clocks, the device runtime, NVVM's memory intrinsics.
 */
import { unsupported } from "../../base/diagnostics.ts";
import type {
  AtomicOperator,
  AtomicRmwInstruction,
  CallInstruction,
  CmpxchgInstruction,
  LoadInstruction,
} from "../../ir/model/ir.ts";
import type { Local } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "../emit/environment.ts";
import { emitAtomicRmw, emitCmpxchg, emitLoad, emitRangeTest } from "../emit/memory.ts";
import { ARGUMENTS_OUTSIDE_MEMORY } from "../packed-arguments.ts";
import type { FunctionCompiler } from "./function-compiler.ts";
import { BLOCK_RECORD, CONTEXT, STATUS, type LaunchGlobal } from "./layout.ts";

const SREG = /^llvm\.nvvm\.read\.ptx\.sreg\.(.*)$/;

/** Reads of special registers and the like (PTX ISA, "Special Registers"). False when `name` is none. */
export function emitThreadInformation(compiler: FunctionCompiler, call: CallInstruction, name: string): boolean {
  const { code } = compiler;
  const field = (offset: number): void => {
    code.localGet(compiler.context).i32Load(offset);
  };
  const global = (which: LaunchGlobal): void => {
    code.globalGet(compiler.p.launchGlobals[which]);
  };
  const done = (): true => {
    compiler.set(call);
    return true;
  };
  const window = (low: () => void, size: () => void): true => {
    compiler.get(call.args[0] ?? call);
    low();
    code.i32Sub();
    size();
    code.i32LtU();
    return done();
  };
  const sharedBase = (): void => {
    field(CONTEXT.block);
    code.i32Load(BLOCK_RECORD.sharedBase);
  };
  // The local windows of all threads of the block lie side by side.
  const localBase = (): void => {
    field(CONTEXT.block);
    code.i32Load(BLOCK_RECORD.localBase);
  };
  const localSize = (): void => {
    field(CONTEXT.block);
    code.i32Load(BLOCK_RECORD.localBytes);
  };
  switch (name) {
    case "llvm.nvvm.isspacep.shared":
    case "llvm.nvvm.isspacep.shared.cluster":
      return window(sharedBase, () => global("sharedBytes"));
    case "llvm.nvvm.isspacep.local":
      return window(localBase, localSize);
    case "llvm.nvvm.isspacep.global":
      compiler.get(call.args[0] ?? call);
      sharedBase();
      code.i32Sub();
      global("sharedBytes");
      code.i32GeU();
      compiler.get(call.args[0] ?? call);
      localBase();
      code.i32Sub();
      localSize();
      code.i32GeU().i32And();
      return done();
    case "llvm.nvvm.isspacep.const":
    case "llvm.nvvm.is_explicit_cluster":
      code.i32Const(0);
      return done();
    case "llvm.readcyclecounter":
    case "llvm.readsteadycounter":
      code.call(compiler.p.host.clock);
      return done();
    default:
  }
  const register = SREG.exec(name)?.[1];
  if (register === undefined) return false;
  const [base, axis] = [register.replace(/\.[xyz]$/, ""), register.at(-1)?.toUpperCase() as "X" | "Y" | "Z"];
  const clusterBase = base.replace(/^clusterid$/, "ctaid").replace(/^nclusterid$/, "nctaid");
  switch (clusterBase) {
    case "tid":
      field(CONTEXT[`tid${axis}`]);
      return done();
    case "ctaid":
      field(CONTEXT.block);
      code.i32Load(BLOCK_RECORD[`ctaid${axis}`]);
      return done();
    case "ntid":
      global(`ntid${axis}`);
      return done();
    case "nctaid":
      global(`nctaid${axis}`);
      return done();
    case "laneid":
      field(CONTEXT.lane);
      return done();
    case "warpid":
      field(CONTEXT.warp);
      return done();
    case "nwarpid":
      global("ntidX");
      global("ntidY");
      global("ntidZ");
      code.i32Mul().i32Mul().i32Const(31).i32Add().i32Const(5).i32ShrU();
      return done();
    case "warpsize":
      code.i32Const(32);
      return done();
    case "lanemask.eq":
      code.i32Const(1);
      field(CONTEXT.lane);
      code.i32Shl();
      return done();
    case "lanemask.lt":
      code.i32Const(1);
      field(CONTEXT.lane);
      code.i32Shl().i32Const(1).i32Sub();
      return done();
    case "lanemask.le":
      code.i32Const(2);
      field(CONTEXT.lane);
      code.i32Shl().i32Const(1).i32Sub();
      return done();
    case "lanemask.ge":
      code.i32Const(-1);
      field(CONTEXT.lane);
      code.i32Shl();
      return done();
    case "lanemask.gt":
      code.i32Const(-2);
      field(CONTEXT.lane);
      code.i32Shl();
      return done();
    case "nsmid":
    case "cluster.nctaid":
    case "cluster.nctarank":
      code.i32Const(1);
      return done();
    case "smid":
    case "gridid":
    case "cluster.ctaid":
    case "cluster.ctarank":
      code.i32Const(0);
      return done();
    case "clock":
    case "globaltimer.lo":
      code.call(compiler.p.host.clock).i32WrapI64();
      return done();
    case "clock.hi":
      code.call(compiler.p.host.clock).i64Const(32n).i64ShrU().i32WrapI64();
      return done();
    case "clock64":
    case "globaltimer":
      code.call(compiler.p.host.clock);
      return done();
    default:
      return false;
  }
}

/** The device runtime and memory intrinsics of NVVM. False when `name` is none of them. */
export function emitInlineCall(
  compiler: FunctionCompiler,
  scalar: ScalarContext,
  call: CallInstruction,
  name: string,
): boolean {
  const { code } = compiler;
  const push = (...indices: number[]): void => {
    for (const index of indices) compiler.get(call.args[index] ?? call);
  };
  switch (name) {
    case "vprintf": {
      const [args, written] = [code.local("i32"), code.local("i32")] as const;
      code.localGet(compiler.context);
      push(0, 1);
      code.localTee(args).call(compiler.p.host.print).localTee(written);
      compiler.set(call);
      code.localGet(written).i32Const(ARGUMENTS_OUTSIDE_MEMORY).i32Eq().if();
      compiler.fault("address", call, args, { constant: 4 });
      code.end();
      code.free(args, written);
      return true;
    }
    case "malloc":
      push(0);
      code.call(compiler.p.host.malloc);
      compiler.set(call);
      return true;
    case "free":
      push(0);
      code.call(compiler.p.host.free);
      return true;
    case "__assertfail":
    case "__assert_fail":
      code.localGet(compiler.context);
      push(0, 1, 2, 3);
      code.call(compiler.p.host.assertFailed);
      compiler.fault("assert", call);
      code.unreachable();
      return true;
    case "llvm.trap":
    case "llvm.ubsantrap":
      compiler.fault("trap", call);
      code.unreachable();
      return true;
    case "llvm.debugtrap":
      return true;
    case "llvm.nvvm.exit":
      code.i32Const(STATUS.exited).return();
      return true;
    case "llvm.stacksave":
    case "llvm.stacksave.p0":
      code.localGet(compiler.context).i32Load(CONTEXT.localTop);
      compiler.set(call);
      return true;
    default:
  }
  if (name.startsWith("llvm.stackrestore")) {
    code.localGet(compiler.context);
    push(0);
    code.i32Store(CONTEXT.localTop);
    return true;
  }
  if (
    /^llvm\.nvvm\.(barrier\.cluster\.arrive|cp\.async\.(commit|wait)|griddepcontrol|setmaxnreg)|^llvm\.va_end/.test(
      name,
    )
  )
    return true;
  if (/^llvm\.nvvm\.ld[gu]\.global\./.test(name)) {
    const align = call.args[1]?.kind === "const-int" ? Number(call.args[1].value) : 1;
    const load: LoadInstruction = {
      kind: "instruction",
      op: "load",
      type: call.type,
      name: "",
      location: call.location,
      block: call.block,
      pointer: call.args[0] ?? call,
      align,
      volatile: false,
      ordering: null,
      scope: null,
      cache: null,
      invariant: true,
    };
    emitLoad(scalar, load);
    compiler.set(call);
    return true;
  }
  if (emitNvvmAtomic(compiler, scalar, call, name)) return true;
  return emitAsyncCopy(compiler, scalar, call, name);
}

const ATOMICS: Readonly<Record<string, AtomicOperator>> = {
  add: "add",
  exch: "xchg",
  max: "max",
  min: "min",
  inc: "uinc_wrap",
  dec: "udec_wrap",
  and: "and",
  or: "or",
  xor: "xor",
};

function emitNvvmAtomic(
  compiler: FunctionCompiler,
  scalar: ScalarContext,
  call: CallInstruction,
  name: string,
): boolean {
  const match =
    /^llvm\.nvvm\.atomic\.(add|exch|max|min|inc|dec|and|or|xor|cas)\.gen\.([if])\.|^llvm\.nvvm\.atomic\.load\.(inc|dec)\.32/.exec(
      name,
    );
  if (match === null) return false;
  const base = {
    kind: "instruction",
    name: "",
    location: call.location,
    block: call.block,
    pointer: call.args[0] ?? call,
    volatile: false,
    ordering: "monotonic",
    scope: null,
  } as const;
  const which = match[1] ?? (match[3] as string);
  if (which === "cas") {
    const exchange: CmpxchgInstruction = {
      ...base,
      op: "cmpxchg",
      type: call.type,
      failureOrdering: "monotonic",
      expected: call.args[1] ?? call,
      desired: call.args[2] ?? call,
    };
    emitCmpxchg(
      {
        ...scalar,
        set: (_, component) => {
          if (component === 0) compiler.set(call);
          else compiler.code.drop();
        },
        noteChange: scalar.noteChange,
      },
      exchange,
    );
    return true;
  }
  const float = call.type.kind === "float";
  const operator: AtomicOperator =
    float && which === "add"
      ? "fadd"
      : float && which === "max"
        ? "fmax"
        : float && which === "min"
          ? "fmin"
          : (ATOMICS[which] as AtomicOperator);
  const update: AtomicRmwInstruction = {
    ...base,
    op: "atomicrmw",
    type: call.type,
    operator,
    value: call.args[1] ?? call,
  };
  emitAtomicRmw(scalar, update);
  compiler.set(call);
  return true;
}

/** cp.async: the copy is made at once; with a source size the rest is zeros (PTX ISA 9.7.8.22.3). */
function emitAsyncCopy(
  compiler: FunctionCompiler,
  scalar: ScalarContext,
  call: CallInstruction,
  name: string,
): boolean {
  const match = /^llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(4|8|16)(\.s)?$/.exec(name);
  if (match === null) return false;
  const { code } = compiler;
  const size = Number(match[1]);
  const [to, from, bytes, whole]: Local[] = [
    code.local("i32"),
    code.local("i32"),
    code.local("i32"),
    code.local("i32"),
  ];
  if (to === undefined || from === undefined || bytes === undefined || whole === undefined) throw unsupported(name);
  compiler.get(call.args[0] ?? call);
  code.localSet(to);
  compiler.get(call.args[1] ?? call);
  code.localSet(from);
  code.i32Const(size).localSet(whole);
  if (match[2] === undefined) code.i32Const(size);
  else {
    compiler.get(call.args[2] ?? call);
    code.localTee(bytes).i32Const(size).localGet(bytes).i32Const(size).i32LtU().select();
  }
  code.localSet(bytes);
  for (const [address, count] of [
    [from, bytes],
    [to, whole],
  ] as const) {
    emitRangeTest(scalar, address, count);
    code
      .localGet(address)
      .i32Const(size - 1)
      .i32And()
      .localGet(count)
      .i32Const(0)
      .i32Ne()
      .i32And()
      .i32Or()
      .if();
    compiler.fault("address", call, address, count);
    code.end();
  }
  code.localGet(to).i32Const(0).localGet(whole).memoryFill();
  code.localGet(to).localGet(from).localGet(bytes).memoryCopy();
  code.free(to, from, bytes, whole);
  return true;
}
