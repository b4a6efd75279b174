/**
 * Intrinsics that are one PTX instruction (PTX ISA 8.5, chapter 9). In a template `$d` is the register of the result,
 * `$0`, `$1` … are the operands, `{z}` is ".ftz" where the function flushes subnormals. Names are those of
 * ir/intrinsics/table.ts; types of LLVM's own intrinsics stand at the end as in `llvm.fabs f32`.
 */
const templates = new Map<string, string>();

function add(name: string, template: string): void {
  templates.set(name, template);
}

// ---------------------------------------------------------------- LLVM

for (const type of ["f32", "f64", "f16", "bf16"]) add(`llvm.fabs ${type}`, `abs.${type} $d, $0`);
for (const operation of ["fma", "fmuladd"]) add(`llvm.${operation} f32`, "fma.rn{z}.f32 $d, $0, $1, $2");
for (const operation of ["fma", "fmuladd"])
  for (const type of ["f64", "f16", "bf16"]) add(`llvm.${operation} ${type}`, `fma.rn.${type} $d, $0, $1, $2`);
for (const [mode, words] of [
  ["rmi", "floor"],
  ["rpi", "ceil"],
  ["rzi", "trunc"],
  ["rni", "rint nearbyint roundeven"],
] as const) {
  for (const word of words.split(" "))
    for (const type of ["f32", "f64", "f16"]) add(`llvm.${word} ${type}`, `cvt.${mode}.${type}.${type} $d, $0`);
}
for (const [word, instruction] of [
  ["minnum", "min"],
  ["maxnum", "max"],
  ["minimumnum", "min"],
  ["maximumnum", "max"],
] as const) {
  add(`llvm.${word} f32`, `${instruction}{z}.f32 $d, $0, $1`);
  for (const type of ["f64", "f16", "bf16"]) add(`llvm.${word} ${type}`, `${instruction}.${type} $d, $0, $1`);
}
for (const [word, instruction] of [
  ["minimum", "min.NaN"],
  ["maximum", "max.NaN"],
] as const)
  for (const type of ["f32", "f16", "bf16"]) add(`llvm.${word} ${type}`, `${instruction}.${type} $d, $0, $1`);
for (const type of ["f32", "f64"]) add(`llvm.copysign ${type}`, `copysign.${type} $d, $1, $0`);
add("llvm.sqrt f64", "sqrt.rn.f64 $d, $0");
for (const bits of ["32", "64"]) {
  add(`llvm.abs i${bits}`, `abs.s${bits} $d, $0`);
  add(`llvm.bitreverse i${bits}`, `brev.b${bits} $d, $0`);
  for (const word of ["smin", "smax", "umin", "umax"])
    add(`llvm.${word} i${bits}`, `${word.slice(1)}.${word[0] as string}${bits} $d, $0, $1`);
}
add("llvm.ctpop i32", "popc.b32 $d, $0");
add("llvm.ctlz i32", "clz.b32 $d, $0");
add("llvm.bswap i32", "prmt.b32 $d, $0, 0, 0x0123");
add("llvm.fshl i32", "shf.l.wrap.b32 $d, $1, $0, $2");
add("llvm.fshr i32", "shf.r.wrap.b32 $d, $1, $0, $2");
add("llvm.sadd.sat i32", "add.sat.s32 $d, $0, $1");
add("llvm.ssub.sat i32", "sub.sat.s32 $d, $0, $1");
add("llvm.trap", "trap");
add("llvm.ubsantrap", "trap");
add("llvm.readcyclecounter", "mov.u64 $d, %clock64");
add("llvm.readsteadycounter", "mov.u64 $d, %globaltimer");

// ---------------------------------------------------------------- who and when

const SREG = "llvm.nvvm.read.ptx.sreg.";
for (const word of ["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid"])
  for (const axis of "xyz") add(`${SREG}${word}.${axis}`, `mov.u32 $d, %${word}.${axis}`);
