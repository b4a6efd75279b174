/**
 * The server's end of a WebSocket (RFC 6455): text messages, one after another, without extensions. The caller has
 * judged who asks.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Section 1.3: proves that the server has understood. */
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** Section 5.2. */
const OPCODES = { continuation: 0x0, text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const;
/** Section 7.4.1. */
const CLOSE_CODES = { protocolError: 1002, unsupported: 1003, tooLarge: 1009 } as const;
const MOST_CONTROL_BYTES = 125;

export interface WebSocketListeners {
  onMessage(text: string): void;
  /** Once, whoever has ended it. */
  onClose(): void;
}

/** @throws nothing: a request that is no WebSocket's is refused. @returns null then */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  protocol: string,
  mostBytes: number,
): WebSocket | null {
  const { "sec-websocket-key": key, "sec-websocket-version": version, upgrade } = request.headers;
  if (upgrade?.toLowerCase() !== "websocket" || version !== "13" || !/^[\w+/]{22}==$/.test(key ?? "")) {
    refuseUpgrade(socket, 400, "Bad Request");
    return null;
  }
  const accept = createHash("sha1").update(`${key}${MAGIC}`).digest("base64");
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  return new WebSocket(socket, mostBytes);
}

export function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

export class WebSocket {
  readonly #socket: Duplex;
  readonly #mostBytes: number;
  #listeners: WebSocketListeners | null = null;
  #received: Buffer = Buffer.alloc(0);
  /** Of a message in several frames. */
  #fragments: Buffer[] | null = null;
  #isOpen = true;

  /** @param mostBytes of a message; a longer one ends the connection. */
  constructor(socket: Duplex, mostBytes: number) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    socket.on("error", () => this.#end());
    socket.on("close", () => this.#end());
  }

  listen(listeners: WebSocketListeners): void {
    this.#listeners = listeners;
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      while (this.#isOpen && this.#takeFrame());
    });
  }

  send(text: string): void {
    if (this.#isOpen) this.#write(OPCODES.text, Buffer.from(text));
  }

  /** @param code says why (section 7.4). */
  close(code = 1000): void {
    if (!this.#isOpen) return;
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    this.#write(OPCODES.close, body);
    this.#end();
  }

  /** Section 5.2: one frame of what has come. @returns whether there was a whole one */
  #takeFrame(): boolean {
    const bytes = this.#received;
    if (bytes.length < 2) return false;
    const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
    const opcode = first & 0xf;
    const isLast = (first & 0x80) !== 0;
    // No extension gives the other bits a meaning, and clients mask what they send.
    if ((first & 0x70) !== 0 || (second & 0x80) === 0) return this.#refuse(CLOSE_CODES.protocolError);
    const short = second & 0x7f;
    const header = 2 + ({ 126: 2, 127: 8 }[short] ?? 0);
    if (bytes.length < header + 4) return false;
    const longer = header === 4 ? () => bytes.readUInt16BE(2) : () => Number(bytes.readBigUInt64BE(2));
    const length = header === 2 ? short : longer();
    const held = (this.#fragments ?? []).reduce((sum, { length: each }) => sum + each, 0);
    if (held + length > this.#mostBytes) return this.#refuse(CLOSE_CODES.tooLarge);
    if (opcode >= OPCODES.close && (length > MOST_CONTROL_BYTES || !isLast))
      return this.#refuse(CLOSE_CODES.protocolError);
    const start = header + 4;
    if (bytes.length < start + length) return false;
    const body = Buffer.from(bytes.subarray(start, start + length));
    for (let i = 0; i < length; i++) body[i] = (body[i] as number) ^ (bytes[header + (i & 3)] as number);
    this.#received = bytes.subarray(start + length);
    this.#take(opcode, isLast, body);
    return true;
  }

  #take(opcode: number, isLast: boolean, body: Buffer): void {
    if (opcode === OPCODES.close) return this.close();
    if (opcode === OPCODES.ping) return this.#write(OPCODES.pong, body);
    if (opcode === OPCODES.pong) return;
    const isContinued = opcode === OPCODES.continuation;
    if (!isContinued && opcode !== OPCODES.text) return void this.#refuse(CLOSE_CODES.unsupported);
    if (isContinued !== (this.#fragments !== null)) return void this.#refuse(CLOSE_CODES.protocolError);
    const fragments = [...(this.#fragments ?? []), body];
    this.#fragments = isLast ? null : fragments;
    if (isLast) this.#listeners?.onMessage(Buffer.concat(fragments).toString());
  }

  #refuse(code: number): false {
    this.close(code);
    return false;
  }

  #write(opcode: number, body: Buffer): void {
    const { length } = body;
    const head = 0x80 | opcode;
    let header = Buffer.of(head, length);
    if (length > 125) {
      const isShort = length < 0x10000;
      header = Buffer.alloc(isShort ? 4 : 10, Buffer.of(head, isShort ? 126 : 127));
      if (isShort) header.writeUInt16BE(length, 2);
      else header.writeBigUInt64BE(BigInt(length), 2);
    }
    this.#socket.write(header);
    this.#socket.write(body);
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.end();
    this.#listeners?.onClose();
  }
}
