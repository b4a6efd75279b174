/**
 * Every function that an engine itself must know: LLVM's and NVVM's intrinsics and the device runtime's entry points.
 * One table for engines, analyses, checkers and docs/support.md. A callee that is neither defined nor here is
 * `unsupported`.
 *
 * Overloaded intrinsics stand under their base name (`llvm.fma` for `llvm.fma.f32`, `llvm.fma.v2f16` …). Signatures are
 * written informally: T is the overloaded type. Meanings: LangRef "Intrinsic Functions", NVPTXUsage "NVPTX Intrinsics",
 * PTX ISA 8.5 chapter 9.7; where one of them leaves a choice, the note says which we take.
 */
import { PRINT_FUNCTIONS } from "./print-functions.ts";
import type { Intrinsic, IntrinsicKind, RowFacts } from "./facts.ts";

type Row = Intrinsic & RowFacts;

/** What was added, as it is written below. Most threads look up few names, so braces are expanded at the first look. */
const written: Parameters<typeof add>[] = [];

const DEFAULTS: RowFacts = {
  memory: { kind: "none" },
  isConvergent: false,
  uniformity: "operands",
  status: "supported",
};

/** What most rows of a kind have in common. */
const KINDS: Readonly<Record<IntrinsicKind, RowFacts>> = {
  pure: DEFAULTS,
  thread: { ...DEFAULTS, uniformity: "lane" },
  collective: { ...DEFAULTS, isConvergent: true, uniformity: "lane" },
  sync: { ...DEFAULTS, isConvergent: true, uniformity: "block" },
  memory: DEFAULTS,
  control: DEFAULTS,
  ignored: DEFAULTS,
};

/** Adds rows: `names` may hold alternatives in braces, `a.{x,y}.{i,j}` standing for all four. */
function add(kind: IntrinsicKind, names: string, signature: string, note = "", facts: Partial<RowFacts> = {}): void {
  written.push([kind, names, signature, note, facts]);
}

function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf("{");
  if (open < 0) return [pattern];
  const close = pattern.indexOf("}", open);
  const rests = expandBraces(pattern.slice(close + 1));
  return pattern
    .slice(open + 1, close)
    .split(",")
    .flatMap((choice) => rests.map((rest) => pattern.slice(0, open) + choice + rest));
}

/** The arguments that a call reads and writes through. */
function accesses(reads: readonly number[], writes: readonly number[]): Partial<RowFacts> {
  return { memory: { kind: "access", reads, writes } };
}

const GRID = { uniformity: "grid" } as const;
const BLOCK = { uniformity: "block" } as const;
const WARP = { uniformity: "warp" } as const;
const MASK = { uniformity: "mask" } as const;

// ---------------------------------------------------------------- LLVM: arithmetic

