/**
 * The Debug Adapter Protocol over a recorded block: editors show warps as threads, go forwards and backwards, and have
 * the variables of each lane. (https://microsoft.github.io/debug-adapter-protocol, 1.68.) Without a stream of its own.
 */
import { resolve } from "node:path";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { demangle } from "../base/demangle.ts";
import { BlockDebugger, baseName, type StepView } from "../recording/debugger.ts";
import type { BlockRecording } from "../recording/recording.ts";
import { endText, titleText } from "../recording/recording-text.ts";
import { valueText, type WatchedValue } from "../recording/values.ts";
import { lanesText } from "./lanes-text.ts";

/** What an editor's launch.json says. */
export interface LaunchArguments {
  /** The source file. */
  readonly program: string;
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** Options of `heddle debug`: "--kernel", "-I", … */
  readonly options?: readonly string[];
  readonly stopOnEntry?: boolean;
}

export type Record_ = (launch: LaunchArguments) => Promise<BlockRecording>;

/** A message without its number. */
type Message =
  | { readonly type: "response"; readonly body?: unknown; readonly success: boolean; readonly message?: string }
  | { readonly type: "event"; readonly event: string; readonly body?: unknown };

/** References of variables: each names what is below it. */
type Node =
  | { readonly kind: "lanes" | "shared" | "memory" }
  | { readonly kind: "byLane"; readonly name: string }
  | { readonly kind: "value"; readonly value: WatchedValue };

export class DebugAdapter {
  readonly #record: Record_;
  readonly #send: (message: DebugProtocol.ProtocolMessage) => void;
  #debugger: BlockDebugger | null = null;
  #launch: LaunchArguments | null = null;
  #nodes: Node[] = [];
  #sequence = 1;
  /** Those of the editor, by file. */
  readonly #wanted = new Map<string, readonly number[]>();

  /** @param send takes what goes to the editor */
  constructor(record: Record_, send: (message: DebugProtocol.ProtocolMessage) => void) {
    this.#record = record;
    this.#send = send;
  }

