/**
 * Python's syntax, as far as files with kernels have it (Python 3.14 Language Reference; names as in its `ast`).
 * What no kernel file needs is an `unsupported` node, so that it is refused only where something depends on it.
 */

/** Lines and columns count from 1; the end is behind the last character. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

interface Node {
  readonly span: Span;
}

export type BinaryOperatorName = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "@" | "<<" | ">>" | "&" | "|" | "^";
export type UnaryOperatorName = "-" | "+" | "~" | "not";
export type CompareOperatorName = "==" | "!=" | "<" | "<=" | ">" | ">=" | "is" | "is not" | "in" | "not in";

export interface Name extends Node {
  readonly kind: "name";
  readonly id: string;
}
export interface IntLiteral extends Node {
  readonly kind: "int";
  readonly value: bigint;
}
export interface FloatLiteral extends Node {
  readonly kind: "float";
  readonly value: number;
}
export interface StringLiteral extends Node {
  readonly kind: "string";
  readonly value: string;
}
export interface ConstantName extends Node {
  readonly kind: "constant";
  readonly value: boolean | null;
}
export interface Attribute extends Node {
  readonly kind: "attribute";
  readonly value: Expression;
  readonly name: string;
}
export interface Subscript extends Node {
  readonly kind: "subscript";
  readonly value: Expression;
  readonly index: Expression;
}
export interface Slice extends Node {
  readonly kind: "slice";
  readonly lower: Expression | null;
  readonly upper: Expression | null;
  readonly step: Expression | null;
}
export interface Sequence extends Node {
  readonly kind: "tuple" | "list";
  readonly items: readonly Expression[];
}
export interface Dict extends Node {
  readonly kind: "dict";
  readonly entries: readonly { readonly key: Expression; readonly value: Expression }[];
}
export interface Call extends Node {
  readonly kind: "call";
  readonly callee: Expression;
  readonly args: readonly Expression[];
  /** `name` is null for `**values`. */
  readonly keywords: readonly { readonly name: string | null; readonly value: Expression }[];
}
export interface Starred extends Node {
  readonly kind: "starred";
  readonly value: Expression;
}
export interface Binary extends Node {
  readonly kind: "binary";
  readonly operator: BinaryOperatorName;
  readonly left: Expression;
  readonly right: Expression;
}
export interface Unary extends Node {
  readonly kind: "unary";
  readonly operator: UnaryOperatorName;
  readonly operand: Expression;
}
export interface BoolOperation extends Node {
  readonly kind: "bool-op";
  readonly operator: "and" | "or";
  readonly values: readonly Expression[];
}
export interface Compare extends Node {
  readonly kind: "compare";
  readonly left: Expression;
  readonly operators: readonly CompareOperatorName[];
  readonly rights: readonly Expression[];
}
export interface Conditional extends Node {
  readonly kind: "conditional";
  readonly test: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
}
export interface Lambda extends Node {
  readonly kind: "lambda";
  readonly params: readonly Param[];
  readonly body: Expression;
}
/** `[element for target in iterable if condition …]`, also the generator form. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly element: Expression;
  readonly generators: readonly {
    readonly target: Expression;
    readonly iterable: Expression;
    readonly conditions: readonly Expression[];
  }[];
}
export interface FormattedString extends Node {
  readonly kind: "f-string";
  readonly parts: readonly Expression[];
}
export interface UnsupportedNode extends Node {
  readonly kind: "unsupported";
  /** As a message names it: "a class", "a `with` statement". */
  readonly what: string;
}

export type Expression =
  | Name
  | IntLiteral
  | FloatLiteral
  | StringLiteral
  | ConstantName
  | Attribute
  | Subscript
  | Slice
  | Sequence
  | Dict
  | Call
  | Starred
  | Binary
  | Unary
  | BoolOperation
  | Compare
  | Conditional
  | Lambda
  | Comprehension
  | FormattedString
  | UnsupportedNode;

export interface Param extends Node {
  readonly name: string;
  readonly annotation: Expression | null;
  readonly default: Expression | null;
  /** `*args` and `**kwargs`. */
  readonly rest: "positional" | "keyword" | null;
}
export interface FunctionDefinition extends Node {
  readonly kind: "function";
  readonly name: string;
  readonly params: readonly Param[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}
export interface Return extends Node {
  readonly kind: "return";
  readonly value: Expression | null;
}
export interface Assign extends Node {
  readonly kind: "assign";
  readonly targets: readonly Expression[];
  readonly value: Expression;
}
export interface AugmentedAssign extends Node {
  readonly kind: "augmented-assign";
  readonly target: Expression;
  readonly operator: BinaryOperatorName;
  readonly value: Expression;
}
export interface AnnotatedAssign extends Node {
  readonly kind: "annotated-assign";
  readonly target: Expression;
  readonly annotation: Expression;
  readonly value: Expression | null;
}
export interface If extends Node {
  readonly kind: "if";
  readonly test: Expression;
  readonly then: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface For extends Node {
  readonly kind: "for";
  readonly target: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface While extends Node {
  readonly kind: "while";
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
export interface ExpressionStatement extends Node {
  readonly kind: "expression";
  readonly value: Expression;
}
export interface Pass extends Node {
  readonly kind: "pass";
}
export interface Assert extends Node {
  readonly kind: "assert";
  readonly test: Expression;
  readonly message: Expression | null;
}
export interface Import extends Node {
  readonly kind: "import";
  readonly names: readonly { readonly path: string; readonly alias: string | null }[];
}
export interface ImportFrom extends Node {
  readonly kind: "import-from";
  readonly path: string;
  readonly names: readonly { readonly name: string; readonly alias: string | null }[];
}
export interface Try extends Node {
  readonly kind: "try";
  readonly body: readonly Statement[];
  readonly handler: readonly Statement[];
  readonly otherwise: readonly Statement[];
}
/** Names that the statement may bind are known, so that a use of one of them can say what bound it. */
export interface UnsupportedStatement extends UnsupportedNode {
  readonly binds: readonly string[];
}

export type Statement =
  | FunctionDefinition
  | Return
  | Assign
  | AugmentedAssign
  | AnnotatedAssign
  | If
  | For
  | While
  | ExpressionStatement
  | Pass
  | Assert
  | Import
  | ImportFrom
  | Try
  | UnsupportedStatement;
