/** Words of the text that are types, and words that begin a value. */
import type { IrType } from "../model/ir.ts";
import { BF16, F16, F32, F64, I32, LABEL, MAX_INT_BITS, METADATA, TOKEN, VOID, intType } from "../model/types.ts";

/** Words that begin a value where attributes may stand before it. */
export const valueWords: ReadonlySet<string> = new Set([
  "null",
  "undef",
  "poison",
  "true",
  "false",
  "zeroinitializer",
  "none",
  "splat",
  "asm",
  "getelementptr",
  "trunc",
  "zext",
  "sext",
  "fptrunc",
  "fpext",
  "fptoui",
  "fptosi",
  "uitofp",
  "sitofp",
  "ptrtoint",
  "ptrtoaddr",
  "inttoptr",
  "bitcast",
  "addrspacecast",
  "add",
  "sub",
  "mul",
  "xor",
  "and",
  "or",
  "shl",
  "lshr",
  "ashr",
  "blockaddress",
  "dso_local_equivalent",
  "no_cfi",
  "ptrauth",
  "extractelement",
  "insertelement",
  "shufflevector",
  "icmp",
  "fcmp",
  "select",
]);

export function wordType(word: string): IrType | null {
  const first = word.charCodeAt(0);
  if (first === 105 /* i */) {
    if (word === "i32") return I32;
    const second = word.charCodeAt(1);
    if (!(second >= 48 && second <= 57) || !/^i\d+$/.test(word)) return null;
    const bits = Number(word.slice(1));
    return bits >= 1 && bits <= MAX_INT_BITS ? intType(bits) : null;
  }
  switch (word) {
    case "float":
      return F32;
    case "double":
      return F64;
    case "half":
      return F16;
    case "bfloat":
      return BF16;
    case "void":
      return VOID;
    case "label":
      return LABEL;
    case "metadata":
      return METADATA;
    case "token":
      return TOKEN;
    default:
      return null;
  }
}
