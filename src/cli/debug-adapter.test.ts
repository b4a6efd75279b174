/** The debug adapter, as an editor speaks with it: `heddle debug --dap`. */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { encodeMessage, MessageReader } from "./debug-messages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

class Editor {
  readonly #process = spawn(process.execPath, ["dist/cli/main.js", "debug", "--dap"], { cwd: root });
  readonly #messages: (DebugProtocol.Response & DebugProtocol.Event)[] = [];
  #wake: () => void = () => {};
  #sequence = 1;

  constructor() {
    const reader = new MessageReader();
    this.#process.stdout.on("data", (chunk: Buffer) => {
      this.#messages.push(...(reader.read(chunk) as unknown as (DebugProtocol.Response & DebugProtocol.Event)[]));
      this.#wake();
    });
  }

  async request(command: string, args: object = {}): Promise<Record<string, never>> {
    const seq = this.#sequence++;
    this.#process.stdin.write(encodeMessage({ seq, type: "request", command, arguments: args } as never));
    const answer = await this.wait((one) => one.type === "response" && one.request_seq === seq);
    expect(answer.message).toBeUndefined();
    return (answer.body ?? {}) as Record<string, never>;
  }

  async wait(
    test: (message: DebugProtocol.Response & DebugProtocol.Event) => boolean,
  ): Promise<DebugProtocol.Response & DebugProtocol.Event> {
    for (;;) {
      const at = this.#messages.findIndex(test);
      if (at >= 0) return this.#messages.splice(at, 1)[0] as DebugProtocol.Response & DebugProtocol.Event;
      await new Promise<void>((resolve_) => (this.#wake = resolve_));
    }
  }

  stopped(): Promise<DebugProtocol.StoppedEvent> {
    return this.wait((one) => one.event === "stopped") as Promise<DebugProtocol.StoppedEvent & DebugProtocol.Response>;
  }
}

test("an editor stops at a breakpoint, sees the lanes, and goes back", async () => {
  const editor = new Editor();
  const capabilities: DebugProtocol.Capabilities = await editor.request("initialize", { adapterID: "heddle" });
  expect(capabilities.supportsStepBack).toBe(true);
  await editor.wait((one) => one.event === "initialized");
  const program = "examples/sum-race.cu";
  await editor.request("launch", { program, options: ["--block", "1"], stopOnEntry: false });
  const source = { path: resolve(root, program) };
  const set = await editor.request("setBreakpoints", { source, breakpoints: [{ line: 24 }] });
  expect(set["breakpoints"]).toEqual([{ verified: true, line: 24 }]);
  await editor.request("configurationDone");
  expect((await editor.stopped()).body).toMatchObject({ reason: "breakpoint", threadId: 1 });
  const { threads } = await editor.request("threads");
  expect(threads).toHaveLength(8);
  const { stackFrames } = (await editor.request("stackTrace", { threadId: 1 })) as Record<string, unknown>;
  expect(stackFrames).toMatchObject([{ name: "sum", line: 24, source }]);
  const { scopes } = (await editor.request("scopes", { frameId: 1000 })) as unknown as {
    scopes: DebugProtocol.Scope[];
  };
  expect(scopes.map(({ name }) => name)).toEqual([
    "Warp 0: all 32 lanes",
    "Memory that this step accesses",
    "Shared memory",
  ]);
  const reference = { variablesReference: scopes[0]?.variablesReference };
  const { variables } = (await editor.request("variables", reference)) as unknown as {
    variables: DebugProtocol.Variable[];
  };
  expect(variables.find(({ name }) => name === "half")?.value).toBe("128");
  expect(await editor.request("evaluate", { expression: "t" })).toMatchObject({ result: "0 in lane 0, others differ" });
  await editor.request("stepBack", { threadId: 1 });
  await editor.stopped();
  const back = (await editor.request("stackTrace", { threadId: 1 })) as Record<string, unknown>;
  expect(back["stackFrames"]).toMatchObject([{ line: 23 }]);
  await editor.request("disconnect");
});