add(
  "pure",
  "llvm.{fabs,floor,ceil,trunc,rint,nearbyint,round,roundeven,canonicalize,sqrt}",
  "T (T)",
  "correctly rounded",
);
add(
  "pure",
  "llvm.{exp,exp2,exp10,log,log2,log10,sin,cos,tan,asin,acos,atan,sinh,cosh,tanh}",
  "T (T)",
  "rounded from the double result",
);
add("pure", "llvm.{pow,atan2}", "T (T, T)", "rounded from the double result");
add("pure", "llvm.{powi,ldexp}", "T (T, i32)");
add("pure", "llvm.{fma,fmuladd}", "T (T, T, T)", "rounded once, for every format");
add("pure", "llvm.{minnum,maxnum,minimumnum,maximumnum}", "T (T, T)", "a NaN operand is ignored; -0 below +0");
add("pure", "llvm.{minimum,maximum}", "T (T, T)", "a NaN operand is the result; -0 below +0");
add("pure", "llvm.copysign", "T (T, T)");
add("pure", "llvm.is.fpclass", "i1 (T, i32)");
add("pure", "llvm.{ctpop,bitreverse,bswap}", "T (T)");
add(
  "pure",
  "llvm.{ctlz,cttz,abs}",
  "T (T, i1)",
  "never poison: ctlz and cttz of 0 are the width, abs of the minimum is itself",
);
add("pure", "llvm.{fshl,fshr}", "T (T, T, T)");
add("pure", "llvm.{smin,smax,umin,umax}", "T (T, T)");
add("pure", "llvm.{sadd,uadd,ssub,usub,smul,umul}.with.overflow", "{T, i1} (T, T)");
add("pure", "llvm.{sadd,uadd,ssub,usub,sshl,ushl}.sat", "T (T, T)");
add("pure", "llvm.{scmp,ucmp}", "R (T, T)");
add("pure", "llvm.{fptosi,fptoui}.sat", "R (T)");
add("pure", "llvm.vector.reduce.{add,mul,and,or,xor,smin,smax,umin,umax,fmin,fmax}", "S (T)");
add("pure", "llvm.vector.reduce.{fadd,fmul}", "S (S, T)", "in order of the elements");
add(
  "pure",
  "llvm.{expect,expect.with.probability,ssa.copy,launder.invariant.group,strip.invariant.group,arithmetic.fence}" +
    " llvm.{ptr.annotation,annotation,threadlocal.address}",
  "T (T, …)",
  "the first operand",
);
add("pure", "llvm.ptrmask", "ptr (ptr, i32)");
add("pure", "llvm.is.constant", "i1 (T)", "false");
add("pure", "llvm.objectsize", "i32 (ptr, i1, i1, i1)", "unknown");

// ---------------------------------------------------------------- LLVM: memory and notes

add(
  "memory",
  "llvm.{memcpy,memmove,memcpy.inline}",
  "void (ptr, ptr, iN, i1)",
  "bytes; memcpy of overlapping ranges copies as memmove",
  accesses([1], [0]),
);
add("memory", "llvm.{memset,memset.inline}", "void (ptr, i8, iN, i1)", "", accesses([], [0]));
add("memory", "llvm.{stacksave,stackrestore}", "ptr () / void (ptr)", "", { uniformity: "operands" });
const VA_LIST = "a va_list is a pointer into the packed arguments";
add("memory", "llvm.va_start", "void (ptr, …)", VA_LIST, accesses([], [0]));
add("memory", "llvm.va_copy", "void (ptr, …)", VA_LIST, accesses([1], [0]));
add("ignored", "llvm.va_end", "void (ptr)");
add(
  "ignored",
  "llvm.{lifetime.start,lifetime.end,invariant.start,invariant.end,assume,prefetch,donothing,sideeffect}" +
    " llvm.{pseudoprobe,var.annotation}",
  "",
);
add("ignored", "llvm.experimental.noalias.scope.decl llvm.dbg.{value,declare,assign,label}", "");
add("control", "llvm.{trap,ubsantrap}", "void ()", "fault: trap");
add("ignored", "llvm.debugtrap", "void ()", "no debugger is attached");

// ---------------------------------------------------------------- who and when

