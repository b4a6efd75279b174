/** The door to the table: what is known about a function that has no body, by its name. */
import { HeddleError, formatLocation, unsupported, type SourceLocation } from "../../base/diagnostics.ts";
import { costOf } from "./cost.ts";
import type { IntrinsicFacts } from "./facts.ts";
import { isLlvmName, nameFields } from "./name-fields.ts";
import { rows } from "./table.ts";

const MATRIX_PRODUCT = "llvm.nvvm.heddle.mma";

/** Names that were asked for. Passes and code generators ask for every call, so each name is parsed once. */
const known = new Map<string, IntrinsicFacts | null>();

/**
 * The facts about a callee's name: exact, or with overload suffixes (`.f32`, `.v2f16`, `.p0.p1.i32`) taken off. Null
 * for functions that are not in the table: those of the program and of the device library.
 */
export function intrinsicOf(name: string): IntrinsicFacts | null {
  const facts = known.get(name);
  if (facts !== undefined) return facts;
  if (!isLlvmName(name) && !rows().has(name)) return null;
  const made = makeFacts(name);
  known.set(name, made);
  return made;
}

const OVERLOAD = /\.(?:v\d+)?(?:[ifp]\d+|bf16|isVoid|s_.*|sl_.*)$/;

function makeFacts(name: string): IntrinsicFacts | null {
  let base = name.startsWith(`${MATRIX_PRODUCT}.`) ? MATRIX_PRODUCT : name;
  while (!rows().has(base)) {
    const shorter = base.replace(OVERLOAD, "");
    if (shorter === base) return null;
    base = shorter;
  }
  const row = rows().get(base);
  if (row === undefined) return null;
  const overload = name.slice(base.length);
  const fields = nameFields(base, overload);
  return { ...row, ...fields, overload, cost: costOf(row.kind, fields) };
}

/** As intrinsicOf; throws undefinedDeviceFunction where there is none. */
export function requireIntrinsic(name: string, location: SourceLocation | null): IntrinsicFacts {
  const facts = intrinsicOf(name);
  if (facts === null) throw undefinedDeviceFunction(name, location);
  return facts;
}

/** Names of CUDA, its libraries and this project: Heddle lacks such a function. Any other is the user's. */
const PLATFORM_NAMES: readonly RegExp[] = [/^llvm\./, /^__nv/, /^(?:__)?(?:cuda|heddle)/, /^cu[A-Z]/];

/** A called function without a definition: a function of the platform is unsupported, any other does not link. */
export function undefinedDeviceFunction(name: string, location: SourceLocation | null): HeddleError {
  if (rows().has(name) || PLATFORM_NAMES.some((pattern) => pattern.test(name)))
    return unsupported(`the device function ${name}`, location ?? undefined);
  return new HeddleError("link-error", `undefined reference to the device function ${name}`, {
    notes: [
      ...(location === null ? [] : [`${formatLocation(location)}: it is called here`]),
      "Name the file that defines it, too: heddle run a.cu b.cu -- [arguments]",
    ],
  });
}
