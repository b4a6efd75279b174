/**
 * The meaning of a trap of the host program, in words. Engines differ in their messages (V8, SpiderMonkey,
 * JavaScriptCore); the kind is read from what they have in common.
 */
import type { CudaContext } from "../cuda/context.ts";
import { hex } from "../cuda/errors.ts";
import { NullRead, NullWrite, placeText, type HostGuard } from "./host-guard.ts";
import type { HostPlaces } from "./source-places.ts";

/** What is known of the program when it traps. */
export interface TrapSurroundings {
  readonly cuda: CudaContext;
  readonly guard: HostGuard;
  readonly places: HostPlaces;
}

/** One or more lines, or null when the error is not a trap of the program. */
export function describeTrap(error: unknown, around: TrapSurroundings): string | null {
  const { cuda, guard, places } = around;
  if (error instanceof NullWrite) return describeNullWrite(error, around);
  if (error instanceof NullRead) return describeNullRead(error, around);
  const said = describe(error, cuda, places);
  if (said === null || said.startsWith(OVERFLOW)) return said;
  // What went wrong later comes from that.
  if (guard.wroteNull) return describeNullWrite(null, around);
  return /^(?:segmentation fault|the host program called)/.test(said) ? [said, ...guard.reasons].join("\n") : said;
}

/** @param error says where the program was when the write was found. */
export function describeNullWrite(error: Error | null, { cuda, guard, places }: TrapSurroundings): string {
  const location = error === null ? null : places.locate(places.stackOf(error.stack ?? ""));
  return [
    "segmentation fault: the host program wrote through a null pointer",
    ...(location === null ? [] : [`  some time before it came to the call ${placeText(location)}`]),
    ...guard.reasons,
    ...(cuda.observer === null ? ["  heddle check names the line of the write"] : []),
  ].join("\n");
}

/** Code that a program is compiled with finds the read before it happens (frontend/clang/null-reads.ts). */
function describeNullRead(error: NullRead, { guard, places }: TrapSurroundings): string {
  // A write before may be why the program came here.
  const wrote = guard.wroteNull ? ["  before that it wrote through a null pointer"] : [];
  const location = places.locate(places.stackOf(error.stack ?? ""));
  return [
    "segmentation fault: the host program read through a null pointer",
    ...(location === null ? [] : [`  ${placeText(location)}`]),
    ...wrote,
    ...guard.reasons,
  ].join("\n");
}

const OVERFLOW = "the host program overflowed its stack (endless recursion?)";

function describe(error: unknown, cuda: CudaContext, places: HostPlaces): string | null {
  const overflow = OVERFLOW;
  if (error instanceof RangeError && /call stack/i.test(error.message)) return overflow;
  if (typeof WebAssembly.Exception === "function" && error instanceof WebAssembly.Exception)
    return "the host program ended with a C++ exception that nothing caught";
  if (!(error instanceof WebAssembly.RuntimeError)) return null;
  const frames = hostFrames(error);
  const location = places.locate(places.stackOf(error.stack ?? ""));
  const where =
    (location === null ? "" : `\n  ${placeText(location)}`) +
    (frames.length === 0 ? "" : `\n  in ${frames.slice(0, 6).join("\n  called by ")}`);
  const { message } = error;
  if (/unreachable/i.test(message))
    return `the host program aborted (abort, a failed assert, or undefined behaviour)${where}`;
  if (/out of bounds|out-of-bounds/i.test(message) && /memory/i.test(message)) {
    // The stack lies at the bottom of the memory: past its end is before address 0.
    return isRecursion(frames) ? `${overflow}\n  in ${frames[0]}` : `${describeBadAccess(cuda)}${where}`;
  }
  if (/divide by zero|division by zero/i.test(message)) return `the host program divided an integer by zero${where}`;
  if (/divide result unrepresentable|integer overflow|unrepresentable/i.test(message))
    return `the host program's integer division overflowed${where}`;
  if (/signature mismatch|null function|indirect call|table index|invalid function pointer/i.test(message))
    return `the host program called an invalid function pointer${where}`;
  if (/call stack/i.test(message)) return `${overflow}${where}`;
  return `the host program stopped: ${message}${where}`;
}

/** All frames that an engine shows are of one to three functions that call each other. */
function isRecursion(frames: readonly string[]): boolean {
  return frames.length >= 8 && new Set(frames.slice(0, 8)).size <= 3;
}

/**
 * The usual reason: a pointer from cudaMalloc used on the host. The engine does not report the address, so the message
 * names the likely reason.
 */
function describeBadAccess(cuda: CudaContext): string {
  const lines = ["segmentation fault: the host program used memory that it does not have"];
  const [state] = cuda.devices;
  const first = state?.device.nearestAllocation(cuda.memory.size) ?? null;
  if (first !== null) {
    lines.push(
      `  a pointer from cudaMalloc (such as ${hex(first.pointer)}, ${first.bytes} bytes) cannot be used on the host: ` +
        "copy with cudaMemcpy, or allocate with cudaMallocManaged",
    );
  }
  return lines.join("\n");
}

/** Names of the program's own functions on the stack, innermost first. */
function hostFrames(error: Error): string[] {
  const names: string[] = [];
  for (const line of (error.stack ?? "").split("\n")) {
    const name = /^\s*(?:at )?(.+?)[ @(]+wasm(?:-function|:\/\/)/.exec(line)?.[1];
    if (name === undefined || /^wasm/.test(name)) continue;
    // Engines put the module's name before the function's.
    const readable = name.replace(/^[\w-]+\.(?=[^.])/, "").replace(/^(?:__main_void|__original_main)$/, "main");
    if (
      !/^(abort|__assert_fail|_start|std::__terminate.*|std::terminate\(\))$/.test(readable) &&
      !(readable === "main" && names.at(-1) === "main")
    )
      names.push(readable);
  }
  return names;
}