for (const word of ["ctaid", "nctaid"])
  for (const axis of "xyz") add(`${SREG}cluster.${word}.${axis}`, `mov.u32 $d, %cluster_${word}.${axis}`);
for (const word of ["ctarank", "nctarank"]) add(`${SREG}cluster.${word}`, `mov.u32 $d, %cluster_${word}`);
for (const word of ["laneid", "warpid", "nwarpid", "smid", "nsmid", "clock"])
  add(`${SREG}${word}`, `mov.u32 $d, %${word}`);
add(`${SREG}gridid`, "mov.u32 $d, %gridid");
add(`${SREG}warpsize`, "mov.u32 $d, WARP_SZ");
add(`${SREG}clock.hi`, "mov.u32 $d, %clock_hi");
add(`${SREG}globaltimer.lo`, "mov.u32 $d, %globaltimer_lo");
for (const word of ["clock64", "globaltimer"]) add(`${SREG}${word}`, `mov.u64 $d, %${word}`);
for (const word of ["eq", "le", "lt", "ge", "gt"]) add(`${SREG}lanemask.${word}`, `mov.u32 $d, %lanemask_${word}`);
add("llvm.nvvm.is_explicit_cluster", "mov.pred $d, %is_explicit_cluster");
add("llvm.nvvm.exit", "exit");

// ---------------------------------------------------------------- warps, blocks, the grid

for (const mode of ["idx", "up", "down", "bfly"])
  for (const type of ["i32", "f32"])
    add(`llvm.nvvm.shfl.sync.${mode}.${type}`, `shfl.sync.${mode}.b32 $d, $1, $2, $3, $0`);
for (const word of ["any", "all", "uni"]) add(`llvm.nvvm.vote.${word}.sync`, `vote.sync.${word}.pred $d, $1, $0`);
add("llvm.nvvm.vote.ballot.sync", "vote.sync.ballot.b32 $d, $1, $0");
for (const bits of ["32", "64"]) add(`llvm.nvvm.match.any.sync.i${bits}`, `match.any.sync.b${bits} $d, $1, $0`);
for (const [word, type] of [
  ["add", "s32"],
  ["min", "s32"],
  ["max", "s32"],
  ["umin", "u32"],
  ["umax", "u32"],
  ["and", "b32"],
  ["or", "b32"],
  ["xor", "b32"],
] as const) {
  add(`llvm.nvvm.redux.sync.${word}`, `redux.sync.${word.replace(/^u/, "")}.${type} $d, $0, $1`);
}
add("llvm.nvvm.bar.warp.sync", "bar.warp.sync $0");
add("llvm.nvvm.activemask", "activemask.b32 $d");
for (const name of ["llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.nvvm.bar.sync", "llvm.nvvm.bar.n"])
  add(name, "barrier.sync.aligned $0");
for (const name of ["llvm.nvvm.barrier.cta.sync.all", "llvm.nvvm.barrier.sync"]) add(name, "barrier.sync $0");
add("llvm.nvvm.barrier0", "barrier.sync.aligned 0");
for (const name of ["llvm.nvvm.barrier.cta.sync.aligned.count", "llvm.nvvm.barrier"])
  add(name, "barrier.sync.aligned $0, $1");
for (const name of ["llvm.nvvm.barrier.cta.sync.count", "llvm.nvvm.barrier.sync.cnt"]) add(name, "barrier.sync $0, $1");
add("llvm.nvvm.barrier.cta.arrive.aligned.count", "barrier.arrive.aligned $0, $1");
add("llvm.nvvm.barrier.cta.arrive.count", "barrier.arrive $0, $1");
for (const aligned of ["", ".aligned"]) {
  add(`llvm.nvvm.barrier.cta.red.popc${aligned}.all`, `barrier.red.popc${aligned}.u32 $d, $0, $1`);
  add(`llvm.nvvm.barrier.cta.red.popc${aligned}.count`, `barrier.red.popc${aligned}.u32 $d, $0, $1, $2`);
  for (const word of ["and", "or"]) {
    add(`llvm.nvvm.barrier.cta.red.${word}${aligned}.all`, `barrier.red.${word}${aligned}.pred $d, $0, $1`);
    add(`llvm.nvvm.barrier.cta.red.${word}${aligned}.count`, `barrier.red.${word}${aligned}.pred $d, $0, $1, $2`);
  }
}
for (const word of ["arrive", "arrive.relaxed", "arrive.aligned", "arrive.relaxed.aligned", "wait", "wait.aligned"])
  add(`llvm.nvvm.barrier.cluster.${word}`, `barrier.cluster.${word}`);