const SREG = "llvm.nvvm.read.ptx.sreg";
add("thread", `${SREG}.tid.{x,y,z}`, "i32 ()");
add("thread", `${SREG}.ntid.{x,y,z}`, "i32 ()", "", GRID);
add("thread", `${SREG}.ctaid.{x,y,z}`, "i32 ()", "", BLOCK);
add("thread", `${SREG}.nctaid.{x,y,z}`, "i32 ()", "", GRID);
add("thread", `${SREG}.laneid`, "i32 ()");
add("thread", `${SREG}.warpid`, "i32 ()", "", WARP);
add("thread", `${SREG}.{nwarpid,warpsize}`, "i32 ()", "", GRID);
add("thread", `${SREG}.lanemask.{eq,le,lt,ge,gt}`, "i32 ()");
// A block may move to another multiprocessor while it runs (PTX ISA, "%smid").
add("thread", `${SREG}.smid`, "i32 ()", "one multiprocessor: smid 0, nsmid 1", WARP);
add("thread", `${SREG}.{nsmid,gridid}`, "i32 ()", "one multiprocessor: smid 0, nsmid 1", GRID);
add("thread", `${SREG}.{clusterid,cluster.ctaid}.{x,y,z} ${SREG}.cluster.ctarank`, "i32 ()", "", BLOCK);
add("thread", `${SREG}.{nclusterid,cluster.nctaid}.{x,y,z} ${SREG}.cluster.nctarank`, "i32 ()", "", GRID);
add("thread", `llvm.nvvm.is_explicit_cluster`, "i1 ()", "whether a cluster has several blocks", GRID);
add("thread", "__heddle_cluster_{,n}{ctaid,clusterid}_{x,y,z} __heddle_cluster_{,n}ctarank", "i32 ()", "", BLOCK);
// Where shared memory begins: the block's, that of the cluster's first block; from one of its blocks to the next.
add("thread", "__heddle_{shared_window,cluster_window,cluster_stride}", "i32 ()", "", BLOCK);
const NANOSECONDS = "host nanoseconds";
add("thread", `${SREG}.{clock,clock.hi,globaltimer.lo}`, "i32 ()", NANOSECONDS, WARP);
add("thread", `${SREG}.{clock64,globaltimer} llvm.{readcyclecounter,readsteadycounter}`, "i64 ()", NANOSECONDS, WARP);
add(
  "thread",
  "llvm.nvvm.isspacep.{shared,shared.cluster,local,global,const}",
  "i1 (ptr)",
  "by the windows of the thread's block",
);

// ---------------------------------------------------------------- warps

add(
  "collective",
  "llvm.nvvm.shfl.sync.{idx,up,down,bfly}.{i32,f32}",
  "T (i32 mask, T, i32 b, i32 c)",
  "from a lane that takes no part: 0, as on an H200 (PTX: undefined)",
);
add(
  "collective",
  "llvm.nvvm.shfl.sync.{idx,up,down,bfly}.{i32,f32}p",
  "{T, i1} (i32 mask, T, i32 b, i32 c)",
  "from a lane that takes no part: 0, as on an H200 (PTX: undefined)",
);
add(
  "collective",
  "llvm.nvvm.shfl.{idx,up,down,bfly}.{i32,f32}",
  "T (T, i32 b, i32 c)",
  "among the lanes that activemask names",
);
add("collective", "llvm.nvvm.vote.{any,all,uni}.sync", "i1 (i32 mask, i1)", "", MASK);
add("collective", "llvm.nvvm.vote.ballot.sync", "i32 (i32 mask, i1)", "", MASK);
add("collective", "llvm.nvvm.match.any.sync.{i32,i64}", "i32 (i32 mask, T)");
add("collective", "llvm.nvvm.match.all.sync.{i32,i64}p", "{i32, i1} (i32 mask, T)");
add("collective", "llvm.nvvm.redux.sync.{add,min,max,umin,umax,and,or,xor}", "i32 (i32, i32 mask)", "", MASK);
add("collective", "llvm.nvvm.redux.sync.{fmin,fmax}{,.abs}{,.NaN}", "float (float, i32 mask)", "", MASK);
add("collective", "llvm.nvvm.bar.warp.sync", "void (i32 mask)");
add(
  "collective",
  "llvm.nvvm.activemask",
  "i32 ()",
  "the threads of the warp that wait at this instruction once no other thread of the warp can come to it without " +
    "waiting",
  WARP,
);

// ---------------------------------------------------------------- blocks and the grid

