/** Messages of the Debug Adapter Protocol in a stream: a header with the length, an empty line, JSON. */
import type { DebugProtocol } from "@vscode/debugprotocol";
import { HeddleError } from "../base/diagnostics.ts";

export function encodeMessage(message: DebugProtocol.ProtocolMessage): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const END_OF_HEAD = "\r\n\r\n";

export class MessageReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** The messages that are complete with these bytes. */
  read(chunk: Uint8Array): DebugProtocol.Request[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const messages: DebugProtocol.Request[] = [];
    for (;;) {
      const end = this.#bytes.indexOf(END_OF_HEAD);
      if (end < 0) return messages;
      const [, length] = /^Content-Length: *(\d+)$/im.exec(this.#bytes.toString("latin1", 0, end)) ?? [];
      if (length === undefined) throw new HeddleError("bad-arguments", "a message of the editor has no Content-Length");
      const start = end + END_OF_HEAD.length;
      if (this.#bytes.length < start + Number(length)) return messages;
      messages.push(JSON.parse(this.#bytes.toString("utf8", start, start + Number(length))) as DebugProtocol.Request);
      this.#bytes = this.#bytes.subarray(start + Number(length));
    }
  }
}