for (const word of ["cta", "gl", "sys"]) add(`llvm.nvvm.membar.${word}`, `membar.${word}`);
for (const word of ["sc.cluster", "acq_rel.cluster", "mbarrier_init.release.cluster", "proxy.async"])
  add(`llvm.nvvm.fence.${word}`, `fence.${word}`);
add("llvm.nvvm.nanosleep", "nanosleep.u32 $0");
add("llvm.nvvm.cp.async.commit.group", "cp.async.commit_group");
add("llvm.nvvm.cp.async.wait.group", "cp.async.wait_group $0");
add("llvm.nvvm.cp.async.wait.all", "cp.async.wait_all");
add("llvm.nvvm.cp.async.mbarrier.arrive", "cp.async.wait_all");
add("llvm.nvvm.cp.async.bulk.commit.group", "cp.async.bulk.commit_group");
add("llvm.nvvm.cp.async.bulk.wait.group", "cp.async.bulk.wait_group $0");
add("llvm.nvvm.cp.async.bulk.wait.group.read", "cp.async.bulk.wait_group.read $0");
add("llvm.nvvm.wgmma.fence.sync.aligned", "wgmma.fence.sync.aligned");
add("llvm.nvvm.wgmma.commit_group.sync.aligned", "wgmma.commit_group.sync.aligned");
add("llvm.nvvm.wgmma.wait_group.sync.aligned", "wgmma.wait_group.sync.aligned $0");
add("llvm.nvvm.griddepcontrol.wait", "griddepcontrol.wait");
add("llvm.nvvm.griddepcontrol.launch.dependents", "griddepcontrol.launch_dependents");

// ---------------------------------------------------------------- NVVM arithmetic

