/**
 * Checks of the calls that a host program makes: misuse, errors that the program ignores, host accesses while the
 * device works.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { userLocation, type Place } from "../../../base/source-places.ts";
import { bug, type SourceLocation } from "../../../base/diagnostics.ts";
import type { Checks } from "../../../check/checks.ts";
import type { FindingDraft } from "../../../check/finding.ts";
import type { DeviceFault } from "../../../machine/faults.ts";
import type { ApiObserver } from "../api-observer.ts";
import type { CopyRequest } from "../work/requests.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, errorName, errorString, type CudaFailure } from "../errors.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import { STREAM_NON_BLOCKING, type StreamState } from "../work/stream-model.ts";
import { lostConstantsOf } from "../../../program/lost-constants.ts";
import { HostPlaces, type HostStack } from "../../host/source-places.ts";
import { demangle } from "../../../base/demangle.ts";
import type { WasmFunction } from "../../wasi/wasi-model.ts";
import { DeviceWork } from "./device-work.ts";
import { HostAllocations } from "./host-allocations.ts";
import { libraryInCapture, libraryMisuse } from "./library-misuse.ts";
import { LongArithmetic, type LostBits } from "../../host/long-arithmetic.ts";
import { wildAccess } from "./wild-accesses.ts";
import { copyDrafts, misuseDraft, type MisuseSurroundings } from "./misuse-report.ts";
import { StreamOrder, isBranch } from "./stream-order.ts";

/** An error that no part of the program has seen yet. */
interface Unseen {
  readonly call: string;
  readonly error: number;
  readonly detail: string | undefined;
  readonly stack: HostStack;
  readonly launched: string | null;
}

