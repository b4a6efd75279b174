/** What statements bind, and whether they return: found in the syntax, before anything is evaluated. */
import type { Expression, Statement } from "../syntax/ast.ts";

function targets(target: Expression): string[] {
  if (target.kind === "name") return [target.id];
  if (target.kind === "tuple" || target.kind === "list") return target.items.flatMap(targets);
  return target.kind === "starred" ? targets(target.value) : [];
}

/** Names that `global` statements declare in functions. */
export function namesThatFunctionsChange(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement): readonly string[] => {
    switch (statement.kind) {
      case "function":
        return namesThatFunctionsChange(statement.body);
      case "if":
        return namesThatFunctionsChange([...statement.then, ...statement.otherwise]);
      case "try":
        return namesThatFunctionsChange([...statement.body, ...statement.handler, ...statement.otherwise]);
      case "unsupported":
        return statement.what === "a `global` statement" ? statement.binds : [];
      default:
        return [];
    }
  });
}

export function assignedNames(statements: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  const visit = (statement: Statement): void => {
    switch (statement.kind) {
      case "assign":
        for (const target of statement.targets) targets(target).forEach((name) => names.add(name));
        break;
      case "augmented-assign":
      case "annotated-assign":
        targets(statement.target).forEach((name) => names.add(name));
        break;
      case "for":
        targets(statement.target).forEach((name) => names.add(name));
        statement.body.forEach(visit);
        break;
      case "while":
        statement.body.forEach(visit);
        break;
      case "if":
        [...statement.then, ...statement.otherwise].forEach(visit);
        break;
      default:
    }
  };
  statements.forEach(visit);
  return names;
}

export function containsReturn(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    switch (statement.kind) {
      case "return":
        return true;
      case "if":
        return containsReturn(statement.then) || containsReturn(statement.otherwise);
      case "for":
      case "while":
        return containsReturn(statement.body);
      default:
        return false;
    }
  });
}
