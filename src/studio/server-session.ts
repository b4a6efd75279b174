/** The page's end of the socket to its server, where `heddle studio --device KIND` serves it. */
import type { DeviceKind } from "../device/common/device-kind.ts";
import { errorOf } from "../session/error-report.ts";
import type { Emit, ProgramEnd } from "../session/events.ts";
import {
  decodeServerMessage,
  encodeMessage,
  SESSION_PATH,
  SESSION_PROTOCOL,
  TOKEN_PREFIX,
  type ServerMessage,
  type ServerProgram,
} from "../session/server-messages.ts";
import { SessionRun } from "../session/session-run.ts";

const FRAGMENT = "#server=";
/** The token of the next connection, for when this tab is loaded again. */
const KEPT = "heddle-studio-token";

/** The token that the page's address or this tab has; null: there is none. It leaves the address. */
export function takeToken(): string | null {
  if (!location.hash.startsWith(FRAGMENT)) return sessionStorage.getItem(KEPT);
  const token = location.hash.slice(FRAGMENT.length);
  history.replaceState(null, "", location.pathname);
  sessionStorage.setItem(KEPT, token);
  return token;
}

/** Where the server runs programs. */
export interface StudioServer {
  readonly device: DeviceKind;
  /** Another machine; null: the server's own. */
  readonly on: string | null;
}

interface OpenRun {
  readonly emit: Emit;
  resolve(end: ProgramEnd): void;
  reject(why: Error): void;
}

export class ServerSession {
  readonly #socket: WebSocket;
  readonly #runs: Map<number, OpenRun> = new Map();
  readonly #texts: Map<number, Pick<PromiseWithResolvers<string>, "resolve" | "reject">> = new Map();
  #lastId = 0;

  /** @param onDevice called when the server has let the page in, with null when the connection has ended. */
  constructor(token: string, onDevice: (device: StudioServer | null) => void) {
    let isIn = false;
    const address = `${location.origin.replace(/^http/, "ws")}${SESSION_PATH}`;
    this.#socket = new WebSocket(address, [SESSION_PROTOCOL, TOKEN_PREFIX + token]);
    this.#socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const message = decodeServerMessage(data);
      if (message.kind === "hello") {
        isIn = true;
        sessionStorage.setItem(KEPT, message.token);
        onDevice(message);
      } else this.#take(message);
    });
    this.#socket.addEventListener("close", () => {
      // A token opens one connection: that of an old tab, or of a server that has ended, opens none.
      if (!isIn) sessionStorage.removeItem(KEPT);
      onDevice(null);
      for (const { reject } of [...this.#runs.values(), ...this.#texts.values()])
        reject(new Error("the server has ended the connection: start heddle studio again, and open its address"));
      this.#runs.clear();
      this.#texts.clear();
    });
  }

  start(program: ServerProgram, listener: Emit): SessionRun<ProgramEnd> {
    const id = ++this.#lastId;
    return new SessionRun((emit, signal) => {
      signal.addEventListener("abort", () => this.#socket.send(encodeMessage({ kind: "stop", id })));
      this.#socket.send(encodeMessage({ kind: "start", id, program }));
      return new Promise((resolve, reject) => this.#runs.set(id, { emit, resolve, reject }));
    }, listener);
  }

  /** Of the program's GPU code, by the server's toolkit. */
  sass(program: ServerProgram): Promise<string> {
    const id = ++this.#lastId;
    this.#socket.send(encodeMessage({ kind: "sass", id, program }));
    return new Promise((resolve, reject) => this.#texts.set(id, { resolve, reject }));
  }

  #take(message: Exclude<ServerMessage, { readonly kind: "hello" }>): void {
    const text = this.#texts.get(message.id);
    if (text !== undefined) {
      this.#texts.delete(message.id);
      if (message.kind === "sass") text.resolve(message.text);
      else if (message.kind === "failed") text.reject(errorOf(message.report));
      return;
    }
    const run = this.#runs.get(message.id);
    if (run === undefined || message.kind === "sass") return;
    if (message.kind === "event") return run.emit(message.event);
    this.#runs.delete(message.id);
    if (message.kind === "result") run.resolve(message.end);
    else run.reject(errorOf(message.report));
  }
}
