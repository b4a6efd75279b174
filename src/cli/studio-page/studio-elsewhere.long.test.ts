/** `heddle studio --on ssh://…` over a real ssh connection to this machine. Needs dist/: npm run test:long makes it. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SSHD, startSshd, type TestSshd } from "../remote/sshd.test-helper.ts";
import { connect, outcome, program, type Client } from "./page-client.test-helper.ts";

const main = new URL("../../../dist/bin/main.js", import.meta.url).pathname;

const PROGRAM = `#include <cstdio>
__global__ void square(int* x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }
int main(int argc, char** argv) {
  int* x; int y[32];
  cudaMalloc(&x, sizeof(y));
  square<<<1, 32>>>(x);
  cudaMemcpy(y, x, sizeof(y), cudaMemcpyDeviceToHost);
  FILE* f = fopen("given.txt", "r"); char word[9]; fscanf(f, "%8s", word);
  FILE* out = fopen("out.txt", "w"); fputs("written there", out); fclose(out);
  printf("%s %d %s\\n", argv[1], y[31], word);
  return fopen("/etc/passwd", "r") == nullptr ? 0 : 9;
}
`;

describe.skipIf(SSHD === null)("programs of the page on another machine", () => {
  let sshd: TestSshd;
  let studio: ChildProcess;
  let said = "";
  let client: Client;

  beforeAll(async () => {
    // One that has Node.js: nothing of 100 MB is uploaded.
    sshd = await startSshd([], ["node"]);
    const on = `ssh://${sshd.user}@127.0.0.1:${sshd.port}${join(sshd.folder, "there")}`;
    studio = spawn(process.execPath, [main, "studio", "--on", on, "--device", "emulated", "--no-open", "--port", "0"], {
      env: { ...process.env, ...sshd.env, NO_COLOR: "1", HEDDLE_WORKERS: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [studio.stdout, studio.stderr]) stream?.on("data", (chunk) => (said += String(chunk)));
    while (!said.includes("Ctrl-C")) {
      if (studio.exitCode !== null) throw new Error(said);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const [, port = "", token = ""] = /localhost:(\d+)\/#server=(\w+)/.exec(said) ?? [];
    client = (await connect(Number(port), token)) as Client;
  });
  afterAll(async () => {
    client?.socket.destroy();
    studio?.kill("SIGINT");
    await sshd?.close();
  });

  it("are compiled here and run there, with copies of the page's files", async () => {
    expect(said).toMatch(/can run programs on 127\.0\.0\.1 port \d+ \(device emulated\)/);
    expect(await client.next()).toMatchObject({
      kind: "hello",
      device: "emulated",
      on: expect.stringMatching(/^127\.0\.0\.1 port/),
    });
    client.send({
      kind: "start",
      id: 1,
      program: program(PROGRAM, { files: { "given.txt": "given" }, args: ["one"] }),
    });
    const { output, last } = await outcome(client);
    expect(last).toMatchObject({ kind: "result", id: 1, end: { how: "exited", status: { exitCode: 0 } } });
    expect(output).toContain("one 961 given\n");
    expect(output).toContain("out.txt: written there");
    expect((last as { end: { compileMs: number } }).end.compileMs).toBeGreaterThan(1);
  });

  it("are stopped there; errors come with their reports", async () => {
    client.send({ kind: "start", id: 2, program: program("int main() { return x; }\n") });
    expect(JSON.stringify((await outcome(client)).last)).toContain("undeclared identifier 'x'");
    client.send({ kind: "start", id: 3, program: program("int main() { for (volatile int i = 0;; i++) {} }\n") });
    let message = await client.next();
    while (message?.kind === "event" && message.event.kind !== "started") message = await client.next();
    client.send({ kind: "stop", id: 3 });
    expect((await outcome(client)).last).toMatchObject({
      kind: "result",
      id: 3,
      end: { how: "stopped", by: "caller" },
    });
  });

  it("a connection that is lost is reported, and opened again by the next program", async () => {
    client.send({ kind: "start", id: 4, program: program("int main() { for (volatile int i = 0;; i++) {} }\n") });
    let message = await client.next();
    while (message?.kind === "event" && message.event.kind !== "started") message = await client.next();
    for (const session of sshd.sessions()) process.kill(session, "SIGKILL");
    expect((await outcome(client)).last).toMatchObject({ kind: "failed", id: 4, report: { code: "unreachable" } });
    client.send({ kind: "start", id: 5, program: program("int main() { return 5; }\n") });
    expect((await outcome(client)).last).toMatchObject({ kind: "result", end: { status: { exitCode: 5 } } });
  });

  it("a machine that cannot be reached ends the command before anything is served", () => {
    const { status, stderr } = spawnSync(process.execPath, [main, "studio", "--on", "ssh://127.0.0.1:1"], {
      encoding: "utf8",
      env: { ...process.env, ...sshd.env },
    });
    expect({ status, stderr }).toEqual({ status: 68, stderr: expect.stringMatching(/nothing listens there/) });
  });
});
