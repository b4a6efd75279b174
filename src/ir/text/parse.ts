/**
 * Reads textual LLVM IR into the model of ir.ts (LangRef, "Module Structure").
 *
 * Two sweeps. The first reads the top level: types, declarations, signatures, attribute groups and the places of
 * metadata, and passes over function bodies and initializers. The second reads those, when every symbol is known.
 * `parseModuleLazily` leaves the bodies for later: a device library of a thousand functions costs what the few that are
 * called cost.
 */
import type { IrFunction, IrModule } from "../model/ir.ts";
import { Parser } from "./parser.ts";
import { bug } from "../../base/diagnostics.ts";
import { ModuleReader } from "./module-reader.ts";

/** A module whose function bodies are parsed one at a time, when asked for. */
export interface LazyModule {
  /** Its functions have no blocks until they are materialized. Globals and their initializers are complete. */
  readonly module: IrModule;
  /** Whether the text has a body for this function. */
  hasBody(name: string): boolean;
  /** Parses the body of a function (at most once) and returns the function. */
  materialize(name: string): IrFunction;
}

/** Throws HeddleError("invalid-ir") with line and column in `sourceName`. */
export function parseModule(text: string, sourceName: string): IrModule {
  const lazy = parseModuleLazily(text, sourceName);
  for (const name of lazy.module.functions.keys()) if (lazy.hasBody(name)) lazy.materialize(name);
  return lazy.module;
}

export function parseModuleLazily(text: string, sourceName: string): LazyModule {
  const module: IrModule = {
    kind: "module",
    sourceFile: sourceName,
    triple: "",
    dataLayout: "",
    structTypes: new Map(),
    globals: new Map(),
    functions: new Map(),
    aliases: new Map(),
  };
  const reader = new ModuleReader(new Parser(text, sourceName, module));
  reader.readTopLevel();
  return {
    module,
    hasBody: (name) => reader.bodies.has(name),
    materialize: (name) => {
      const fn = module.functions.get(name) ?? bug(`there is no function @${name} to materialize`);
      if (fn.blocks.length === 0) reader.readBody(fn);
      return fn;
    },
  };
}