const LAUNCHES = /^cuda(LaunchKernel|LaunchKernelExC|LaunchCooperativeKernel|Launch)$/;
export class ApiChecks implements ApiObserver {
  readonly imports: ReadonlyMap<string, WasmFunction>;
  readonly #checks: Checks;
  /** Only places are wanted: the checker "api" does not run. */
  readonly #silent: boolean;
  readonly #allocations = new HostAllocations();
  readonly #order = new StreamOrder();
  readonly #work = new DeviceWork(this.#order);
  readonly #destroyed = new Map<number, Place>();
  #arithmetic: LongArithmetic | null = null;
  /** The lowest address of memory of the device alone. */
  #deviceStart = 2 ** 32;
  #cuda: CudaContext | null = null;
  #places: HostPlaces | null = null;
  #unseen: Unseen[] = [];
  /** The program has seen the error of a kernel, which all calls return from then on. */
  #seesFault = false;
  /** Of the call that is under way. */
  #call = {
    name: "",
    failure: null as CudaFailure | null,
    reported: false,
    copy: null as CopyRequest | null,
    kernel: null as string | null,
  };
  /** The kernel, copy or fill that is being done. */
  #current: { readonly number: number; readonly place: Place } = { number: 0, place: () => null };
  /** By host thread: the program's call of a library, with the call of the API in it that a capture refused. */
  readonly #libraryCalls = new Map<number, { refused: string | null }>();
  /** Callbacks that run: what they do comes after the work before them. */
  #callbacks = 0;

  constructor(checks: Checks, { silent = false }: { readonly silent?: boolean } = {}) {
    this.#checks = checks;
    this.#silent = silent;
    this.imports = new Map<string, WasmFunction>([
      [
        "__heddle_host_allocated",
        (pointer: number, bytes: number) =>
          silent ? undefined : this.#allocations.add(unsigned(pointer), unsigned(bytes), () => this.here()),
      ],
      [
        "__heddle_long_arithmetic",
        (operation: number, data: number, left: number, right: number) =>
          this.#computed(operation, unsigned(data), left, right),
      ],
      ["__heddle_library_called", () => void this.#libraryCalls.set(this.#context.thread, { refused: null })],
      ["__heddle_library_returned", (name: number, status: number) => this.#libraryReturned(name, status)],
      ["__heddle_host_freed", (pointer: number) => this.#allocations.remove(unsigned(pointer))],
      [
        "__heddle_host_accessed",
        (pointer: number, bytes: number, writes: number) => this.#accessed(unsigned(pointer), bytes, writes !== 0),
      ],
    ] as [string, WasmFunction][]);
  }

  attach(cuda: CudaContext, wasm: Uint8Array, module: WebAssembly.Module): void {
    this.#cuda = cuda;
    this.#places = new HostPlaces(wasm, module);
    for (const lost of lostConstantsOf(module)) this.#checks.report("api", lostBitsDraft(lost), lost.location);
  }

  /** Where the host program is. @param launched the kernel, readable, when it launches one. */
  here(launched: string | null = null): Place {
    const places = this.#places;
    if (places === null) return () => null;
    const stack = places.capture();
    return () => places.locate(stack, launched);
  }

  calling(name: string, values: readonly number[]): void {
    this.#call = { name, failure: null, reported: false, copy: null, kernel: null };
    if (this.#silent) return;
    if (name === "cudaGetLastError" || name === "cudaPeekAtLastError") this.#unseen = [];
    if (name === "cudaStreamAddCallback") this.#callbacks++;
    if (LAUNCHES.test(name))
      this.#call.kernel = this.#kernelName(values[name === "cudaLaunchKernelExC" ? 1 : 0] as number);
  }

  failed(name: string, failure: CudaFailure): boolean {
    this.#call.failure = failure;
    // The finding is that of the library's function, once, when it returns.
    const inLibrary = this.#libraryCalls.get(this.#context.thread);
    const isRefused = failure.misuse?.kind === "in-capture" && inLibrary !== undefined;
    if (isRefused) inLibrary.refused ??= name;
    const draft = this.#silent || isRefused ? null : misuseDraft(name, failure, this.#surroundings());
    if (draft === null) return false;
    this.#call.reported = true;
    this.#checks.report("api", draft, this.here(this.#call.kernel)());
    return true;
  }

  returned(name: string, values: readonly number[], error: number): void {
    const waits = error === CudaErrorCode.success && this.#order.follow(name, values);
    if (this.#silent) return;
    if (waits) this.#work.settle(this.#context);
    if (name === "cudaStreamAddCallback") this.#callbacks--;
    if (error === CudaErrorCode.success) this.#succeeded(name, values);
    else if (error !== CudaErrorCode.notReady) this.#noteError(name, error);
  }

  isReported(fault: DeviceFault): boolean {
    const at = JSON.stringify(userLocation(fault.location));
    return (
      fault.location !== null &&
      this.#checks.findings.some(({ location, launch }) => launch !== null && JSON.stringify(location) === at)
    );
  }

  copying(copy: CopyRequest): void {
    this.#call.copy = copy;
  }

  beginWork(work: GraphWork, stream: StreamState): void {
    if (work.kind === "event-wait") this.#order.wait(stream.handle, work.event);
    const number = this.#order.submit(stream);
    if (work.kind === "event-record") this.#order.record(work.event, stream.handle);
    if (work.kind === "host") this.#callbacks++;
    if (work.kind === "kernel" || work.kind === "memcpy" || work.kind === "memset") {
      const order = this.#order;
      this.#current = { number, place: this.here(work.kind === "kernel" ? demangle(work.call.kernel.name) : null) };
      this.#checks.beginWork({
        kind: work.kind === "kernel" ? "kernel" : "transfer",
        stream: stream.handle,
        number,
        isStep: isBranch(stream.handle),
        what: nameOfWork(work),
        place: this.#current.place,
        isBehind: (other, earlier) => order.isBehind(stream, other, earlier),
        isDone: (other, earlier) => order.isDone(other, earlier),
      });
    }
    if (!this.#silent) this.#work.begin(this.#context, work);
  }

  endWork(work: GraphWork, stream: StreamState): void {
    const { number, place } = this.#current;
    if (work.kind === "host") this.#callbacks--;
    if (work.kind === "kernel" || work.kind === "memcpy" || work.kind === "memset") this.#checks.endWork(place);
    if (this.#silent) return;
    // A kernel with system-wide atomic operations is meant to work at the same time as the host.
    if (work.kind === "kernel" && this.#checks.isSystemWide(work.call.kernel.name))
      return this.#work.settle(this.#context);
    if (work.kind === "kernel" || work.kind === "memcpy") this.#work.end(this.#context, work, stream, number, place);
  }

  movedOnHost(address: number, bytes: number, writes: boolean): void {
    // Of managed and mapped memory the host's copy stands for the device's.
    const mirrored = this.#context.mirrored.find(address);
    if (mirrored !== null && mirrored.deviceAddress !== 0)
      this.#checks.moved(address - mirrored.hostAddress + mirrored.deviceAddress, bytes, writes);
  }

  branch(key: object, before: readonly object[], stream: StreamState): StreamState {
    return { ...stream, handle: this.#order.branch(key, before, stream), flags: STREAM_NON_BLOCKING };
  }

  join(keys: readonly object[], stream: StreamState): void {
    this.#order.join(keys, stream);
  }

  ended(): void {
    if (this.#silent) return;
    for (const { call, error, detail, stack, launched } of this.#unseen) {
      const what = launched === null ? call : `launch of ${launched}`;
      this.#checks.report(
        "api",
        {
          kind: "unchecked-error",
          title: "unchecked error",
          message: `${what} fails with ${errorName(error)} (${errorString(error)}), and nobody looks`,
          notes: detail === undefined ? [] : [{ text: detail }],
          help:
            launched === null
              ? "compare what the call returns with cudaSuccess"
              : "ask cudaGetLastError behind the launch, and look at what the next synchronizing call returns",
          details: { call, error: errorName(error) },
        },
        this.#places?.locate(stack, launched) ?? null,
      );
    }
    this.#unseen = [];
  }

  #noteError(call: string, error: number): void {
    const stack = this.#places?.capture() ?? [];
    const sticky = this.#context.current.fault?.code === error && this.#call.failure === null;
    if (this.#places?.dropsResult(stack) !== true) {
      // A program that has seen the error of a kernel has seen it for all calls that returned it.
      if (sticky) {
        this.#seesFault = true;
        this.#unseen = this.#unseen.filter((unseen) => unseen.error !== error);
      }
      return;
    }
    if (
      this.#call.reported ||
      (sticky && this.#seesFault) ||
      (sticky && this.#unseen.some((unseen) => unseen.error === error))
    )
      return;
    this.#unseen.push({ call, error, detail: this.#call.failure?.detail, stack, launched: this.#call.kernel });
  }

  #succeeded(name: string, values: readonly number[]): void {
    const [first = 0] = values;
    if (name.startsWith("cudaMalloc")) this.#watchDevice(this.#context.memory.pointer(first));
    if (name === "cudaStreamDestroy" || name === "cudaEventDestroy") this.#destroyed.set(unsigned(first), this.here());
    const { copy } = this.#call;
    if (copy !== null)
      for (const draft of copyDrafts(name, copy, { cuda: this.#context, hostAllocations: this.#allocations }))
        this.#checks.report("api", draft, this.here()());
  }

  #accessed(address: number, bytes: number, isWrite: boolean): void {
    if (this.#silent || this.#callbacks > 0) return;
    const wild = wildAccess(
      { address, bytes, isWrite },
      { cuda: this.#context, checks: this.#checks, allocations: this.#allocations },
    );
    const draft = wild ?? this.#work.access(address, bytes, isWrite);
    if (draft !== null) this.#checks.report("api", draft, this.here()());
  }

  /** Memory of the device alone: managed and pinned memory is the host's, too. */
  #watchDevice(pointer: number): void {
    if (pointer === 0 || pointer >= this.#deviceStart || this.#context.mirrored.find(pointer) !== null) return;
    this.#deviceStart = pointer;
    this.#context.host.watchDevice(pointer);
  }

  /** A function of a library returns. */
  #libraryReturned(nameAt: number, status: number): void {
    const { thread } = this.#context;
    const refused = this.#libraryCalls.get(thread)?.refused ?? null;
    this.#libraryCalls.delete(thread);
    if (this.#silent || (status === 0 && refused === null)) return;
    const name = this.#context.memory.cString(unsigned(nameAt));
    const draft = refused === null ? libraryMisuse(name, status) : libraryInCapture(name, refused);
    if (draft !== null) this.#checks.report("api", draft, this.here()());
  }

  /** @returns whether this place need not ask again. */
  #computed(operation: number, data: number, left: number, right: number): number {
    if (this.#silent) return 1;
    this.#arithmetic ??= new LongArithmetic(this.#context.memory);
    const { lost, isSettled } = this.#arithmetic.judge(operation, data, left, right);
    if (lost !== null) this.#context.options.guard.remember(lost);
    if (lost !== null) this.#checks.report("api", lostBitsDraft(lost), this.#withFunction(lost.location));
    return isSettled ? 1 : 0;
  }

  /** Clang names the place, the stack names the function. */
  #withFunction(location: SourceLocation): SourceLocation {
    const functionName = this.here()()?.functionName;
    return functionName === undefined ? location : { ...location, functionName };
  }

  #kernelName(functionAddress: number): string | null {
    const { registry } = this.#context;
    return registry.hasFunction(functionAddress) ? demangle(registry.function(functionAddress).name) : null;
  }

  #surroundings(): MisuseSurroundings {
    return {
      checks: this.#checks,
      cuda: this.#context,
      hostAllocations: this.#allocations,
      destroyed: this.#destroyed,
      copy: this.#call.copy,
    };
  }

  get #context(): CudaContext {
    return this.#cuda ?? bug("the checks watch no program");
  }
}

function lostBitsDraft({ text, exact, left }: LostBits): FindingDraft {
  return {
    kind: "lost-bits",
    level: "warning",
    title: "a 64-bit machine has another result",
    message: text,
    notes: [],
    help: "use long long, int64_t or uint64_t where values need 64 bits: they are the same on all machines",
    details: { exact: String(exact), left },
  };
}

function nameOfWork(work: Extract<GraphWork, { kind: "kernel" | "memcpy" | "memset" }>): string {
  if (work.kind === "kernel") return `the kernel ${demangle(work.call.kernel.name)}`;
  return work.kind === "memcpy" ? "a copy" : "a fill (memset)";
}