const FLOAT_SUFFIXES: Readonly<Record<string, string>> = {
  f: "f32",
  d: "f64",
  f16: "f16",
  bf16: "bf16",
  f16x2: "f16x2",
  bf16x2: "bf16x2",
  v2f16: "f16x2",
  v2bf16: "bf16x2",
  f32: "f32",
};
for (const mode of ["rn", "rz", "rm", "rp"]) {
  for (const [suffix, type] of [
    ["f", "f32"],
    ["ftz.f", "ftz.f32"],
    ["d", "f64"],
  ] as const) {
    for (const word of ["add", "mul", "div"])
      add(`llvm.nvvm.${word}.${mode}.${suffix}`, `${word}.${mode}.${type} $d, $0, $1`);
    for (const word of ["rcp", "sqrt"]) add(`llvm.nvvm.${word}.${mode}.${suffix}`, `${word}.${mode}.${type} $d, $0`);
    add(`llvm.nvvm.fma.${mode}.${suffix}`, `fma.${mode}.${type} $d, $0, $1, $2`);
  }
  for (const [from, type] of [
    ["i", "s32"],
    ["ui", "u32"],
    ["ll", "s64"],
    ["ull", "u64"],
  ] as const) {
    add(`llvm.nvvm.${from}2f.${mode}`, `cvt.${mode}.f32.${type} $d, $0`);
    add(`llvm.nvvm.${from}2d.${mode}`, `cvt.${mode}.f64.${type} $d, $0`);
    for (const ftz of ["", ".ftz"]) add(`llvm.nvvm.f2${from}.${mode}${ftz}`, `cvt.${mode}i${ftz}.${type}.f32 $d, $0`);
    add(`llvm.nvvm.d2${from}.${mode}`, `cvt.${mode}i.${type}.f64 $d, $0`);
  }
  for (const ftz of ["", ".ftz"]) add(`llvm.nvvm.d2f.${mode}${ftz}`, `cvt.${mode}${ftz}.f32.f64 $d, $0`);
}
for (const [suffix, type] of Object.entries(FLOAT_SUFFIXES)) {
  for (const ftz of ["", ".ftz"]) {
    for (const sat of ["", ".sat"]) {
      for (const word of ["add", "mul", "sub"])
        if (sat !== "" || suffix !== "f" || ftz !== "")
          add(`llvm.nvvm.${word}.rn${sat}${ftz}.${suffix}`, `${word}.rn${ftz}${sat}.${type} $d, $0, $1`);
      for (const word of ["add", "mul", "sub"])
        add(`llvm.nvvm.${word}.rn${ftz}${sat}.${suffix}`, `${word}.rn${ftz}${sat}.${type} $d, $0, $1`);
      if (suffix !== "f" && suffix !== "d")
        add(`llvm.nvvm.fma.rn${ftz}${sat}.${suffix}`, `fma.rn${ftz}${sat}.${type} $d, $0, $1, $2`);
    }
    add(`llvm.nvvm.fma.rn${ftz}.relu.${suffix}`, `fma.rn${ftz}.relu.${type} $d, $0, $1, $2`);
    for (const nan of ["", ".nan"]) {
      for (const sign of ["", ".xorsign.abs"]) {
        for (const [word, instruction] of [
          ["fmin", "min"],
          ["fmax", "max"],
        ] as const) {
          add(
            `llvm.nvvm.${word}${ftz}${nan}${sign}.${suffix}`,
            `${instruction}${ftz}${nan === "" ? "" : ".NaN"}${sign}.${type} $d, $0, $1`,
          );
        }
      }
    }
    for (const word of ["ex2", "tanh"]) {
      add(
        `llvm.nvvm.${word}.approx${ftz}.${suffix}`,
        `${word}.approx${suffix.includes("bf16") && word === "ex2" ? ".ftz" : ftz}.${type} $d, $0`,
      );
    }
    for (const word of ["lg2", "sin", "cos", "sqrt", "rsqrt"])
      add(`llvm.nvvm.${word}.approx${ftz}.${suffix}`, `${word}.approx${ftz}.${type} $d, $0`);
    add(`llvm.nvvm.rcp.approx${ftz}.${suffix}`, `rcp.approx${ftz}.${type} $d, $0`);
    for (const [word, instruction] of [
      ["ceil", "cvt.rpi"],
      ["floor", "cvt.rmi"],
      ["round", "cvt.rni"],
      ["trunc", "cvt.rzi"],
    ] as const) {
      add(`llvm.nvvm.${word}${ftz}.${suffix}`, `${instruction}${ftz}.${type}.${type} $d, $0`);
    }
    add(`llvm.nvvm.saturate${ftz}.${suffix}`, `cvt.sat${ftz}.${type}.${type} $d, $0`);
    add(`llvm.nvvm.fabs${ftz}.${suffix}`, `abs${ftz}.${type} $d, $0`);
  }
  add(`llvm.nvvm.neg.${suffix}`, `neg.${type} $d, $0`);
  add(`llvm.nvvm.abs.${suffix}`, `abs.${type} $d, $0`);
}
add("llvm.nvvm.div.approx.f", "div.approx.f32 $d, $0, $1");
add("llvm.nvvm.div.approx.ftz.f", "div.approx.ftz.f32 $d, $0, $1");
add("llvm.nvvm.div.full", "div.full.f32 $d, $0, $1");
add("llvm.nvvm.div.full.ftz", "div.full.ftz.f32 $d, $0, $1");
add("llvm.nvvm.f2h.rn", "cvt.rn.f16.f32 $d, $0");
for (const [word, type] of [
  ["bf16x2", "bf16x2"],
  ["f16x2", "f16x2"],
] as const) {
  for (const mode of ["rn", "rz"])
    for (const relu of ["", ".relu"])
      add(`llvm.nvvm.ff2${word}.${mode}${relu}`, `cvt.${mode}${relu}.${type}.f32 $d, $0, $1`);
}
for (const mode of ["rn", "rz"])
  for (const relu of ["", ".relu"]) add(`llvm.nvvm.f2bf16.${mode}${relu}`, `cvt.${mode}${relu}.bf16.f32 $d, $0`);
