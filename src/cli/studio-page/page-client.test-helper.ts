/** A page's end of the socket, for tests of its server. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";
import {
  decodeServerMessage,
  encodeMessage,
  SESSION_PATH,
  SESSION_PROTOCOL,
  TOKEN_PREFIX,
  type PageMessage,
  type ServerMessage,
  type ServerProgram,
} from "../../session/server-messages.ts";

export interface Client {
  readonly socket: Duplex;
  send(message: PageMessage): void;
  /** The next message; null: the connection has ended. */
  next(): Promise<ServerMessage | null>;
}

interface FrameOptions {
  readonly opcode?: number;
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
}

/** A frame as a browser sends it. */
export function frame(body: Buffer, { opcode = 1, isLast = true, isMasked = true }: FrameOptions = {}): Buffer {
  const mask = randomBytes(4);
  const header = Buffer.alloc(body.length < 126 ? 2 : 4);
  header[0] = (isLast ? 0x80 : 0) | opcode;
  header[1] = (isMasked ? 0x80 : 0) | Math.min(body.length, 126);
  if (header.length === 4) header.writeUInt16BE(body.length, 2);
  if (!isMasked) return Buffer.concat([header, body]);
  return Buffer.concat([header, mask, body.map((byte, i) => byte ^ (mask[i & 3] as number))]);
}

/** @returns the status that refuses, or the connection */
export function connect(
  port: number,
  offered: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  path: string = SESSION_PATH,
): Promise<Client | number> {
  const own = {
    Host: `localhost:${port}`,
    Origin: `http://localhost:${port}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Protocol": `${SESSION_PROTOCOL}, ${TOKEN_PREFIX}${offered}`,
    ...headers,
  };
  const asked = request({
    host: "127.0.0.1",
    port,
    path,
    headers: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
  });
  return new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", ({ statusCode }) => resolve(statusCode ?? 0));
    asked.on("upgrade", (_, socket, head) => resolve(clientOf(socket, head)));
    asked.end();
  });
}

function clientOf(socket: Duplex, head: Buffer): Client {
  let bytes = head;
  let wake = (): void => undefined;
  let isEnded = false;
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isEnded = true;
    wake();
  });
  const take = (): Buffer | null => {
    const short = (bytes[1] ?? 0) & 0x7f;
    const header = 2 + ({ 126: 2, 127: 8 }[short] ?? 0);
    if (bytes.length < header) return null;
    const longer = header === 4 ? () => bytes.readUInt16BE(2) : () => Number(bytes.readBigUInt64BE(2));
    const length = header === 2 ? short : longer();
    if (bytes.length < header + length) return null;
    const body = bytes.subarray(header, header + length);
    const isText = ((bytes[0] as number) & 0xf) === 1;
    bytes = bytes.subarray(header + length);
    return isText ? body : take();
  };
  return {
    socket,
    send: (message) => void socket.write(frame(Buffer.from(encodeMessage(message)))),
    next: async () => {
      for (;;) {
        const body = take();
        if (body !== null) return decodeServerMessage(body.toString());
        if (isEnded) return null;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

export const program = (text: string, other: Partial<ServerProgram> = {}): ServerProgram => ({
  path: "a.cu",
  text,
  files: {},
  args: [],
  stdin: "",
  gpu: "h100",
  ...other,
});

export async function outcome(
  client: Client,
): Promise<{ readonly output: string; readonly last: ServerMessage | null }> {
  const decoder = new TextDecoder();
  let output = "";
  for (;;) {
    const message = await client.next();
    if (message?.kind !== "event") return { output, last: message };
    const { event } = message;
    if (event.kind === "output") output += decoder.decode(event.bytes, { stream: true });
    if (event.kind === "file") output += `${event.path}: ${new TextDecoder().decode(event.bytes)}`;
  }
}
