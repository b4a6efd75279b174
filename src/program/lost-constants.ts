/**
 * Constants of a host program whose value has lost bits: the compiler computed them, so nothing asks the runtime about
 * them. An object carries them in a custom section, `heddle.lost`, as lines of JSON; the linker joins the sections.
 */
import { concatenate } from "../base/bytes.ts";
import type { SourceLocation } from "../base/diagnostics.ts";
import { leb } from "./fat-binary.ts";

const SECTION = "heddle.lost";

export interface LostConstant {
  readonly location: SourceLocation;
  /** `2500000000 * 4 is 10000000000, but …`, as a sentence without its end. */
  readonly text: string;
  /** On a 64-bit machine. */
  readonly exact: bigint;
  /** What is left of it, as an unsigned number of 32 bits. */
  readonly left: number;
}

/** An object with its constants; one without such constants stays as it is. */
export function attachLostConstants(object: Uint8Array, constants: readonly LostConstant[]): Uint8Array {
  if (constants.length === 0) return object;
  const encoder = new TextEncoder();
  const lines = constants.map((one) => `${JSON.stringify({ ...one, exact: String(one.exact) })}\n`);
  const [name, content] = [encoder.encode(SECTION), encoder.encode(lines.join(""))];
  const body = concatenate([Uint8Array.of(name.length), name, content]);
  return concatenate([object, Uint8Array.of(0), leb(body.length), body]);
}

/** Those of a linked program. */
export function lostConstantsOf(module: WebAssembly.Module): readonly LostConstant[] {
  return WebAssembly.Module.customSections(module, SECTION).flatMap((section) =>
    new TextDecoder()
      .decode(section)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const one = JSON.parse(line) as Omit<LostConstant, "exact"> & { exact: string };
        return { ...one, exact: BigInt(one.exact) };
      }),
  );
}
