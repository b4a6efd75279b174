/** A module in PTX as its parser delivers it (PTX ISA 8.5, chapters 4, 5 and 11). Names of registers are resolved. */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { PtxInstruction, PtxOperand, PtxRegister } from "../../ir/inline-ptx/syntax.ts";

export type PtxSpace = "global" | "const" | "shared" | "local" | "param";

export type PtxInitializer =
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly width: 32 | 64; readonly bits: bigint }
  /** The address of a variable or a function and a distance; `generic(x)` is the same here. `byte`: mask(x). */
  | { readonly kind: "address"; readonly name: string; readonly offset: bigint; readonly byte: number | null }
  | { readonly kind: "list"; readonly elements: readonly PtxInitializer[] };

export interface PtxVariable {
  readonly name: string;
  readonly space: PtxSpace;
  /** b8, f32 … without its dot */
  readonly type: string;
  /** The product of its extents; null: no array. 0: of no stated length. */
  readonly length: number | null;
  /** null: that of its type. */
  readonly align: number | null;
  readonly initializer: PtxInitializer | null;
  readonly linkage: PtxLinkage;
  readonly isManaged: boolean;
  readonly at: number;
}

export type PtxLinkage = "internal" | "visible" | "extern" | "weak" | "common";

/** A parameter, or a result: in the parameter space, or a register. */
export interface PtxParameter {
  readonly variable: PtxVariable;
  readonly register: PtxRegister | null;
}

export interface PtxSignature {
  readonly results: readonly PtxParameter[];
  readonly params: readonly PtxParameter[];
}

/** An instruction with its place. */
export interface PtxStatement extends PtxInstruction {
  readonly at: number;
  /** Of the source, as .loc says, or of the text. */
  readonly location: SourceLocation;
  /** Of a call alone; its operand is what is called. */
  readonly call: PtxCallParts | null;
}

export interface PtxCallParts {
  readonly results: readonly PtxOperand[];
  readonly args: readonly PtxOperand[];
  /** Of a call through a register. */
  readonly prototype: string | null;
}

export interface PtxFunction extends PtxSignature {
  readonly name: string;
  readonly isEntry: boolean;
  readonly linkage: PtxLinkage;
  /** null: a declaration */
  readonly body: PtxBody | null;
  /** maxntid, reqntid, minnctapersm …: their numbers. */
  readonly directives: ReadonlyMap<string, readonly number[]>;
  readonly at: number;
}

export interface PtxBody {
  readonly statements: readonly (PtxStatement | PtxLabel)[];
  readonly registers: readonly PtxRegister[];
  readonly variables: readonly PtxVariable[];
  readonly prototypes: ReadonlyMap<string, PtxSignature>;
  /** Lists of labels for brx.idx. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

export interface PtxLabel {
  readonly kind: "label";
  readonly name: string;
}

export interface PtxModuleSyntax {
  readonly version: { readonly major: number; readonly minor: number };
  /** sm_80, debug … */
  readonly target: readonly string[];
  readonly addressBits: 32 | 64;
  readonly variables: readonly PtxVariable[];
  readonly functions: readonly PtxFunction[];
  readonly aliases: ReadonlyMap<string, string>;
}
