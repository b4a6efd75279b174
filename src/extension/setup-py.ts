/**
 * The extensions that a setup.py declares. The file is read as Python and followed as far as its lists of sources
 * depend on it: names, lists, paths, globs, conditions, functions of its own. Whatever else it does is unknown, and
 * changes nothing.
 */
import { parseSource } from "../frontend/triton/syntax/parse.ts";
import type { Call, Comprehension, Expression, FunctionDefinition, Statement } from "../frontend/triton/syntax/ast.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import {
  CONSTANTS,
  Imported,
  joinPath,
  memberOf,
  moduleFunctions,
  strings,
  truthOf,
  Unknown,
  UNKNOWN,
  type Callable,
  type SetupFiles,
  type SetupValue,
} from "./setup-functions.ts";

/** What CUDAExtension or CppExtension was called with. */
export interface DeclaredExtension {
  readonly name: string;
  readonly sources: readonly string[];
  readonly includeFolders: readonly string[];
  /** Flags for g++ and for nvcc. */
  readonly flags: { readonly cxx: readonly string[]; readonly nvcc: readonly string[] };
  readonly defines: readonly string[];
}

/** Thrown to leave a function. */
class Returned {
  readonly value: SetupValue;
  constructor(value: SetupValue) {
    this.value = value;
  }
}
type Scope = Map<string, SetupValue>;
/** Iterations of all loops together. */
const MOST_STEPS = 100_000;

/** @throws HeddleError "compile-error" where the file is no Python */
export function declaredExtensions(text: string, folder: string, files: SetupFiles): DeclaredExtension[] {
  const run = new SetupRun(folder, files);
  run.file(text, joinPath(folder, "setup.py"));
  return run.found.map((one) => ({ ...one, includeFolders: [...one.includeFolders, ...run.includeFolders] }));
}

class SetupRun {
  readonly found: DeclaredExtension[] = [];
  /** Of `setup` itself, for all extensions. */
  readonly includeFolders: string[] = [];
  readonly #files: SetupFiles;
  readonly #functions: Readonly<Record<string, Callable>>;
  readonly #globals: Scope = new Map();
  #steps = 0;

  constructor(folder: string, files: SetupFiles) {
    this.#files = files;
    this.#functions = moduleFunctions(files, folder);
  }

  file(text: string, path: string): void {
    this.#globals.set("__file__", path);
    this.#globals.set("__name__", "__main__");
    this.#block(parseSource(new SourceText("setup.py", text)), this.#globals);
  }

