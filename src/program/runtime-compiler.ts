/** Compiles device code while a host program runs, and the program waits: what NVRTC's functions ask for. */
import type { DataModel } from "../base/data-model.ts";
import type { TextProgram } from "./device-program.ts";

export interface RuntimeSource {
  /** As the program calls it, for messages. */
  readonly name: string;
  readonly text: string;
  /** By the name that an #include has. */
  readonly headers: Readonly<Record<string, string>>;
  /** As NVRTC takes them: --gpu-architecture=sm_80. */
  readonly options: readonly string[];
  /** Kernels and variables by their C++ names. */
  readonly expressions: readonly string[];
  /** That of the host program. */
  readonly model: DataModel["name"];
}

export interface RuntimeCode {
  readonly status: "compiled" | "rejected" | "bad-option" | "bad-expression";
  /** What the compiler says, errors and warnings. */
  readonly log: string;
  /** null: the source was rejected. */
  readonly program: TextProgram | null;
  /** The program in PTX. */
  readonly ptx: string;
  /** Expressions, and the names in the code. */
  readonly names: readonly (readonly [expression: string, name: string])[];
}

/** Returns when the code is compiled. */
export type RuntimeCompiler = (source: RuntimeSource) => RuntimeCode;
