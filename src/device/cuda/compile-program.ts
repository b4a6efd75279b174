/**
 * A program's PTX and facts about it: from the cache, or compiled and put there. The key holds everything that the PTX
 * depends on: IR, options, code generator, the driver's version, and the target with the addresses that are literals in
 * the code.
 */
import { createHash } from "node:crypto";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { textOf } from "../../program/program-ir.ts";
import type { PtxModule, PtxTarget } from "../../ptx/ptx-module.ts";
import { decodeCachedCode, encodeCachedCode, type CachedCode } from "./cached-code.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import { encodePtx } from "./link-ptx.ts";

export interface ProgramCompiler {
  /** A front end's programs → one linked module of IR. */
  readonly prepare: (programs: readonly DeviceProgram[]) => IrModule;
  readonly emit: (module: IrModule, target: PtxTarget) => PtxModule;
  /** Names the code generator and the device library: what they make of the same IR may change with it. */
  readonly generator: string;
  /** null: nothing is cached. */
  readonly store: SyncStore | null;
}

export interface CompileRequest<Facts> {
  readonly programs: readonly DeviceProgram[];
  readonly target: PtxTarget;
  /** Of the driver, which compiles the PTX. */
  readonly driverVersion: string;
  /** Changes when the meaning of the facts does. */
  readonly format: string;
  readonly factsOf: (ptx: PtxModule) => Facts;
}

export function compileProgram<Facts>(compiler: ProgramCompiler, request: CompileRequest<Facts>): CachedCode<Facts> {
  const key = cacheKey(compiler.generator, request);
  const cached = compiler.store?.get(key) ?? null;
  if (cached !== null) return decodeCachedCode(cached);
  const ptx = compiler.emit(compiler.prepare(request.programs), request.target);
  const compiled = { facts: request.factsOf(ptx), code: encodePtx(ptx.text) };
  compiler.store?.put(key, encodeCachedCode(compiled));
  return compiled;
}

/** For each kernel its name and facts. */
export function kernelFacts(ptx: PtxModule): [name: string, facts: KernelFacts][] {
  return [...ptx.kernels].map(
    ([name, { params, paramBytes, usesGridSync, usesPrintf, usesHeap, clusterBlocks, regions }]) => [
      name,
      {
        params,
        paramBytes,
        usesGridSync,
        usesPrintf,
        usesHeap,
        usesClusters: ptx.usesClusters,
        clusterBlocks,
        regions,
      },
    ],
  );
}

function cacheKey(
  generator: string,
  { programs, target, driverVersion, format }: Omit<CompileRequest<unknown>, "factsOf">,
): string {
  const { window } = target;
  const parts = [
    format,
    generator,
    driverVersion,
    target.computeCapability,
    target.ptxVersion,
    window === null ? null : [window.windowBase.toString(), window.variablesBase, window.constantsBase],
    target.lineInfo,
    programs.map((program) => [textOf(program), program.options]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
