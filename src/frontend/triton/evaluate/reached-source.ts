/**
 * The statements of a file, and of those that it imports, that the code of a kernel can depend on: the kernel's own
 * definition, and whatever binds a name that such a statement has. Found in the syntax alone, so it may be too much,
 * and is never too little.
 */
import type { FunctionValue } from "../language/values.ts";
import type { Expression, Statement } from "../syntax/ast.ts";
import type { SourceText } from "../syntax/source-text.ts";
import { assignedNames, namesThatFunctionsChange } from "./assigned-names.ts";

/** A file as a module has read it. */
export interface ModuleFile {
  readonly source: SourceText;
  readonly statements: readonly Statement[];
  /** Another file, by its name as imported; null: no file of the user's. */
  readonly imported: (path: string) => ModuleFile | null;
}

/** A statement with its lines. */
export interface ReachedStatement {
  readonly file: string;
  readonly line: number;
  readonly endLine: number;
  readonly text: string;
}

/**
 * In an order that depends on these statements alone. null: a root is no function of a file's module level, and values
 * that it has closed over are not in the text.
 */
export function reachedSource(
  files: ReadonlyMap<SourceText, ModuleFile>,
  roots: readonly FunctionValue[],
): readonly ReachedStatement[] | null {
  const reach = new Reach();
  for (const root of roots) {
    const file = files.get(root.source);
    if (file === undefined) continue; // a function of the library
    if (root.definition.kind !== "function" || !definitions(file.statements).includes(root.definition)) return null;
    reach.name(file, root.definition.name);
  }
  return reach.found;
}

class Reach {
  readonly found: ReachedStatement[] = [];
  readonly #statements = new Set<Statement>();
  readonly #files = new Map<ModuleFile, ReadonlyMap<string, readonly Statement[]>>();

  name(file: ModuleFile, name: string): void {
    const bindings = this.#bindings(file);
    for (const statement of [...(bindings.get(name) ?? []), ...(bindings.get("*") ?? [])]) {
      if (statement.kind === "import" || statement.kind === "import-from") this.#import(file, statement, name);
      this.#visit(file, statement);
    }
  }

  whole(file: ModuleFile): void {
    this.#bindings(file);
    for (const statement of file.statements) {
      if (statement.kind === "import" || statement.kind === "import-from") this.#import(file, statement, null);
      this.#visit(file, statement);
    }
  }

  #visit(file: ModuleFile, statement: Statement): void {
    if (this.#statements.has(statement)) return;
    this.#statements.add(statement);
    this.#add(file, statement);
    this.#names(
      file,
      statement.kind === "function" ? { ...statement, decorators: keptDecorators(statement) } : statement,
    );
  }

  #add({ source }: ModuleFile, statement: Statement): void {
    const lines = (span: Statement["span"]): string => source.lines.slice(span.line - 1, span.endLine).join("\n");
    const decorators = statement.kind === "function" ? keptDecorators(statement).map(({ span }) => lines(span)) : [];
    const { line, endLine } = statement.span;
    this.found.push({ file: source.file, line, endLine, text: [...decorators, lines(statement.span)].join("\n") });
  }

  /** @param name what is imported; null: all of it. */
  #import(
    file: ModuleFile,
    statement: Extract<Statement, { kind: "import" | "import-from" }>,
    name: string | null,
  ): void {
    for (const each of statement.names) {
      if (name !== null && name !== (each.alias ?? ("path" in each ? each.path.split(".")[0] : each.name)))
        if (!("name" in each) || each.name !== "*") continue;
      if (statement.kind === "import") {
        this.#wholeOf(file.imported((each as { readonly path: string }).path));
        continue;
      }
      const from = file.imported(statement.path);
      const own = (each as { readonly name: string }).name;
      if (own === "*") this.#wholeOf(from);
      else if (from !== null && this.#bindings(from).has(own)) this.name(from, own);
      else
        this.#wholeOf(file.imported(statement.path.endsWith(".") ? statement.path + own : `${statement.path}.${own}`));
    }
  }

  readonly #whole = new Set<ModuleFile>();

  #wholeOf(file: ModuleFile | null): void {
    if (file === null || this.#whole.has(file)) return;
    this.#whole.add(file);
    this.whole(file);
  }

  /** Follows every name in a part of the syntax. */
  #names(file: ModuleFile, part: unknown): void {
    if (part === null || typeof part !== "object") return;
    if (Array.isArray(part)) {
      for (const item of part) this.#names(file, item);
      return;
    }
    const node = part as { readonly kind?: string; readonly id?: string; readonly binds?: readonly string[] };
    if (node.kind === "name") this.name(file, node.id as string);
    // An import inside of a statement: in a function, under a condition.
    if (node.kind === "import" || node.kind === "import-from") this.#import(file, node as never, null);
    for (const [key, value] of Object.entries(node)) if (key !== "span") this.#names(file, value);
  }

  #bindings(file: ModuleFile): ReadonlyMap<string, readonly Statement[]> {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const bindings = new Map<string, Statement[]>();
    for (const statement of file.statements)
      for (const name of boundNames(statement)) {
        const of = bindings.get(name);
        if (of === undefined) bindings.set(name, [statement]);
        else of.push(statement);
      }
    this.#files.set(file, bindings);
    // A name that any function of the file changes is unknown to all.
    const changed = namesThatFunctionsChange(file.statements).sort().join(" ");
    this.found.push({ file: file.source.file, line: 0, endLine: 0, text: `global ${changed}` });
    return bindings;
  }
}

const DECORATORS_OF_VALUES: ReadonlySet<string> = new Set(["autotune", "heuristics"]);

/** Decorators whose effect is not among the values that a kernel is compiled for. */
function keptDecorators({ decorators }: Extract<Statement, { kind: "function" }>): readonly Expression[] {
  return decorators.filter((decorator) => {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    if (callee.kind === "attribute") return !DECORATORS_OF_VALUES.has(callee.name);
    return callee.kind !== "name" || !DECORATORS_OF_VALUES.has(callee.id);
  });
}

function definitions(statements: readonly Statement[]): Statement[] {
  return statements.flatMap((statement) => {
    if (statement.kind === "function") return [statement];
    if (statement.kind === "if") return definitions([...statement.then, ...statement.otherwise]);
    if (statement.kind !== "try") return [];
    return definitions([...statement.body, ...statement.handler, ...statement.otherwise]);
  });
}

function boundNames(statement: Statement): Set<string> {
  switch (statement.kind) {
    case "function":
      return new Set([statement.name]);
    case "import":
      return new Set(statement.names.map(({ path, alias }) => alias ?? (path.split(".")[0] as string)));
    case "import-from":
      return new Set(statement.names.map(({ name, alias }) => alias ?? name));
    case "if":
      return new Set([...statement.then, ...statement.otherwise].flatMap((inner) => [...boundNames(inner)]));
    case "try":
      return new Set(
        [...statement.body, ...statement.handler, ...statement.otherwise].flatMap((inner) => [...boundNames(inner)]),
      );
    case "unsupported":
      return new Set(statement.binds);
    default:
      return assignedNames([statement]);
  }
}
