/**
 * What a page and the server that it came from say to one another over a WebSocket: `heddle studio --device KIND`. A
 * message is JSON; bytes in it are base64.
 */
import type { DeviceKind } from "../device/common/device-kind.ts";
import type { ErrorReport } from "./error-report.ts";
import type { ProgramEnd, SessionEvent } from "./events.ts";

/** The path of the socket, on the page's own host. */
export const SESSION_PATH = "/session";
/** The protocol's name. The token is offered as a second one: `heddle-token.TOKEN`. */
export const SESSION_PROTOCOL = "heddle-session.1";
export const TOKEN_PREFIX = "heddle-token.";

/** A program as the page has it. */
export interface ServerProgram {
  readonly path: string;
  readonly text: string;
  /** What the source includes, and the program opens, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly stdin: string;
  /** The GPU that an emulated device follows. */
  readonly gpu: string;
}

export type PageMessage =
  /** @param id names the run in answers. */
  | { readonly kind: "start"; readonly id: number; readonly program: ServerProgram }
  | { readonly kind: "stop"; readonly id: number }
  /** What its device code becomes on the GPU that it names. */
  | { readonly kind: "sass"; readonly id: number; readonly program: ServerProgram };

export type ServerMessage =
  /**
   * The first one.
   * @param on the other machine that programs run on; null: the server's own.
   * @param token for the next connection: that of this one is used up.
   */
  | { readonly kind: "hello"; readonly device: DeviceKind; readonly on: string | null; readonly token: string }
  | { readonly kind: "event"; readonly id: number; readonly event: SessionEvent }
  | { readonly kind: "result"; readonly id: number; readonly end: ProgramEnd }
  | { readonly kind: "sass"; readonly id: number; readonly text: string }
  | { readonly kind: "failed"; readonly id: number; readonly report: ErrorReport };

const BYTES = "base64";

export function encodeMessage(message: PageMessage | ServerMessage): string {
  return encodeWithBytes(message);
}

/** JSON in which bytes are base64. */
export function encodeWithBytes(message: object): string {
  // `value` of one of Node.js's Buffers is what its toJSON has made of it.
  return JSON.stringify(message, function (this: Record<string, unknown>, key, value: unknown) {
    const own = this[key];
    return own instanceof Uint8Array ? { [BYTES]: toBase64(own) } : value;
  });
}

/** What the server says: the page trusts its own server. */
export function decodeServerMessage(text: string): ServerMessage {
  return decodeWithBytes(text) as ServerMessage;
}

export function decodeWithBytes(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    const bytes = (value as Record<string, unknown> | null)?.[BYTES];
    return typeof bytes === "string" ? fromBase64(bytes) : value;
  });
}

/** What a page says, checked; null: it is no message. */
export function decodePageMessage(text: string): PageMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || !Number.isSafeInteger(value["id"])) return null;
  const id = value["id"] as number;
  if (value["kind"] === "stop") return { kind: "stop", id };
  const { kind, program } = value;
  if ((kind !== "start" && kind !== "sass") || !isRecord(program)) return null;
  const { path, text: source, files, args, stdin, gpu } = program;
  const isText = [path, source, stdin, gpu].every((one) => typeof one === "string");
  if (!isText || !isRecord(files) || !Array.isArray(args)) return null;
  if (![...Object.values(files), ...(args as unknown[])].every((one) => typeof one === "string")) return null;
  return {
    kind,
    id,
    program: {
      path: path as string,
      text: source as string,
      files: files as Record<string, string>,
      args: args as string[],
      stdin: stdin as string,
      gpu: gpu as string,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A call takes so many arguments without a stack that is too deep. */
const PIECE = 0x2000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
