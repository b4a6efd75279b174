/**
 * The other end of the pipe of a Python process that has imported our `triton` or `torch`: a process that holds the
 * device, and carries out one call after the other. It ends when Python ends.
 */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { parseDeviceKind } from "../device/common/device-kind.ts";
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import { Gpu } from "../library/gpu.ts";
import { importFromDisk } from "../library/triton-files-node.ts";
import { openDeviceProducts } from "../tensor/operations/device-products.ts";
import { readFrame, writeFrame } from "./pipe-frames-node.ts";
import { Decoder, Encoder, Handles } from "./pipe-values.ts";
import { SCRIPT_GPU } from "./script-request.ts";
import { torchBinding } from "./torch-binding.ts";
import { tritonBinding } from "./triton-binding.ts";

const FROM_PYTHON = 0;
const TO_PYTHON = 1;
const ENVIRONMENT = process.env as Readonly<Record<string, string>>;

type Bindings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What Python sends. */
type Message =
  | {
      readonly kind: "call";
      readonly module: string;
      readonly name: string;
      readonly args: never[];
      /** Tensors that Python has released, and objects whose numbers it has forgotten, since its last message. */
      readonly released: readonly number[];
      readonly dropped: readonly number[];
    }
  /** The result of a function of Python's. */
  | { readonly kind: "result"; readonly value: never }
  | { readonly kind: "raised"; readonly message: string };

class Ended extends Error {}

class Server {
  readonly #handles = new Handles();
  readonly #bindings: Bindings;

  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  #send(message: (encoder: Encoder) => object): void {
    const encoder = new Encoder(this.#handles);
    writeFrame(TO_PYTHON, message(encoder), encoder.parts);
  }

  /** What each module has: names of functions, and values. */
  greet(): void {
    const modules = Object.entries(this.#bindings).map(([name, binding]) => {
      const entries = Object.entries(binding);
      const functions = entries.filter(([, value]) => typeof value === "function").map(([key]) => key);
      const values = Object.fromEntries(entries.filter(([, value]) => typeof value !== "function"));
      return [name, { functions, values }] as const;
    });
    this.#send((encoder) => ({ kind: "hello", modules: encoder.encode(Object.fromEntries(modules)) }));
  }

  print(text: string): void {
    this.#send(() => ({ kind: "print", text }));
  }

  /** Carries out Python's calls until one is the result of the function of Python's that waits for it. */
  serve(): unknown {
    for (;;) {
      const { message, decoder } = this.#next();
      if (message.kind === "raised") throw new Error(message.message);
      if (message.kind === "result") return decoder.decode(message.value);
      if (this.#call(message, decoder) !== null) return bug(`${message.name} waits in the middle of another call`);
    }
  }

  /** Carries out Python's calls; some of them take their time. */
  async serveAll(): Promise<never> {
    for (;;) {
      const { message, decoder } = this.#next();
      if (message.kind !== "call") return bug(`a ${message.kind} that nothing waits for`);
      const later = this.#call(message, decoder);
      if (later !== null)
        await later.then(
          (value) => this.#answer(value),
          (error: unknown) => this.#refuse(error),
        );
    }
  }

  #next(): { message: Message; decoder: Decoder } {
    const frame = readFrame(FROM_PYTHON);
    if (frame === null) throw new Ended();
    const decoder = new Decoder(this.#handles, frame.bytes, (id) => this.#callback(id));
    return { message: frame.message as Message, decoder };
  }

  #answer(value: unknown): void {
    this.#send((encoder) => ({ kind: "result", value: encoder.encode(value) }));
  }

  #refuse(error: unknown): void {
    this.#send(() => ({ kind: "error", message: error instanceof Error ? error.message : `${error}` }));
  }

  /** Returns what is still to be answered, or null. */
  #call(
    { module, name, args, released, dropped }: Extract<Message, { kind: "call" }>,
    decoder: Decoder,
  ): Promise<unknown> | null {
    try {
      const binding = this.#bindings[module] ?? {};
      const release = this.#bindings["torch"]?.["release"] as (object: object) => void;
      for (const id of released) release(this.#handles.get(id));
      for (const id of dropped) this.#handles.drop(id);
      const fn = binding[name];
      if (typeof fn !== "function") return bug(`${module} has no function ${name}`);
      const value = (fn as (...values: readonly unknown[]) => unknown)(...args.map((value) => decoder.decode(value)));
      if (value instanceof Promise) return value;
      this.#answer(value);
    } catch (error) {
      if (error instanceof Ended) throw error;
      this.#refuse(error);
    }
    return null;
  }

  #callback(id: number): (...args: readonly unknown[]) => unknown {
    return (...args) => {
      this.#send((encoder) => ({ kind: "callback", id, args: encoder.encode([...args]) }));
      return this.serve();
    };
  }
}

async function main(): Promise<void> {
  const environment = nodeEnvironment();
  let server: Server | null = null;
  const onPrint = (text: string): void => server?.print(text);
  const gpu = process.env["HEDDLE_GPU"] || SCRIPT_GPU;
  const device = await environment.openDevice({
    gpu,
    device: parseDeviceKind(process.env["HEDDLE_DEVICE"]),
    reuse: false,
    onPrint,
  });
  const own = new Gpu(device, onPrint);
  openDeviceProducts(own);
  const { major, minor } = device.properties.computeCapability;
  const ptxOf = async (lowered: LoweredKernel): Promise<string> =>
    (await import("../library/triton-ptx-node.ts")).tritonPtx(lowered, { major, minor });
  const triton = tritonBinding(own, { environment: ENVIRONMENT, imports: importFromDisk, ptxOf });
  server = new Server({ torch: torchBinding(own.raw), triton: triton.functions });
  server.greet();
  try {
    await server.serveAll();
  } catch (error) {
    // EPIPE: Python has ended in the middle of a call.
    if (!(error instanceof Ended) && (error as { readonly code?: string }).code !== "EPIPE") throw error;
  }
  process.exit(0);
}

main().catch((error: unknown) => {
  const message = error instanceof HeddleError ? `${error.code}\n${error.message}` : String((error as Error).stack);
  writeFrame(TO_PYTHON, { kind: "error", message }, []);
  process.exit(1);
});
