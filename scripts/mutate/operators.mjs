/**
 * Small changes of meaning that can be made in a source file: each replaces one stretch of its text. They are of the
 * kind that a person makes by mistake: a comparison off by one, the other sign, a condition turned round or forgotten,
 * a statement left out, the neighbouring instruction.
 */
import { parseAst } from "rolldown/parseAst";
import {
  ARITHMETIC,
  ASSIGNMENTS,
  CALLED_ON,
  COMPARISONS,
  EMITTED,
  LOGICAL,
  METHODS,
  OTHER_WORD,
} from "./neighbours.mjs";

/**
 * `text` takes the place of [start, end). `within`: the expression around it that can be replaced as a whole; `isKey`:
 * it is a property's name.
 * @typedef {{ start: number, end: number, text: string, operator: string,
 *   within: { start: number, end: number, isKey: boolean } }} Edit
 */

/** All edits of a file, in the order of the text. @returns {Edit[]} */
export function editsOf(source, file = "file.ts") {
  const finder = new Finder(source);
  finder.visit(parseAst(source, { lang: "ts" }, file), null);
  return finder.edits.sort((a, b) => a.start - b.start || a.operator.localeCompare(b.operator));
}

/** Texts for people: what they say is tested by what they name, if at all. */
const FOR_PEOPLE =
  /^(?:bug|unsupported|fail|HeddleError|CudaFailure|Error|Fault|note|report|describe\w*|format\w*|throw\w*)$/;
const TYPES = new Set(["typeAnnotation", "returnType", "typeParameters", "typeArguments"]);
const KEPT = /^(?:ImportDeclaration|ExportAllDeclaration|ThrowStatement)$/;

class Finder {
  edits = [];
  #source;
  /** The node that is visited, and those around it, outermost first. */
  #path = [];

  constructor(source) {
    this.#source = source;
  }

  visit(node, parent) {
    if (node.type.startsWith("TS") && node.type !== "TSAsExpression" && node.type !== "TSNonNullExpression") return;
    if (KEPT.test(node.type)) return;
    if (/^(?:Call|New)Expression$/.test(node.type) && FOR_PEOPLE.test(calleeName(node))) return;
    this.#path.push(node);
    VISITORS[node.type]?.(this, node, parent);
    for (const [key, value] of Object.entries(node)) {
      if (TYPES.has(key)) continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child === "object" && typeof child.type === "string") this.visit(child, node);
    }
    this.#path.pop();
  }

  add(operator, start, end, text) {
    const within = replaceable(this.#path);
    if (this.#source.slice(start, end) !== text && within !== null)
      this.edits.push({ operator, start, end, text, within });
  }

  text({ start, end }) {
    return this.#source.slice(start, end);
  }

  /** The operator between two operands. */
  between(operator, node, text) {
    const at = this.#source.indexOf(node.operator, node.left.end);
    if (at >= 0 && at + node.operator.length <= node.right.start)
      this.add(operator, at, at + node.operator.length, text);
  }

  /** One edit for each word of a text that has a neighbour. */
  words({ start, end }) {
    const whole = this.#source.slice(start, end);
    // Sentences are for people.
    if (/[a-z]{3,} [a-z]{2,} [a-z]{2,}/.test(whole.replace(/\$\{[^}]*\}/g, ""))) return;
    for (const { 0: word, index } of whole.matchAll(/[A-Za-z]+\d*/g)) {
      const other = OTHER_WORD.get(word);
      if (other !== undefined) this.add("word", start + index, start + index + word.length, other);
    }
  }
}

