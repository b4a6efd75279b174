/** What the parts of the evaluator (expressions, statements, control flow) need of it. */
import type { SourceLocation } from "../../../base/diagnostics.ts";
import type { CompileContext } from "../language/context.ts";
import type { Scope, Value } from "../language/values.ts";
import type { Expression, Span, Statement } from "../syntax/ast.ts";
import type { CallPlace, SourceText } from "../syntax/source-text.ts";

/** The function that is being expanded. */
export interface Frame {
  readonly source: SourceText;
  readonly name: string;
  readonly caller: CallPlace | null;
  /** Where its caller's code is, for the places of its operations. */
  readonly inlinedAt: SourceLocation | null;
  readonly depth: number;
  /** How many run-time loops of it are open: no `return` may leave them. */
  loops: number;
}

export interface Evaluation extends CompileContext {
  frame: Frame;
  /** The expression or statement that is being evaluated. */
  span: Span;
  /** Operations can be appended; else this is module level. */
  readonly isInKernel: boolean;
  /** Tells what a name of the source is bound to from here on, for those who watch the kernel run. */
  noteName(name: string, value: Value): void;
  lookup(name: string, scope: Scope): Value;
  /** Evaluates what a statement of a module says, also in the middle of a kernel that needs it. */
  atModuleLevel<T>(frame: Frame, span: Span, evaluate: () => T): T;
  evaluate(expression: Expression, scope: Scope): Value;
  /** What the statements return, or null where they go on behind their end. */
  run(statements: readonly Statement[], scope: Scope): Value | null;
}
