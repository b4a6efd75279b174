/** What stands for what it may be mistaken for: operators, words of the machine, methods. */

export const COMPARISONS = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
export const ARITHMETIC = {
  "+": "-",
  "-": "+",
  "*": "+",
  "/": "*",
  "%": "*",
  "<<": ">>",
  ">>": ">>>",
  ">>>": ">>",
  "&": "|",
  "|": "&",
  "^": "|",
};
export const ASSIGNMENTS = { "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<=" };
export const LOGICAL = { "&&": "||", "||": "&&" };

/** Words of the machine: what stands in names and texts for the one may, by mistake, be the other. */
const WORDS = [
  ["rn", "rz"],
  ["rm", "rp"],
  ["rni", "rzi"],
  ["rmi", "rpi"],
  ["lt", "le"],
  ["gt", "ge"],
  ["eq", "ne"],
  ["ltu", "lt"],
  ["gtu", "gt"],
  ["geu", "ge"],
  ["leu", "le"],
  ["equ", "eq"],
  ["neu", "ne"],
  ["ult", "slt"],
  ["ugt", "sgt"],
  ["uge", "sge"],
  ["ule", "sle"],
  ["sgt", "sge"],
  ["slt", "sle"],
  ["add", "sub"],
  ["and", "or"],
  ["shl", "lshr"],
  ["ashr", "lshr"],
  ["sdiv", "udiv"],
  ["srem", "urem"],
  ["min", "max"],
  ["smin", "umin"],
  ["smax", "umax"],
  ["floor", "ceil"],
  ["sext", "zext"],
  ["s32", "u32"],
  ["s64", "u64"],
  ["f32", "f64"],
  ["i32", "i64"],
  ["hi", "lo"],
  ["up", "down"],
  ["any", "all"],
  ["left", "right"],
  ["read", "write"],
  ["load", "store"],
  ["block", "device"],
  ["acquire", "release"],
  ["cta", "gpu"],
  ["shared", "global"],
  ["signed", "unsigned"],
];
export const OTHER_WORD = new Map(WORDS);
for (const [a, b] of WORDS) if (!OTHER_WORD.has(b)) OTHER_WORD.set(b, a);

/** Methods of one meaning and its neighbour, by their ends. */
export const METHODS = [
  [/^(i(?:32|64)(?:Lt|Le|Gt|Ge|Div|Rem|Shr|Trunc\w*|Load8|Load16|Load32|Extend\w*))S$/, "$1U"],
  [/^(i(?:32|64)(?:Lt|Le|Gt|Ge|Div|Rem|Shr|Trunc\w*|Load8|Load16|Load32|Extend\w*))U$/, "$1S"],
  [/^(i(?:32|64))Add$/, "$1Sub"],
  [/^(i(?:32|64))Sub$/, "$1Add"],
  [/^(i(?:32|64))And$/, "$1Or"],
  [/^(i(?:32|64))Or$/, "$1And"],
  [/^(i(?:32|64))Eq$/, "$1Ne"],
  [/^(i(?:32|64))Ne$/, "$1Eq"],
  [/^every$/, "some"],
  [/^some$/, "every"],
  [/^asIntN$/, "asUintN"],
  [/^asUintN$/, "asIntN"],
];
export const CALLED_ON = {
  Math: { min: "max", max: "min", floor: "ceil", ceil: "floor", trunc: "floor", clz32: "abs" },
};
export const EMITTED = { add: "sub", sub: "add", and: "or", or: "and", shl: "lshr", lshr: "shl", ashr: "lshr" };