const VISITORS = {
  BinaryExpression(f, node) {
    const { operator } = node;
    if (COMPARISONS[operator] && !isTypeOf(node)) f.between("comparison", node, COMPARISONS[operator]);
    else if (ARITHMETIC[operator] && !(operator === "+" && isText(node)))
      f.between("arithmetic", node, ARITHMETIC[operator]);
  },
  LogicalExpression(f, node) {
    if (LOGICAL[node.operator]) f.between("logical", node, LOGICAL[node.operator]);
  },
  AssignmentExpression(f, node) {
    if (ASSIGNMENTS[node.operator] && !isText(node.right)) f.between("arithmetic", node, ASSIGNMENTS[node.operator]);
  },
  UpdateExpression(f, node) {
    const at = node.prefix ? node.start : node.end - 2;
    f.add("arithmetic", at, at + 2, node.operator === "++" ? "--" : "++");
  },
  UnaryExpression(f, node) {
    if (node.operator === "!") f.add("negation", node.start, node.start + 1, "");
    const isSign = (node.operator === "-" && node.argument.type !== "Literal") || node.operator === "~";
    if (isSign) f.add("arithmetic", node.start, node.start + 1, "+");
  },
  IfStatement(f, node) {
    const { test, consequent, alternate } = node;
    f.add("condition", test.start, test.end, `!(${f.text(test)})`);
    if (/^(?:Return|Continue|Break)Statement$/.test(consequent.type) && alternate === null)
      f.add("forgotten case", test.start, test.end, `false && (${f.text(test)})`);
  },
  ConditionalExpression(f, { test }) {
    f.add("condition", test.start, test.end, `!(${f.text(test)})`);
  },
  WhileStatement(f, { test }) {
    if (test.type !== "Literal") f.add("condition", test.start, test.end, `false && (${f.text(test)})`);
  },
  ExpressionStatement(f, { expression }, parent) {
    const isCall = expression.type === "CallExpression" && expression.callee.type !== "Super";
    const isAssignment = expression.type === "AssignmentExpression" && expression.operator === "=";
    if ((isCall && /Block|Program/.test(parent.type)) || (isAssignment && parent.type === "BlockStatement"))
      f.add("left out", expression.start, expression.end, "");
  },
  Literal(f, node, parent) {
    const { value, raw, start, end } = node;
    if (typeof value === "boolean") f.add("literal", start, end, String(!value));
    else if (typeof value === "number" && /^\d+$/.test(raw)) f.add("literal", start, end, String(value + 1));
    else if (typeof value === "number" && /^0x[\da-f_]+$/i.test(raw))
      f.add("literal", start, end, `0x${(value % 2 === 1 ? value - 1 : value + 1).toString(16)}`);
    else if (typeof node.bigint === "string") f.add("literal", start, end, `${BigInt(node.bigint) + 1n}n`);
    else if (typeof value === "string" && !/^(?:Import|Export)|TSLiteral/.test(parent.type)) f.words(node);
  },
  TemplateElement(f, node) {
    f.words(node);
  },
  MemberExpression(f, { computed, object, property }) {
    if (computed || property.type !== "Identifier") return;
    const { name, start, end } = property;
    const [pattern, other] = METHODS.find(([candidate]) => candidate.test(name)) ?? [];
    if (pattern !== undefined) return f.add("method", start, end, name.replace(pattern, other));
    if (object.type !== "Identifier") return;
    const neighbour =
      CALLED_ON[object.name]?.[name] ?? (/^(?:e|emitter)$/.test(object.name) ? EMITTED[name] : undefined);
    if (neighbour !== undefined) f.add("method", start, end, neighbour);
  },
};

// ---------------------------------------------------------------- questions

/** Whether a sum is one of texts. */
function isText(node) {
  if (node.type === "TemplateLiteral") return true;
  if (node.type === "Literal") return typeof node.value === "string";
  if (node.type === "BinaryExpression" && node.operator === "+") return isText(node.left) || isText(node.right);
  return node.type === "CallExpression" && /^(?:join|String|format\w*|describe\w*|padStart)$/.test(calleeName(node));
}

function calleeName({ callee }) {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : "";
}

/** typeof x === "string": to turn it round is a fault that the compiler finds. */
function isTypeOf({ left, right }) {
  return [left, right].some((side) => side.type === "UnaryExpression" && side.operator === "typeof");
}

/** Tests of statements are edited from the statement. */
const TESTED = new Set(["IfStatement", "ConditionalExpression", "WhileStatement"]);

/** The smallest expression around an edit of the last node that can be replaced by another of the same value. */
function replaceable(path) {
  let at = path.length - 1;
  if (TESTED.has(path[at].type)) return rangeOf(path[at].test);
  if (path[at].type === "ExpressionStatement") return rangeOf(path[at].expression);
  if (path[at].type === "TemplateElement") at--;
  // A method is found by its object: the call as a whole.
  const isMethod = path[at].type === "MemberExpression" && path[at - 1]?.type === "CallExpression";
  if (isMethod && path[at - 1].callee === path[at]) at--;
  // a?.b.c ends where a is nothing: all of it.
  const chain = path.findLastIndex(({ type }, index) => index <= at && type === "ChainExpression");
  if (chain >= 0 && isSpine(path.slice(chain, at + 1))) at = chain;
  const [node, parent] = [path[at], path[at - 1]];
  if (parent?.type === "TaggedTemplateExpression") return null;
  if (parent?.key !== node || parent.computed) return rangeOf(node);
  return parent.type === "Property" ? { ...rangeOf(node), isKey: true } : null;
}

/** Whether every node is what the one before it is a member, or a call, of. */
function isSpine(path) {
  return path.every((node, i) => {
    const inner = path[i + 1];
    return inner === undefined || inner === node.expression || inner === node.object || inner === node.callee;
  });
}

function rangeOf({ start, end }) {
  return { start, end, isKey: false };
}
