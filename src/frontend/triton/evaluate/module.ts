/**
 * The module level of a file: its names, evaluated when something needs them. What cannot be evaluated (classes, calls
 * of torch, host functions) is an unknown value, and an error only where a kernel uses it.
 */
import { bug } from "../../../base/diagnostics.ts";
import { HELPERS } from "../language/builtins/helpers.ts";
import { printFunction, pythonRange } from "../language/builtins/tools.ts";
import { LIBRARY_SOURCE } from "../language/library.ts";
import { PYTHON_FUNCTIONS, isKnownModule, languageFunctions, moduleAttribute } from "../language/modules.ts";
import { NONE, Scope, stringValue, truthOf, type FunctionValue, type Value } from "../language/values.ts";
import type { Expression, FunctionDefinition, Statement } from "../syntax/ast.ts";
import { parseSource } from "../syntax/parse.ts";
import { SourceText, sourceError } from "../syntax/source-text.ts";
import { assignedNames, namesThatFunctionsChange } from "./assigned-names.ts";
import { attribute } from "./attributes.ts";
import { Evaluator } from "./evaluator.ts";
import type { Evaluation } from "./evaluation.ts";
import { bindTarget, evaluateExpression } from "./expressions.ts";
import type { ModuleFile } from "./reached-source.ts";

/** A file whose kernels can be compiled. */
export interface PythonModule {
  readonly source: SourceText;
  readonly evaluator: Evaluator;
  readonly globals: Scope;
  /** Functions with @triton.jit, in the order of the file: those that could be kernels. */
  readonly functions: ReadonlyMap<string, FunctionValue>;
  /** The file, and those that it has imported by now. */
  readonly files: ReadonlyMap<SourceText, ModuleFile>;
  readonly options: ModuleOptions;
}