const BARRIER = "barriers 0–15; exited threads do not count";
add(
  "sync",
  "llvm.nvvm.barrier0 llvm.nvvm.barrier.cta.sync.{aligned.,}all llvm.nvvm.{bar.sync,bar.n,barrier.sync}",
  "void (i32 id)",
  BARRIER,
);
add(
  "sync",
  "llvm.nvvm.barrier.cta.{sync,arrive}.{aligned.,}count llvm.nvvm.{barrier,barrier.sync.cnt}",
  "void (i32 id, i32 threads)",
  BARRIER,
);
add("sync", "llvm.nvvm.barrier.cta.red.{popc,and,or}.{aligned.,}all", "R (i32 id, i1)", BARRIER);
add("sync", "llvm.nvvm.barrier.cta.red.{popc,and,or}.{aligned.,}count", "R (i32 id, i32 threads, i1)", BARRIER);
add("sync", "llvm.nvvm.barrier0.{popc,and,or}", "i32 (i32)", BARRIER);
add("sync", "llvm.nvvm.barrier.cluster.arrive{,.relaxed}{,.aligned} __heddle_cluster_arrive", "void ()");
add("sync", "llvm.nvvm.barrier.cluster.wait{,.aligned} __heddle_cluster_wait", "void ()", "all threads of a cluster");
add("sync", "__heddle_grid_sync", "void ()", "all threads of a cooperative launch");
add(
  "memory",
  "llvm.nvvm.membar.{cta,gl,sys} " +
    "llvm.nvvm.fence.{sc.cluster,acq_rel.cluster,mbarrier_init.release.cluster,proxy.async}",
  "void ()",
  "memory is sequentially consistent",
);
add("ignored", "llvm.nvvm.nanosleep", "void (i32)", "lets other threads run");

// ---------------------------------------------------------------- NVVM memory

const ATOMIC: Partial<RowFacts> = { ...accesses([0], [0]), uniformity: "lane" };
add("memory", "llvm.nvvm.{ldg,ldu}.global.{i,f,p}", "T (ptr, i32 align)", "a plain load", accesses([0], []));
add(
  "memory",
  "llvm.nvvm.atomic.{add,exch,max,min,inc,dec,and,or,xor}.gen.{i,f}.{cta,sys}",
  "T (ptr, T)",
  "max and min are signed",
  ATOMIC,
);
add("memory", "llvm.nvvm.atomic.cas.gen.{i,f}.{cta,sys}", "T (ptr, T, T)", "", ATOMIC);
add("memory", "llvm.nvvm.atomic.load.{inc,dec}.32", "i32 (ptr, i32)", "", ATOMIC);
add(
  "memory",
  "llvm.nvvm.cp.async.ca.shared.global.{4,8,16} llvm.nvvm.cp.async.cg.shared.global.16",
  "void (ptr, ptr)",
  "copies at once",
  accesses([1], [0]),
);
add(
  "memory",
  "llvm.nvvm.cp.async.ca.shared.global.{4,8,16}.s llvm.nvvm.cp.async.cg.shared.global.16.s",
  "void (ptr, ptr, i32)",
  "copies at once, the rest zeros",
  accesses([1], [0]),
);
add("ignored", "llvm.nvvm.cp.async.{commit.group,wait.group,wait.all,mbarrier.arrive}", "", "the copies are done");
add("ignored", "llvm.nvvm.cp.async.bulk.{commit.group,wait.group,wait.group.read}", "", "the copies are already done");
add(
  "ignored",
  "llvm.nvvm.prefetch llvm.nvvm.prefetch.{global,local,generic}.{L1,L2} llvm.nvvm.prefetchu.L1 " +
    "llvm.nvvm.applypriority.{global,generic}.L2.evict.normal llvm.nvvm.pragma.{nounroll} " +
    "llvm.nvvm.griddepcontrol.{wait,launch.dependents} llvm.nvvm.setmaxnreg.{inc,dec}.sync.aligned.u32",
  "",
);
add("ignored", "llvm.nvvm.wgmma.fence.sync.aligned", "", "each warp makes its part of a product at the instruction");
add("sync", "llvm.nvvm.wgmma.{commit_group,wait_group}.sync.aligned", "", "done when all four warps have made it");
add(
  "pure",
  "llvm.nvvm.ptr.{global,shared,local,constant,param}.to.gen " +
    "llvm.nvvm.ptr.gen.to.{global,shared,local,constant,param} llvm.nvvm.internal.addrspace.wrap",
  "ptr (ptr)",
  "the identity: there is one address space",
);

// ---------------------------------------------------------------- device runtime

