/**
 * Thread block clusters: the functions of libdevice/cluster.cu as instructions (PTX ISA 8.5, 9.7.12.4
 * "barrier.cluster", 9.7.8.25 "mapa").
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { isClusterFunction } from "./library-functions.ts";
import { bug } from "../../base/diagnostics.ts";
import type { CallInstruction, IrModule, IrValue } from "../../ir/model/ir.ts";
import { launchBounds } from "../../program/launch-bounds.ts";
import type { PtxFunction } from "./ptx-function.ts";

/** A module that asks nothing of clusters cannot tell in which of them it runs. */
export function usesClusters(module: IrModule): boolean {
  for (const fn of module.functions.values()) {
    if (fn.blocks.length === 0 && (isClusterFunction(fn.name) || isOfClusters(fn.name))) return true;
    if (fn.isKernel && launchBounds(fn, "cluster_dim") !== null) return true;
    for (const block of fn.blocks)
      for (const i of block.instructions)
        if (i.op === "call" && i.callee.kind === "inline-asm" && i.callee.template.includes("cluster")) return true;
  }
  return false;
}

/** A barrier of the cluster, or a register that tells about clusters. */
function isOfClusters(name: string): boolean {
  const facts = intrinsicOf(name);
  if (facts === null) return false;
  return (
    facts.barrier?.scope === "cluster" ||
    facts.operation === "is_explicit_cluster" ||
    facts.register?.register.includes("cluster") === true
  );
}

export function emitClusterFunction(f: PtxFunction, i: CallInstruction, name: string): void {
  const word = name.slice("__heddle_cluster_".length);
  const isThere = f.program.architecture >= 90;
  switch (word) {
    case "arrive":
      return isThere ? f.emit("barrier.cluster.arrive") : undefined;
    case "wait":
      return f.emit(isThere ? "barrier.cluster.wait" : "barrier.sync 0");
    case "map": {
      const [pointer, rank] = i.args as [IrValue, IrValue];
      if (!isThere) return f.copy(i, f.programPointer(pointer));
      const { held, bits } = f.pointers;
      const own = f.inRegister(f.pointerIn(pointer, "shared"), held);
      const mapped = f.make(held, `mapa.shared::cluster.u${bits} $d, ${own}, ${f.operand(rank)}`);
      return f.alias(i, f.toGeneric(mapped, "shared"));
    }
    case "rank_of": {
      if (!isThere) return f.emit(`mov.b32 ${f.define(i)}, 0`);
      const { held, bits } = f.pointers;
      const at = f.inRegister(f.pointerIn(i.args[0] as IrValue, "shared"), held);
      return f.emit(`getctarank.shared::cluster.u${bits} ${f.define(i)}, ${at}`);
    }
    default:
      return f.emit(`mov.u32 ${f.define(i)}, ${number(word, isThere)}`);
  }
}

/** The special register that a function is called after; without clusters each block is one. */
function number(word: string, isThere: boolean): string {
  const [, prefix = "", axis = ""] =
    /^(n?(?:ctaid|clusterid)|n?ctarank)(?:_([xyz]))?$/.exec(word) ?? bug(`the cluster function ${word}`);
  const suffix = axis === "" ? "" : `.${axis}`;
  if (isThere) return prefix.endsWith("clusterid") ? `%${prefix}${suffix}` : `%cluster_${prefix}${suffix}`;
  if (prefix.endsWith("clusterid")) return `%${prefix.replace("clusterid", "ctaid")}${suffix}`;
  return prefix.startsWith("n") ? "1" : "0";
}