let library: Scope | null = null;

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The functions in Python, and all that they use. Made once. */
function libraryScope(): Scope {
  if (library !== null) return library;
  const scope = new Scope(null, true);
  library = scope;
  for (const [name, value] of languageFunctions()) scope.set(name, value);
  for (const helper of HELPERS) scope.set(helper.name, helper);
  // It is parsed when something needs it: few kernels do.
  const inner = once((): Scope => {
    const source = new SourceText("triton/language", LIBRARY_SOURCE, true);
    const own = new Scope(scope, true);
    bindStatements(new Evaluator(source, scope), parseSource(source), own);
    return own;
  });
  // `max` of the library is tl.max: Python's own functions are not among its names.
  for (const [, name = ""] of LIBRARY_SOURCE.matchAll(/^(?:def +)?([A-Za-z_]\w*) *[(=]/gm))
    scope.set(name, () => inner().get(name) ?? bug(`the library has no ${name}`));
  scope.set("range", pythonRange);
  return scope;
}

/**
 * The text of a module that a file imports, by its name as imported (`helpers`, `.utils`, `a.b`), or null.
 * @param from the file with the import
 */
export type ImportSource = (path: string, from: SourceText) => SourceText | null;

const NO_IMPORTS: ImportSource = () => null;

export interface ModuleOptions {
  /** What os.environ has; default: nothing. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Python expressions for names at module level, whatever the files say: `{ IS_HOPPER: "False" }`. */
  readonly globals?: Readonly<Record<string, string>>;
  /** Values of names around the file: who runs Python itself has them. */
  readonly values?: ReadonlyMap<string, NamedValue>;
}

export type NamedValue = (c: Evaluation) => Value;

/** Decorators of files that are one function of a running Python. */
const FUNCTION_DECORATORS = { __jit__: "jit", __constexpr_function__: "constexpr_function" } as const;

/** @throws HeddleError "compile-error" for what is no Python */
export function openModule(
  source: SourceText,
  importSource: ImportSource = NO_IMPORTS,
  { environment = {}, globals: given = {}, values = new Map() }: ModuleOptions = {},
): PythonModule {
  const variables = new Map(Object.entries(environment));
  const own = new Scope(null, true);
  for (const fn of PYTHON_FUNCTIONS) own.set(fn.name, fn);
  own.set("print", printFunction);
  own.set("range", pythonRange);
  own.set("__name__", stringValue("kernels"));
  const opened = new Map<string, { readonly scope: Scope; readonly file: ModuleFile }>();
  const files = new Map<SourceText, ModuleFile>();
  const open = (file: SourceText): { evaluator: Evaluator; scope: Scope } => {
    const scope = new Scope(own, true);
    const statements = parseSource(file);
    const importedFile = (path: string): { readonly scope: Scope; readonly file: ModuleFile } | null => {
      const imported = isKnownModule(path) ? null : importSource(path, file);
      if (imported === null) return null;
      if (!opened.has(imported.file)) open(imported);
      return opened.get(imported.file) ?? null;
    };
    const importFile: ImportFile = (path) => importedFile(path)?.scope ?? null;
    const known: ModuleFile = { source: file, statements, imported: (path) => importedFile(path)?.file ?? null };
    opened.set(file.file, { scope, file: known });
    files.set(file, known);
    const evaluator = new Evaluator(file, libraryScope(), {
      environment: variables,
      moduleNamed: (path) => moduleNamed(path, importFile),
    });
    for (const [name, decorator] of Object.entries(FUNCTION_DECORATORS))
      own.set(name, () => moduleAttribute(evaluator, "triton", decorator) ?? NONE);
    for (const [name, value] of values) own.set(name, () => value(evaluator));
    bindStatements(evaluator, statements, scope, importFile);
    // When a function changes a name is not known: the module level is evaluated as far as kernels need it.
    for (const name of namesThatFunctionsChange(statements))
      scope.set(name, evaluator.unknown(`${name}, which a function changes,`));
    for (const [name, expression] of Object.entries(given))
      if (scope.names().includes(name)) bindGiven(evaluator, name, expression, scope);
    return { evaluator, scope };
  };
  const { evaluator, scope: globals } = open(source);
  const functions = new Map<string, FunctionValue>();
  for (const name of globals.names()) {
    const value = valueOrNull(globals, name);
    if (value?.kind === "function" && value.isJit && value.source === source) functions.set(name, value);
  }
  return { source, evaluator, globals, functions, files, options: { environment, globals: given } };
}

/** The expression is Python in the file's own scope. */
function bindGiven(c: Evaluator, name: string, expression: string, scope: Scope): void {
  const source = new SourceText(`the value of ${name}`, expression);
  const [statement] = parseSource(source);
  if (statement?.kind !== "expression")
    throw sourceError(source, { line: 1, column: 1, endLine: 1, endColumn: 2 }, `${name} needs an expression`);
  scope.set(name, () =>
    c.atModuleLevel({ ...c.frame, source }, statement.span, () => evaluateExpression(c, statement.value, scope)),
  );
}

/** Null: evaluating it fails, which is an error only if a kernel uses it. */
function valueOrNull(scope: Scope, name: string): Value | null {
  try {
    return scope.get(name);
  } catch (error) {
    if ((error as { readonly name?: string }).name !== "HeddleError") throw error;
    return null;
  }
}

type ImportFile = (path: string) => Scope | null;

function bindStatements(
  c: Evaluator,
  statements: readonly Statement[],
  scope: Scope,
  importFile: ImportFile = () => null,
): void {
  for (const statement of statements) bindStatement(c, statement, scope, importFile);
}

function bindStatement(c: Evaluator, statement: Statement, scope: Scope, importFile: ImportFile): void {
  const { frame } = c;
  /** Evaluates at the statement's own place, whoever needs the value first. */
  const later = (evaluate: () => Value) => (): Value => c.atModuleLevel(frame, statement.span, evaluate);
  const unknown = (what: string) => later(() => c.unknown(what));
  switch (statement.kind) {
    case "function":
      scope.set(
        statement.name,
        later(() => decorated(c, statement, scope)),
      );
      return;
    case "assign":
    case "annotated-assign": {
      const { value } = statement;
      if (value === null) return;
      const targets = statement.kind === "assign" ? statement.targets : [statement.target];
      for (const target of targets) {
        if (target.kind === "name") {
          const previous = valueThunk(scope, target.id);
          scope.set(
            target.id,
            later(() => evaluateExpression(c, value, withPrevious(scope, target.id, previous))),
          );
          continue;
        }
        for (const name of assignedNames([statement]))
          scope.set(
            name,
            later(() => {
              const parts = new Scope(scope);
              bindTarget(c, target, evaluateExpression(c, value, scope), parts);
              return parts.get(name) ?? c.unknown(name);
            }),
          );
      }
      return;
    }
    case "import":
      for (const { path, alias } of statement.names) {
        const root = path.split(".")[0] as string;
        const name = alias ?? root;
        const module = alias === null ? root : path;
        scope.set(
          name,
          later(() => moduleNamed(module, importFile) ?? c.unknown(`the module ${module}`)),
        );
      }
      return;
    case "import-from":
      importNames(c, statement, scope, importFile, later);
      return;
    case "if":
      bindIf(c, statement, scope, importFile);
      return;
    case "try":
      bindTry(c, statement, scope, importFile);
      return;
    case "for":
    case "while":
    case "augmented-assign":
      for (const name of assignedNames([statement]))
        scope.set(name, unknown(`${name}, which a statement at module level changes,`));
      return;
    case "unsupported":
      for (const name of statement.binds) scope.set(name, unknown(`${statement.what.replace(/^a /, "the ")} ${name}`));
      return;
    default:
  }
}

/** The value that a name had before: `f = triton.jit(f)`. */
function valueThunk(scope: Scope, name: string): (() => Value | null) | null {
  return scope.names().includes(name) ? scope.taken(name) : null;
}

function withPrevious(scope: Scope, name: string, previous: (() => Value | null) | null): Scope {
  const value = previous?.() ?? null;
  if (value === null) return scope;
  const inner = new Scope(scope, true);
  inner.set(name, value);
  return inner;
}

function decorated(c: Evaluator, definition: FunctionDefinition, scope: Scope): Value {
  let value: Value = {
    kind: "function",
    name: definition.name,
    definition,
    source: c.frame.source,
    globals: scope,
    isJit: false,
    decorators: [],
  };
  for (const decorator of definition.decorators.toReversed()) {
    const fn = decoratorOf(c, decorator, scope);
    // A decorator of someone else's: what it makes of the function is unknown.
    if (fn.kind === "unknown") {
      if (value.kind === "function" && value.isJit) continue;
      return c.unknown(`the function ${definition.name}, decorated with ${fn.what},`);
    }
    c.span = decorator.span;
    value = c.call(fn, [value]);
  }
  return value;
}

/** Arguments that cannot be evaluated here are unknown: who runs Python itself has no need of them. */
function decoratorOf(c: Evaluator, decorator: Expression, scope: Scope): Value {
  try {
    return evaluateExpression(c, decorator, scope);
  } catch (error) {
    if ((error as { readonly name?: string }).name !== "HeddleError" || decorator.kind !== "call") throw error;
    const callee = evaluateExpression(c, decorator.callee, scope);
    if (callee.kind !== "builtin") throw error;
    const [summary = ""] = (error as Error).message.split("\n");
    const unknown = c.unknown(`what fails here: ${summary}`);
    if (callee.name === "autotune") return { kind: "decorator", name: "autotune", args: { configs: unknown } };
    if (callee.name === "heuristics") return { kind: "decorator", name: "heuristics", args: { values: unknown } };
    throw error;
  }
}

function importNames(
  c: Evaluator,
  { path, names }: Extract<Statement, { kind: "import-from" }>,
  scope: Scope,
  importFile: ImportFile,
  later: (evaluate: () => Value) => () => Value,
): void {
  for (const { name, alias } of names) {
    if (name === "*") {
      const file = importFile(path);
      for (const own of file?.names() ?? [])
        if (!own.startsWith("_"))
          scope.set(
            own,
            later(() => file?.get(own) ?? c.unknown(own)),
          );
      continue;
    }
    scope.set(
      alias ?? name,
      later(() => {
        const inner = path.endsWith(".") ? `${path}${name}` : `${path}.${name}`;
        const found = importFile(path)?.get(name) ?? null;
        if (found !== null && found.kind !== "unknown") return found;
        if (isKnownModule(path)) {
          const known = isKnownModule(inner)
            ? moduleAttribute(c, path, name)
            : attribute(c, { kind: "module", path }, name);
          if (known !== null && known.kind !== "unknown") return known;
        }
        const module = moduleNamed(inner, importFile);
        if (module !== null) return module;
        return found ?? c.unknown(`${name} of the module ${path}`);
      }),
    );
  }
}

function moduleNamed(path: string, importFile: ImportFile): Value | null {
  if (isKnownModule(path)) return { kind: "module", path };
  const scope = importFile(path);
  return scope === null ? null : { kind: "module", path, scope };
}

/** Both branches' names are unknown where the condition is. */
function bindIf(
  c: Evaluator,
  statement: Extract<Statement, { kind: "if" }>,
  scope: Scope,
  importFile: ImportFile,
): void {
  const { frame } = c;
  const truth = c.atModuleLevel(frame, statement.span, () => {
    try {
      return truthOf(evaluateExpression(c, statement.test, scope));
    } catch (error) {
      if ((error as { readonly name?: string }).name !== "HeddleError") throw error;
      return null;
    }
  });
  if (truth !== null) {
    bindStatements(c, truth ? statement.then : statement.otherwise, scope, importFile);
    return;
  }
  const both = new Scope(null, true);
  bindStatements(c, [...statement.then, ...statement.otherwise], both, importFile);
  for (const name of both.names())
    scope.set(name, () =>
      c.atModuleLevel(frame, statement.span, () => c.unknown(`${name}, which depends on a condition at module level,`)),
    );
}

/** An import that fails is what `try` at module level is for: the handler's names hold then. */
function bindTry(
  c: Evaluator,
  statement: Extract<Statement, { kind: "try" }>,
  scope: Scope,
  importFile: ImportFile,
): void {
  const fails = statement.body.some(
    (inner) =>
      (inner.kind === "import" && inner.names.some(({ path }) => !isKnownModule(path))) ||
      (inner.kind === "import-from" && !isKnownModule(inner.path) && importFile(inner.path) === null),
  );
  bindStatements(c, statement.body, scope, importFile);
  if (fails) bindStatements(c, statement.handler, scope, importFile);
  bindStatements(c, statement.otherwise, scope, importFile);
}