  /** @returns whether the session goes on */
  async handle(request: DebugProtocol.Request): Promise<boolean> {
    const { command } = request;
    try {
      const body = await this.#answer(command, (request.arguments ?? {}) as Record<string, unknown>);
      this.#respond(request, { type: "response", success: true, body });
      await this.#follow(command);
    } catch (error) {
      this.#respond(request, {
        type: "response",
        success: false,
        message: error instanceof Error ? error.message : String(error),
      });
    }
    return command !== "disconnect" && command !== "terminate";
  }

  #respond(request: DebugProtocol.Request, message: Message): void {
    this.#post({ ...message, request_seq: request.seq, command: request.command });
  }

  #event(event: string, body?: unknown): void {
    this.#post({ type: "event", event, ...(body === undefined ? {} : { body }) });
  }

  #post(message: object): void {
    this.#send({ seq: this.#sequence++, ...message } as DebugProtocol.ProtocolMessage);
  }

  #stopped(reason: string): void {
    const { warp } = this.#open();
    this.#nodes = [];
    this.#event("stopped", { reason, threadId: warp + 1, allThreadsStopped: true });
  }

  #open(): BlockDebugger {
    if (this.#debugger === null) throw new Error("no block is recorded yet");
    return this.#debugger;
  }

  // ---------------------------------------------------------------- requests

  async #answer(command: string, args: Record<string, unknown>): Promise<unknown> {
    switch (command) {
      case "initialize":
        return {
          supportsConfigurationDoneRequest: true,
          supportsStepBack: true,
          supportsEvaluateForHovers: true,
          supportsTerminateRequest: true,
        } satisfies DebugProtocol.Capabilities;
      case "launch":
        this.#launch = args as unknown as LaunchArguments;
        this.#debugger = new BlockDebugger(await this.#record(this.#launch));
        return undefined;
      case "setBreakpoints":
        return this.#setBreakpoints(args as unknown as DebugProtocol.SetBreakpointsArguments);
      case "threads":
        return { threads: this.#threads() };
      case "stackTrace":
        return this.#stackTrace(args["threadId"] as number);
      case "scopes":
        return { scopes: this.#scopes() };
      case "variables":
        return { variables: this.#variables(args["variablesReference"] as number) };
      case "evaluate":
        return this.#evaluate(args["expression"] as string);
      case "continue":
        return { allThreadsContinued: true };
      default:
        return undefined;
    }
  }

  /** What happens when the answer has been sent. */
  async #follow(command: string): Promise<void> {
    const moves: Readonly<Record<string, () => boolean>> = {
      next: () => this.#open().nextLine(1),
      stepIn: () => this.#open().stepWarp(1),
      stepOut: () => this.#open().finish(1),
      stepBack: () => this.#open().stepWarp(-1),
    };
    const move = moves[command];
    if (move !== undefined) return this.#stopped(move() ? "step" : "pause");
    if (command === "continue" || command === "reverseContinue") {
      const why = this.#open().resume(command === "continue" ? 1 : -1);
      return this.#stopped(why === "breakpoint" ? "breakpoint" : "pause");
    }
    if (command === "initialize") this.#event("initialized");
    if (command === "configurationDone" && this.#debugger !== null) this.#begin(this.#debugger);
    if (command === "terminate") this.#event("terminated");
  }

  #begin({ recording }: BlockDebugger): void {
    const end = endText(recording);
    const output = `${titleText(recording)}\n${end === null ? "" : `${end}\n`}${recording.printed}`;
    this.#event("output", { category: "console", output });
    this.#applyBreakpoints();
    if (this.#launch?.stopOnEntry === false && this.#open().breakpoints.size > 0) {
      const why = this.#open().resume(1);
      return this.#stopped(why === "breakpoint" ? "breakpoint" : "pause");
    }
    this.#stopped("entry");
  }

  #setBreakpoints({ source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments): unknown {
    const file = source.path ?? source.name ?? "";
    this.#wanted.set(
      file,
      breakpoints.map(({ line }) => line),
    );
    this.#applyBreakpoints();
    const known = this.#debugger?.recording.lines.filter((line) => baseName(line.file) === baseName(file));
    return {
      breakpoints: breakpoints.map(({ line }) => ({ verified: known?.some((one) => one.line === line) ?? true, line })),
    };
  }

  #applyBreakpoints(): void {
    const { breakpoints } = this.#debugger ?? { breakpoints: new Set<string>() };
    breakpoints.clear();
    for (const [file, lines] of this.#wanted)
      for (const line of lines) breakpoints.add(BlockDebugger.breakpoint(file, line));
  }

  #threads(): DebugProtocol.Thread[] {
    const { x, y, z } = this.#open().recording.launch.block;
    return Array.from({ length: Math.ceil((x * y * z) / 32) }, (_, warp) => ({ id: warp + 1, name: `warp ${warp}` }));
  }

  /** The warp of the step has its calls; each other one the place where it is. */
  #stackTrace(threadId: number): unknown {
    const own = this.#open();
    const view = own.view();
    const lines =
      view.warp === threadId - 1
        ? view.callStack
        : (view.warps[threadId - 1] ?? []).flatMap(({ line }) => (line === null ? [] : [line])).slice(0, 1);
    const stackFrames = lines.map(({ file, line, functionName }, i): DebugProtocol.StackFrame => ({
      id: threadId * 1000 + i,
      name: demangle(functionName),
      source: { name: baseName(file), path: resolve(file) },
      line,
      column: 1,
    }));
    return { stackFrames, totalFrames: stackFrames.length };
  }

  #scopes(): DebugProtocol.Scope[] {
    const { warp, mask, accesses } = this.#open().view();
    const scope = (
      name: string,
      kind: Extract<Node, { kind: "lanes" | "shared" | "memory" }>["kind"],
    ): DebugProtocol.Scope => ({
      name,
      variablesReference: this.#reference({ kind }),
      expensive: false,
    });
    const memory = accesses.length === 0 ? [] : [scope("Memory that this step accesses", "memory")];
    return [scope(`Warp ${warp}: ${lanesText(mask)}`, "lanes"), ...memory, scope("Shared memory", "shared")];
  }

  #reference(node: Node): number {
    return this.#nodes.push(node);
  }

  #variables(reference: number): DebugProtocol.Variable[] {
    const node = this.#nodes[reference - 1];
    const own = this.#open();
    if (node === undefined) return [];
    if (node.kind === "value") return this.#members(node.value);
    if (node.kind === "shared")
      return own.shared().map(({ name, type, values }) =>
        this.#variable(
          name,
          values.map((value) => value ?? "–"),
          type,
        ),
      );
    const view = own.view();
    if (node.kind === "memory")
      return view.accesses.map(({ kind, space, bytes, lanes, transactions, ideal }, i) => {
        const unit = space === "shared" ? "wavefronts" : "sectors";
        const value = `${lanes.length} lanes × ${bytes} bytes: ${transactions} ${unit}, ideally ${ideal}`;
        const places = Object.fromEntries(
          lanes.map(({ lane, address }) => [`lane ${lane}`, `0x${address.toString(16)}`]),
        );
        return { ...this.#variable(`${i + 1}: ${space} ${kind}`, places), value };
      });
    if (node.kind === "byLane") {
      const variable = view.variables.find(({ name }) => name === node.name);
      return (variable?.values ?? []).map((value, lane) => this.#variable(`lane ${lane}`, value ?? "–"));
    }
    return view.variables.map(({ name, type }) => ({
      name,
      type,
      value: valueOfLanes(view, name),
      variablesReference: this.#reference({ kind: "byLane", name }),
    }));
  }

  #members(value: WatchedValue): DebugProtocol.Variable[] {
    if (typeof value !== "object") return [];
    return Object.entries(value).map(([name, member]) => this.#variable(name, member as WatchedValue));
  }

  #variable(name: string, value: WatchedValue, type?: string): DebugProtocol.Variable {
    const isOpen = typeof value === "object";
    return {
      name,
      value: valueText(value).slice(0, 200),
      ...(type === undefined ? {} : { type }),
      variablesReference: isOpen ? this.#reference({ kind: "value", value }) : 0,
    };
  }

  #evaluate(expression: string): unknown {
    const view = this.#open().view();
    const name = expression.trim();
    if (view.variables.some((variable) => variable.name === name))
      return { result: valueOfLanes(view, name), variablesReference: this.#reference({ kind: "byLane", name }) };
    const shared = this.#open()
      .shared()
      .find((one) => one.name === name);
    if (shared === undefined) throw new Error(`${name} is not in scope here`);
    const values = shared.values.map((value) => value ?? "–");
    return { result: shared.type, variablesReference: this.#reference({ kind: "value", value: values }) };
  }
}

/** One value if all lanes have it; else that of the first active lane, and that they differ. */
function valueOfLanes({ variables, mask }: StepView, name: string): string {
  const values = variables.find((variable) => variable.name === name)?.values ?? [];
  const texts = values.filter((value) => value !== null).map(valueText);
  if (texts.every((text) => text === texts[0])) return texts[0] ?? "–";
  const lane = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  return `${valueText(values[lane] ?? null)} in lane ${lane}, others differ`;
}