  #block(statements: readonly Statement[], scope: Scope): void {
    for (const statement of statements) this.#statement(statement, scope);
  }

  #statement(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case "import":
        for (const { path, alias } of statement.names) {
          const first = path.split(".")[0] as string;
          scope.set(alias ?? first, new Imported(alias === null ? first : path));
        }
        return;
      case "import-from":
        for (const { name, alias } of statement.names)
          scope.set(alias ?? name, this.#attribute(new Imported(statement.path), name));
        return;
      case "assign": {
        const value = this.#value(statement.value, scope);
        for (const target of statement.targets) this.#assign(target, value, scope);
        return;
      }
      case "annotated-assign":
        if (statement.value !== null) this.#assign(statement.target, this.#value(statement.value, scope), scope);
        return;
      case "augmented-assign": {
        const before = this.#value(statement.target, scope);
        const more = this.#value(statement.value, scope);
        // A list is changed where it is, as in Python.
        if (statement.operator === "+" && Array.isArray(before) && Array.isArray(more)) before.push(...more);
        else this.#assign(statement.target, combine(statement.operator, before, more), scope);
        return;
      }
      case "if": {
        const holds = truthOf(this.#value(statement.test, scope)) ?? false;
        this.#block(holds ? statement.then : statement.otherwise, scope);
        return;
      }
      case "for":
        for (const value of iterable(this.#value(statement.iterable, scope))) {
          if (this.#steps++ > MOST_STEPS) return;
          this.#assign(statement.target, value, scope);
          this.#block(statement.body, scope);
        }
        return;
      case "try":
        this.#block(statement.body, scope);
        return;
      case "function":
        scope.set(statement.name, this.#function(statement));
        return;
      case "return":
        throw new Returned(statement.value === null ? null : this.#value(statement.value, scope));
      case "expression":
        this.#value(statement.value, scope);
        return;
      default:
    }
  }

  #function({ params, body }: FunctionDefinition): Callable {
    return (args, keywords) => {
      const own: Scope = new Map(this.#globals);
      for (const [i, { name, default: otherwise }] of params.entries()) {
        const given = keywords.get(name) ?? args[i];
        own.set(name, given ?? (otherwise === null ? UNKNOWN : this.#value(otherwise, this.#globals)));
      }
      try {
        this.#block(body, own);
        return null;
      } catch (error) {
        if (error instanceof Returned) return error.value;
        throw error;
      }
    };
  }

  #assign(target: Expression, value: SetupValue, scope: Scope): void {
    if (target.kind === "name") scope.set(target.id, value);
    else if (target.kind === "tuple" || target.kind === "list")
      for (const [i, item] of target.items.entries())
        this.#assign(item, Array.isArray(value) ? (value[i] ?? UNKNOWN) : UNKNOWN, scope);
    else if (target.kind === "subscript") {
      const [object, key] = [this.#value(target.value, scope), this.#value(target.index, scope)];
      if (object instanceof Map && typeof key === "string") object.set(key, value);
    }
  }

  #value(expression: Expression, scope: Scope): SetupValue {
    switch (expression.kind) {
      case "string":
      case "constant":
      case "float":
        return expression.value;
      case "int":
        return Number(expression.value);
      case "name":
        return scope.get(expression.id) ?? this.#functions[expression.id] ?? UNKNOWN;
      case "attribute":
        return this.#attribute(this.#value(expression.value, scope), expression.name);
      case "tuple":
      case "list":
        return expression.items.flatMap((item) => {
          const value = this.#value(item.kind === "starred" ? item.value : item, scope);
          return item.kind === "starred" ? iterable(value) : [value];
        });
      case "dict":
        return new Map(
          expression.entries.map(({ key, value }) => [String(this.#value(key, scope)), this.#value(value, scope)]),
        );
      case "f-string": {
        const parts = expression.parts.map((part) => this.#value(part, scope));
        return parts.every((part) => typeof part === "string" || typeof part === "number") ? parts.join("") : UNKNOWN;
      }
      case "binary":
        return combine(expression.operator, this.#value(expression.left, scope), this.#value(expression.right, scope));
      case "unary": {
        const holds = truthOf(this.#value(expression.operand, scope));
        return expression.operator === "not" && holds !== null ? !holds : UNKNOWN;
      }
      case "bool-op":
        return this.#together(expression.operator, expression.values, scope);
      case "compare":
        return compared(expression, (one) => this.#value(one, scope));
      case "conditional": {
        const holds = truthOf(this.#value(expression.test, scope)) ?? false;
        return this.#value(holds ? expression.then : expression.otherwise, scope);
      }
      case "comprehension":
        return this.#comprehension(expression, scope);
      case "call":
        return this.#call(expression, scope);
      case "subscript":
        return indexed(this.#value(expression.value, scope), this.#value(expression.index, scope));
      case "lambda":
        return ([...args]) => {
          const own: Scope = new Map(scope);
          for (const [i, { name }] of expression.params.entries()) own.set(name, args[i] ?? UNKNOWN);
          return this.#value(expression.body, own);
        };
      default:
        return UNKNOWN;
    }
  }

  #attribute(value: SetupValue, name: string): SetupValue {
    if (!(value instanceof Imported)) return memberOf(value, name, this.#files);
    const path = `${value.path}.${name}`;
    return path in CONSTANTS ? (CONSTANTS[path] as SetupValue) : new Imported(path);
  }

  #together(operator: "and" | "or", values: readonly Expression[], scope: Scope): SetupValue {
    let last: SetupValue = UNKNOWN;
    for (const one of values) {
      last = this.#value(one, scope);
      const holds = truthOf(last);
      if (holds === null) return UNKNOWN;
      if (holds === (operator === "or")) return last;
    }
    return last;
  }

  #comprehension({ element, generators }: Comprehension, scope: Scope): SetupValue {
    const results: SetupValue[] = [];
    const own: Scope = new Map(scope);
    const from = (depth: number): void => {
      const generator = generators[depth];
      if (generator === undefined) {
        results.push(this.#value(element, own));
        return;
      }
      for (const value of iterable(this.#value(generator.iterable, own))) {
        this.#assign(generator.target, value, own);
        if (generator.conditions.every((condition) => truthOf(this.#value(condition, own)) === true)) from(depth + 1);
      }
    };
    from(0);
    return results;
  }

  #call({ callee, args, keywords }: Call, scope: Scope): SetupValue {
    const called = this.#value(callee, scope);
    const values = args.flatMap((arg) =>
      arg.kind === "starred" ? iterable(this.#value(arg.value, scope)) : [this.#value(arg, scope)],
    );
    const named = new Map<string, SetupValue>();
    for (const { name, value } of keywords) {
      const given = this.#value(value, scope);
      if (name !== null) named.set(name, given);
      else if (given instanceof Map) for (const [key, one] of given) named.set(key, one);
    }
    if (typeof called === "function") return called(values, named);
    if (!(called instanceof Imported)) return UNKNOWN;
    if (/(?:^|\.)setup$/.test(called.path)) this.includeFolders.push(...strings(named.get("include_dirs")));
    if (/(?:^|\.)(?:CUDAExtension|CppExtension)$/.test(called.path)) return this.#declare(values, named);
    return this.#functions[called.path]?.(values, named) ?? UNKNOWN;
  }

  #declare(args: readonly SetupValue[], keywords: ReadonlyMap<string, SetupValue>): SetupValue {
    const flags = keywords.get("extra_compile_args");
    const both = flags instanceof Map ? null : strings(flags);
    const macros = keywords.get("define_macros");
    this.found.push({
      name: strings(keywords.get("name") ?? args[0])[0] ?? "extension",
      sources: strings(keywords.get("sources") ?? args[1]),
      includeFolders: strings(keywords.get("include_dirs")),
      flags: {
        cxx: both ?? strings((flags as Map<string, SetupValue>).get("cxx")),
        nvcc: both ?? strings((flags as Map<string, SetupValue>).get("nvcc")),
      },
      defines: iterable(macros ?? []).map((macro) => {
        const [name, value] = iterable(macro);
        return value === null || value === undefined ? String(name) : `${String(name)}=${String(value)}`;
      }),
    });
    return new Imported("extension");
  }
}

function iterable(value: SetupValue): readonly SetupValue[] {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.keys()] : [];
}

function combine(operator: string, left: SetupValue, right: SetupValue): SetupValue {
  if (operator === "+") {
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    if (typeof left === "string" && typeof right === "string") return left + right;
    if (typeof left === "number" && typeof right === "number") return left + right;
    // What is known of two lists is more than nothing.
    if (Array.isArray(left) && right === UNKNOWN) return left;
    if (Array.isArray(right) && left === UNKNOWN) return right;
  }
  if (operator === "/" && typeof left === "string" && typeof right === "string") return joinPath(left, right);
  if (operator === "%" && typeof left === "string") {
    const values = Array.isArray(right) ? right : [right];
    let next = 0;
    return left.replaceAll(/%[sd]/g, () => String(values[next++] ?? ""));
  }
  return UNKNOWN;
}

function compared(
  { left, operators, rights }: Extract<Expression, { kind: "compare" }>,
  value: (expression: Expression) => SetupValue,
): SetupValue {
  const [a, operator, b] = [value(left), operators[0], value(rights[0] as Expression)];
  if (
    operators.length !== 1 ||
    a instanceof Unknown ||
    b instanceof Unknown ||
    a instanceof Imported ||
    b instanceof Imported
  )
    return UNKNOWN;
  const isIn = Array.isArray(b) ? b.includes(a) : typeof b === "string" && typeof a === "string" && b.includes(a);
  switch (operator) {
    case "==":
    case "is":
      return a === b;
    case "!=":
    case "is not":
      return a !== b;
    case "in":
      return isIn;
    case "not in":
      return !isIn;
    default:
      return ordered(a, operator as string, b);
  }
}

function ordered(a: SetupValue, operator: string, b: SetupValue): SetupValue {
  if (typeof a !== typeof b || !["string", "number"].includes(typeof a)) return UNKNOWN;
  const [x, y] = [a as number, b as number];
  if (operator === "<") return x < y;
  if (operator === "<=") return x <= y;
  return operator === ">" ? x > y : x >= y;
}

function indexed(value: SetupValue, index: SetupValue): SetupValue {
  if (value instanceof Map) return typeof index === "string" ? (value.get(index) ?? UNKNOWN) : UNKNOWN;
  if ((Array.isArray(value) || typeof value === "string") && typeof index === "number")
    return value.at(index) ?? UNKNOWN;
  return UNKNOWN;
}