const PRINT: Partial<RowFacts> = { ...accesses([0, 1], []), uniformity: "lane" };
for (const name of PRINT_FUNCTIONS.keys())
  add("memory", name, "i32 (ptr format, ptr arguments)", "the number of arguments is not checked; returns 0", PRINT);
const HEAP: Partial<RowFacts> = { memory: { kind: "any" }, uniformity: "lane" };
add("memory", "malloc", "ptr (i32)", "", HEAP);
add("memory", "free", "void (ptr)", "", HEAP);
add("memory", "__heddle_run_child_grids", "i32 ()", "runs what the grid has launched so far", HEAP);
add(
  "control",
  "__assertfail __assert_fail",
  "void (ptr message, ptr file, i32 line, ptr function, i32)",
  "fault: assert",
);
add("control", "llvm.nvvm.exit", "void ()", "ends the thread");

// ---------------------------------------------------------------- NVVM arithmetic

const ROUND = "{rn,rz,rm,rp}";
add("pure", `llvm.nvvm.{add,mul,div}.${ROUND}.{f,ftz.f,d}`, "T (T, T)", "rounded to nearest, to zero, down, up");
add("pure", `llvm.nvvm.{add,mul,sub}.rn{,.sat,.ftz,.ftz.sat}.{f,f16,v2f16,bf16,v2bf16}`, "T (T, T)");
add("pure", `llvm.nvvm.fma.${ROUND}.{f,ftz.f,d}`, "T (T, T, T)");
add("pure", "llvm.nvvm.fma.rn{,.ftz,.sat,.ftz.sat,.relu,.ftz.relu}.{f16,f16x2,bf16,bf16x2}", "T (T, T, T)");
add("pure", `llvm.nvvm.{rcp,sqrt}.${ROUND}.{f,ftz.f,d}`, "T (T)");
add(
  "pure",
  "llvm.nvvm.sqrt.f llvm.nvvm.{sqrt,rsqrt,ex2,lg2,sin,cos}.approx.{f,ftz.f}",
  "float (float)",
  "rounded from the double result",
);
add(
  "pure",
  "llvm.nvvm.rcp.approx.ftz.{f,d} llvm.nvvm.rsqrt.approx.{d,ftz.d} llvm.nvvm.{ex2,lg2}.approx.d",
  "T (T)",
  "rounded from the double result",
);
add(
  "pure",
  "llvm.nvvm.ex2.approx{,.ftz}{,.f16,.f16x2,.f32,.bf16,.v2f16,.v2bf16} " +
    "llvm.nvvm.tanh.approx{,.f,.f16,.f16x2,.bf16,.bf16x2,.f32,.v2f16,.v2bf16}",
  "T (T)",
  "rounded from the double result",
);
add(
  "pure",
  "llvm.nvvm.div.{approx.f,approx.ftz.f,full,full.ftz}",
  "float (float, float)",
  "rounded from the double result",
);
add(
  "pure",
  "llvm.nvvm.{saturate,fabs,ceil,floor,round,trunc}.{f,ftz.f,d} llvm.nvvm.fabs llvm.nvvm.fabs.ftz",
  "T (T)",
  "round is to the even neighbour, as cvt.rni",
);
add(
  "pure",
  "llvm.nvvm.{fmin,fmax}" +
    "{,.ftz,.nan,.ftz.nan,.xorsign.abs,.ftz.xorsign.abs,.nan.xorsign.abs,.ftz.nan.xorsign.abs}" +
    ".{f,d,f16,f16x2,bf16,bf16x2}",
  "T (T, T)",
);
add("pure", "llvm.nvvm.neg.{bf16,bf16x2} llvm.nvvm.abs.{bf16,bf16x2}", "T (T)");
add("pure", `llvm.nvvm.{i,ui,ll,ull}2{f,d}.${ROUND}`, "R (T)");
add(
  "pure",
  `llvm.nvvm.f2{i,ui,ll,ull}.${ROUND}{,.ftz} llvm.nvvm.d2{i,ui,ll,ull}.${ROUND}`,
  "R (T)",
  "saturating; NaN gives 0, from double or to 64 bits the highest bit",
);
add("pure", `llvm.nvvm.d2f.${ROUND}{,.ftz}`, "float (double)");
add("pure", "llvm.nvvm.f2h.rn{,.ftz}", "i16 (float)");
add(
  "pure",
  "llvm.nvvm.f2bf16.{rn,rz}{,.relu} llvm.nvvm.ff2bf16x2.{rn,rz}{,.relu} llvm.nvvm.ff2f16x2.{rn,rz}{,.relu}",
  "R (float, …)",
  "of two, the first is the upper half",
);
add("pure", "llvm.nvvm.d2i.{lo,hi}", "i32 (double)");
add("pure", "llvm.nvvm.lohi.i2d", "double (i32, i32)");
add("pure", "llvm.nvvm.bitcast.{f2i,i2f,ll2d,d2ll}", "R (T)");
add("pure", "llvm.nvvm.mulhi.{s,us,i,ui,ll,ull} llvm.nvvm.mul24.{i,ui}", "T (T, T)");
add("pure", "llvm.nvvm.sad.{s,us,i,ui,ll,ull}", "T (T, T, T)");
add("pure", "llvm.nvvm.prmt", "i32 (i32, i32, i32 selector)");
add("pure", "llvm.nvvm.prmt.{f4e,b4e}", "i32 (i32, i32, i32)");
add("pure", "llvm.nvvm.prmt.{rc8,ecl,ecr,rc16}", "i32 (i32, i32)");
add("pure", "llvm.nvvm.idp4a.{s,u}.{s,u}", "i32 (i32, i32, i32)");
add("pure", "llvm.nvvm.idp2a.{s,u}.{s,u}", "i32 (i32, i32, i1 high, i32)");
add("pure", "llvm.nvvm.{popc,clz,brev32,brev64,abs}.{i,ll} llvm.nvvm.brev32 llvm.nvvm.brev64", "R (T)");
add("pure", "llvm.nvvm.rotate.b32 llvm.nvvm.rotate.{b64,right.b64}", "T (T, i32)");
add("pure", "llvm.nvvm.{fshl,fshr}.clamp", "i32 (i32, i32, i32)", "a shift above 32 counts as 32");
add("pure", "llvm.nvvm.{sext,zext}.inreg.{wrap,clamp}", "i32 (i32, i32)");
add("pure", "llvm.nvvm.bmsk.{wrap,clamp}", "i32 (i32, i32)");
add("pure", "llvm.nvvm.fns", "i32 (i32 mask, i32 base, i32 offset)");

