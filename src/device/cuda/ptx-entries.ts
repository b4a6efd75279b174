/** The kernels of a PTX text: what their parameters are (PTX ISA, "Kernel Function Parameters"). */
import { parameterTypes } from "../../base/kernel-signature.ts";
import type { KernelParam } from "../../machine/launch.ts";

export interface PtxEntry {
  readonly name: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  /** What stands between the parameters and the body. */
  readonly directives: string;
}

const SCALARS: Readonly<Record<string, readonly [size: number, kind: KernelParam["kind"]]>> = {
  u8: [1, "i8"],
  s8: [1, "i8"],
  b8: [1, "i8"],
  u16: [2, "i16"],
  s16: [2, "i16"],
  b16: [2, "i16"],
  u32: [4, "i32"],
  s32: [4, "i32"],
  b32: [4, "i32"],
  u64: [8, "i64"],
  s64: [8, "i64"],
  b64: [8, "i64"],
  f32: [4, "f32"],
  f64: [8, "f64"],
};

const ENTRY = /\.entry\s+([\w$.%]+)\s*(?:\(([^)]*)\))?([^{;]*)/g;
const PARAM =
  /\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)((?:\s+\.ptr)?)(?:\s+\.\w+)*?(?:\s+\.align\s+\d+)?\s+[\w$.]+(?:\[(\d+)\])?/g;
/** Types that PTX passes as a struct of one member, while callers pass a scalar. */
const SMALL_FLOATS: Readonly<Record<string, KernelParam["kind"]>> = {
  __half: "f16",
  _Float16: "f16",
  __nv_bfloat16: "bf16",
  __bf16: "bf16",
};

/**
 * @param ptx without comments in what is read here
 * @param source declares extern "C" kernels. Their parameter types come from it, as their names contain none.
 */
export function ptxEntries(ptx: string, source: string): PtxEntry[] {
  return [...ptx.matchAll(ENTRY)].map(([, name, list = "", directives = ""]) => {
    const types = parameterTypes(name as string) ?? declaredTypes(source, name as string);
    let end = 0;
    const params = [...list.matchAll(PARAM)].map(([, align, type, pointer, count], i): KernelParam => {
      const scalar = SCALARS[type as string] ?? [1, "i8"];
      const bytes = count === undefined ? scalar[0] : Number(count) * scalar[0];
      const alignment = align === undefined ? scalar[0] : Number(align);
      const offset = Math.ceil(end / alignment) * alignment;
      end = offset + bytes;
      const known = types?.[i];
      const isPointer = pointer !== "" || (bytes === 8 && count === undefined && known?.endsWith("*") === true);
      const smallFloat = bytes === 2 ? SMALL_FLOATS[known ?? ""] : undefined;
      let kind: KernelParam["kind"] = count === undefined ? scalar[1] : "struct";
      if (isPointer) kind = "pointer";
      else if (smallFloat !== undefined) kind = smallFloat;
      return { name: "", offset, size: bytes, align: alignment, kind };
    });
    return { name: name as string, params, paramBytes: end, directives: directives.trim() };
  });
}

/**
 * The parameters' types as they are written where `name` is declared, with nothing but the stars made out; null when
 * that is not found.
 */
function declaredTypes(source: string, name: string): string[] | null {
  const at = new RegExp(`\\b${name.replace(/\$/g, "\\$")}\\s*\\(([^()]*)\\)`).exec(
    source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, " "),
  );
  if (at === null) return null;
  const list = (at[1] as string).trim();
  if (list === "" || list === "void") return [];
  return list.split(",").map((text) => (/[*\]]/.test(text) ? "void*" : "?"));
}