add("llvm.nvvm.lohi.i2d", "mov.b64 $d, {$0, $1}");
for (const [word, bits] of [
  ["f2i", 32],
  ["i2f", 32],
  ["ll2d", 64],
  ["d2ll", 64],
] as const)
  add(`llvm.nvvm.bitcast.${word}`, `mov.b${bits} $d, $0`);
for (const [word, type] of [
  ["i", "s32"],
  ["ui", "u32"],
  ["ll", "s64"],
  ["ull", "u64"],
] as const) {
  add(`llvm.nvvm.mulhi.${word}`, `mul.hi.${type} $d, $0, $1`);
  if (!word.endsWith("ll")) add(`llvm.nvvm.mul24.${word}`, `mul24.lo.${type} $d, $0, $1`);
  if (!word.endsWith("ll")) add(`llvm.nvvm.sad.${word}`, `sad.${type} $d, $0, $1, $2`);
}
add("llvm.nvvm.prmt", "prmt.b32 $d, $0, $1, $2");
for (const mode of ["f4e", "b4e"]) add(`llvm.nvvm.prmt.${mode}`, `prmt.b32.${mode} $d, $0, $1, $2`);
for (const mode of ["rc8", "ecl", "ecr", "rc16"]) add(`llvm.nvvm.prmt.${mode}`, `prmt.b32.${mode} $d, $0, 0, $1`);
for (const a of "su") for (const b of "su") add(`llvm.nvvm.idp4a.${a}.${b}`, `dp4a.${a}32.${b}32 $d, $0, $1, $2`);
add("llvm.nvvm.popc.i", "popc.b32 $d, $0");
add("llvm.nvvm.popc.ll", "popc.b64 $d, $0");
add("llvm.nvvm.clz.i", "clz.b32 $d, $0");
add("llvm.nvvm.clz.ll", "clz.b64 $d, $0");
add("llvm.nvvm.brev32", "brev.b32 $d, $0");
add("llvm.nvvm.brev64", "brev.b64 $d, $0");
add("llvm.nvvm.abs.i", "abs.s32 $d, $0");
add("llvm.nvvm.abs.ll", "abs.s64 $d, $0");
add("llvm.nvvm.rotate.b32", "shf.l.wrap.b32 $d, $0, $0, $1");
add("llvm.nvvm.fshl.clamp", "shf.l.clamp.b32 $d, $1, $0, $2");
add("llvm.nvvm.fshr.clamp", "shf.r.clamp.b32 $d, $1, $0, $2");
for (const mode of ["wrap", "clamp"]) {
  add(`llvm.nvvm.sext.inreg.${mode}`, `szext.${mode}.s32 $d, $0, $1`);
  add(`llvm.nvvm.zext.inreg.${mode}`, `szext.${mode}.u32 $d, $0, $1`);
  add(`llvm.nvvm.bmsk.${mode}`, `bmsk.${mode}.b32 $d, $0, $1`);
}
add("llvm.nvvm.fns", "fns.b32 $d, $0, $1, $2");

/** The template of an intrinsic at the type of its first argument (or result, where it has none), or null. */
export function intrinsicTemplate(name: string, type: string): string | null {
  return templates.get(name) ?? templates.get(`${name} ${type}`) ?? null;
}