// ---------------------------------------------------------------- the compiler's own
const INTERNAL = { status: "internal" } as const;
add("collective", "llvm.nvvm.heddle.mma", "", "a matrix product: warp-tier/planning/matrix-shapes.ts", INTERNAL);
add("sync", "llvm.nvvm.heddle.suspend", "void (i64)", "the warp waits: warp-tier/planning/suspensions.ts", INTERNAL);
add("memory", "llvm.nvvm.heddle.products.missing", "i64 (i32)", "", { ...INTERNAL, ...WARP, memory: { kind: "any" } });
// machine/warp-counts.ts, barrier-skew.ts. Of lanes that went apart, those with the lower order are counted first.
const COUNTS = { ...INTERNAL, isConvergent: false };
add("collective", "llvm.nvvm.heddle.count.{warps,branch,access,lines,begin,clock,arrive}", "", "", COUNTS);

let expanded: Map<string, Row> | null = null;

/** All rows by base name. */
export function rows(): ReadonlyMap<string, Row> {
  if (expanded !== null) return expanded;
  expanded = new Map();
  for (const [kind, names, signature, note = "", facts] of written)
    for (const pattern of names.split(/\s+/))
      for (const name of expandBraces(pattern))
        expanded.set(name, { ...KINDS[kind], ...facts, name, kind, signature, note });
  return expanded;
}

/** The rows of docs/support.md. */
export function supportedIntrinsics(): readonly Intrinsic[] {
  return [...rows().values()].filter(({ status }) => status === "supported");
}
