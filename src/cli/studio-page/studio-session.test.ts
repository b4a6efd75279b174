/** Programs of the studio's page on this machine: what runs, and who may not ask. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeMessage, TOKEN_PREFIX } from "../../session/server-messages.ts";
import { connect, frame, outcome, program, type Client } from "./page-client.test-helper.ts";
import { startStudioServer } from "./studio-server.ts";

// The built one: not every Node.js starts threads from TypeScript.
const BUILT = new URL("../../../dist/cli/studio-page/studio-session.js", import.meta.url).href;

let server: Server;
let token: string;

beforeAll(async () => {
  const folder = import.meta.dirname;
  server = await startStudioServer({ site: folder, clang: folder, pyodide: folder }, 0);
  const { serveSessions } = (await import(BUILT)) as typeof import("./studio-session.ts");
  token = serveSessions(server, { device: "emulated", model: "ilp32", elsewhere: null });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

async function open(): Promise<Client> {
  const client = (await connect(port(), token)) as Client;
  const hello = await client.next();
  if (hello?.kind !== "hello") throw new Error(`no hello: ${JSON.stringify(hello)}`);
  ({ token } = hello);
  return client;
}

const HELLO = `#include <cstdio>
#include <cstring>
#include "count.h"
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
int main(int argc, char** argv) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int* x; int y[COUNT];
  cudaMalloc(&x, sizeof(y));
  fill<<<1, COUNT>>>(x);
  cudaMemcpy(y, x, sizeof(y), cudaMemcpyDeviceToHost);
  char line[20]; fgets(line, 20, stdin);
  FILE* out = fopen("out.txt", "w"); fputs("written", out); fclose(out);
  printf("%s %d %s %s é\\n", argv[1], y[COUNT - 1], line, strstr(p.name, "H100") ? "h100" : p.name);
  return fopen("/etc/passwd", "r") == nullptr ? 0 : 9;
}
`;

describe("a program of the page", () => {
  it("has its files, arguments and input, and no file of this machine", async () => {
    const client = await open();
    client.send({
      kind: "start",
      id: 7,
      program: program(HELLO, { files: { "count.h": "#define COUNT 64\n" }, args: ["one"], stdin: "two" }),
    });
    const { output, last } = await outcome(client);
    expect(last).toMatchObject({ kind: "result", id: 7, end: { how: "exited", status: { exitCode: 0 } } });
    expect(output).toContain("one 63 two h100 é\n");
    client.send({ kind: "start", id: 8, program: program('#include "/etc/passwd"\nint main() {}\n') });
    const refused = await outcome(client);
    expect(refused.last).toMatchObject({ kind: "failed", id: 8, report: { code: "compile-error" } });
    expect(JSON.stringify(refused.last)).not.toContain("root:");
    client.socket.destroy();
  });

  it("is stopped, and an error comes with its report", async () => {
    const client = await open();
    client.send({ kind: "start", id: 1, program: program("int main() { for (volatile int i = 0;; i++) {} }\n") });
    let message = await client.next();
    while (message?.kind === "event" && message.event.kind !== "started") message = await client.next();
    client.send({ kind: "stop", id: 1 });
    expect((await outcome(client)).last).toMatchObject({ kind: "result", end: { how: "stopped", by: "caller" } });
    client.send({ kind: "start", id: 2, program: program("int main() { return x; }\n") });
    const { last } = await outcome(client);
    expect(last).toMatchObject({ kind: "failed", id: 2 });
    expect(JSON.stringify(last)).toContain("undeclared identifier 'x'");
    client.socket.destroy();
  });
});

describe("who may not ask", () => {
  it.each([
    ["a page of another site", { Origin: "https://example.com" }],
    ["another page of this machine", { Origin: "http://localhost:1" }],
    ["a page without an origin", { Origin: undefined }],
    ["a page whose content is a file's", { Origin: "null" }],
    ["a site whose name leads here", { Host: "example.com", Origin: "http://example.com" }],
    ["a page by https", { Origin: "https://localhost" }],
  ])("%s", async (_, headers) => {
    expect(await connect(port(), token, headers)).toBe(403);
  });

  it("nobody with a wrong token, a part of it, or none", async () => {
    for (const wrong of ["0".repeat(token.length), token.slice(1), "", `${token}0`])
      expect(await connect(port(), wrong)).toBe(403);
    expect(await connect(port(), token, { "Sec-WebSocket-Protocol": undefined })).toBe(403);
    expect(await connect(port(), token, { "Sec-WebSocket-Protocol": `${TOKEN_PREFIX}${token}` })).toBe(403);
  });

  it("nobody twice with one token; the next one ends the connection before", async () => {
    const used = token;
    const first = await open();
    expect(await connect(port(), used)).toBe(403);
    const second = await open();
    expect(await first.next()).toBe(null);
    second.socket.destroy();
  });

  it("at another path", async () => {
    expect(await connect(port(), token, {}, "/other")).toBe(404);
  });
});

describe("what is no message ends the connection", () => {
  it.each([
    ["not JSON", frame(Buffer.from("x"))],
    ["JSON of another form", frame(Buffer.from('{"kind":"start","id":1,"program":{"path":1}}'))],
    ["settings of its own", frame(Buffer.from('{"kind":"start","id":1,"settings":{"isolation":null}}'))],
    ["a frame without its mask", frame(Buffer.from("{}"), { isMasked: false })],
    ["binary", frame(Buffer.from("{}"), { opcode: 2 })],
    ["a part without a beginning", frame(Buffer.from("{}"), { opcode: 0 })],
    ["a ping in parts", frame(Buffer.from(""), { opcode: 9, isLast: false })],
    ["a message of 4 GB", Buffer.from("81ff000000010000000000000000", "hex")],
  ])("%s", async (_, bytes) => {
    const client = await open();
    client.socket.write(bytes);
    expect(await client.next()).toBe(null);
  });

  it("but parts of one do not", async () => {
    const client = await open();
    const text = encodeMessage({ kind: "start", id: 3, program: program("int main() { return 3; }\n") });
    client.socket.write(frame(Buffer.from(text.slice(0, 9)), { isLast: false }));
    client.socket.write(frame(Buffer.from("still there?"), { opcode: 9 }));
    client.socket.write(frame(Buffer.from(text.slice(9)), { opcode: 0 }));
    expect((await outcome(client)).last).toMatchObject({ kind: "result", id: 3, end: { status: { exitCode: 3 } } });
    client.socket.destroy();
  });
});
