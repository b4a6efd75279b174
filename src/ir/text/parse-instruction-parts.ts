/** What the readers of instructions share: flags, alignments, orderings, and the metadata at the end of a line. */
import { CONTRACT } from "../model/build.ts";
import type { FastMath, IrBlock, IrInstruction, IrValue } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";

export interface Base {
  readonly kind: "instruction";
  name: string;
  location: null;
  block: IrBlock;
}

/** Reads `, !name !12` up to the end of the instruction. */
export function finishInstruction<T extends IrInstruction>(s: FunctionScope, instruction: T): T {
  const p: Parser = s.parser;
  while (p.isPunctuation(",")) {
    p.next();
    if (!p.at("metadata")) p.failExpected("metadata");
    const name = p.value;
    p.next();
    if (!p.at("metadata")) p.failExpected("metadata");
    if (name === "dbg") {
      instruction.location = s.location();
      continue;
    }
    if (name === "invariant.load" && instruction.op === "load") instruction.invariant = true;
    if (instruction.op === "load" || instruction.op === "store") {
      if (name === "nontemporal") instruction.cache = "cs";
      else if (name === "heddle.cg") instruction.cache = "cg";
    }
    if (name === "llvm.loop" && (instruction.op === "br" || instruction.op === "condbr") && /^\d+$/.test(p.value)) {
      instruction.loop = p.metadata.loopProperties(p.value, p.start);
    }
    p.next();
    if (p.isPunctuation("{") || p.isPunctuation("(")) p.skipGroup();
  }
  return instruction;
}

/** `, align 8` and `, addrspace(5)`, in any order; stops before metadata. */
export function parseAlign(s: FunctionScope): { align: number | null; addressSpace: number } {
  const p: Parser = s.parser;
  let align: number | null = null;
  let addressSpace = 0;
  while (p.isPunctuation(",") && nextAfterComma(s)) {
    p.next();
    if (p.accept("align")) {
      const at = p.start;
      align = p.parseNumber();
      if (align === 0 || Math.log2(align) % 1 !== 0) p.fail("an alignment is a power of two", at);
    } else addressSpace = p.parseAddressSpace();
  }
  return { align, addressSpace };
}

export function nextAfterComma(s: FunctionScope): boolean {
  const { text, end } = s.parser;
  let at = end;
  while (text.charCodeAt(at) === 32) at++;
  return text.startsWith("align", at) || text.startsWith("addrspace", at);
}

export function isMetadataNext(s: FunctionScope): boolean {
  const { text, end } = s.parser;
  let at = end;
  while (text.charCodeAt(at) === 32) at++;
  return text[at] === "!";
}

const noFlags: FastMath = {
  contract: false,
  reassoc: false,
  nnan: false,
  ninf: false,
  nsz: false,
  arcp: false,
  afn: false,
};

const allFlags: FastMath = { contract: true, reassoc: true, nnan: true, ninf: true, nsz: true, arcp: true, afn: true };

/** null where there is none of the flags. */
export function parseFastMath(s: FunctionScope): FastMath | null {
  const p: Parser = s.parser;
  let flags: FastMath | null = null;
  while (p.at("word")) {
    switch (p.value) {
      case "contract":
        flags = flags === null ? CONTRACT : Object.assign({}, flags, { contract: true });
        break;
      case "reassoc":
      case "nnan":
      case "ninf":
      case "nsz":
      case "arcp":
      case "afn":
        flags = Object.assign({}, flags ?? noFlags, { [p.value]: true });
        break;
      case "fast":
        flags = allFlags;
        break;
      default:
        return flags;
    }
    p.next();
  }
  return flags;
}

export function pointerOperand(s: FunctionScope): IrValue {
  const at = s.parser.start;
  const pointer = s.typedValue();
  if (pointer.type.kind !== "ptr") s.parser.fail("a pointer was expected", at);
  return pointer;
}
