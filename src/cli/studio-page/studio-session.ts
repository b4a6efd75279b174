/**
 * Runs programs of the studio's page on this machine: `heddle studio --device KIND`; or on another one: `--on`. Who may
 * ask:
 *
 * - a page that this server has sent: the request's Origin and Host are the server's own;
 * - with a token that was never used. The first one is in the address that the command prints. Each connection is told
 *   the next one, so that a page can be reloaded; a token that was overheard later opens nothing.
 *
 * A program has copies of the page's files, and no file of this machine.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { DataModel } from "../../base/data-model.ts";
import type { DeviceKind } from "../../device/common/device-kind.ts";
import { gpuProperties } from "../../device/emulated/gpus.ts";
import { memorySourceReader } from "../../frontend/clang/memory-source-reader.ts";
import { openCompiler } from "../../session/compiler-node.ts";
import { performCode } from "../../session/perform-code.ts";
import type { ProgramPlatform } from "../../session/perform-program.ts";
import { reportOf } from "../../session/error-report.ts";
import type { Emit, ProgramEnd } from "../../session/events.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { DEFAULT_DEVICE, type ProgramRequest } from "../../session/request.ts";
import {
  decodePageMessage,
  encodeMessage,
  SESSION_PATH,
  SESSION_PROTOCOL,
  TOKEN_PREFIX,
  type ServerMessage,
  type ServerProgram,
} from "../../session/server-messages.ts";
import type { SessionRun } from "../../session/session-run.ts";
import type { ProgramsElsewhere } from "../remote/programs-elsewhere.ts";
import { acceptWebSocket, refuseUpgrade, type WebSocket } from "./web-socket.ts";

const TOKEN_BYTES = 24;
/** Of a program with its files. */
const MOST_MESSAGE_BYTES = 32 * 2 ** 20;
/** What a program's files may hold, with those that it writes. */
const MOST_FILE_BYTES = 256 * 2 ** 20;

/** A session of this machine, or of another one. */
interface ProgramStarter {
  start(request: ProgramRequest, listener: Emit): SessionRun<ProgramEnd>;
}

/** Where programs of the page run, and what they are compiled for. */
export interface StudioMachine {
  readonly device: DeviceKind;
  readonly model: DataModel["name"];
  /** Another machine, as `--on` names it, and what starts programs there; null: this one. */
  readonly elsewhere: ProgramsElsewhere | null;
}

/** @returns the token of the first connection */
export function serveSessions(server: Server, machine: StudioMachine): string {
  const sessions = new StudioSessions(machine);
  server.on("upgrade", (request, socket) => sessions.answer(request, socket, (server.address() as AddressInfo).port));
  server.on("close", () => sessions.close());
  return sessions.token;
}

class StudioSessions {
  readonly #machine: StudioMachine;
  readonly #session: ProgramStarter;
  /** Of the next connection. */
  token: string = newToken();
  #connection: Connection | null = null;

  constructor(machine: StudioMachine) {
    this.#machine = machine;
    this.#session = machine.elsewhere ?? openNodeSession();
  }

  answer(request: IncomingMessage, socket: Duplex, port: number): void {
    socket.on("error", () => socket.destroy());
    const { host = "", origin = "" } = request.headers;
    const isOwn = [`localhost:${port}`, `127.0.0.1:${port}`].includes(host) && origin === `http://${host}`;
    if (!isOwn) return refuseUpgrade(socket, 403, "Forbidden");
    if (request.url !== SESSION_PATH) return refuseUpgrade(socket, 404, "Not Found");
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
    const token = offered.find((name) => name.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length) ?? "";
    if (!offered.includes(SESSION_PROTOCOL) || !same(token, this.token)) return refuseUpgrade(socket, 403, "Forbidden");
    this.token = newToken();
    const accepted = acceptWebSocket(request, socket, SESSION_PROTOCOL, MOST_MESSAGE_BYTES);
    if (accepted === null) return;
    // The page was reloaded, or opened again.
    this.#connection?.close();
    this.#connection = new Connection(accepted, this.#session, this.#machine, this.token);
  }

  close(): void {
    this.#connection?.close();
  }
}

class Connection {
  readonly #socket: WebSocket;
  readonly #session: ProgramStarter;
  readonly #machine: StudioMachine;
  #run: { readonly id: number; readonly run: SessionRun<ProgramEnd> } | null = null;

  constructor(socket: WebSocket, session: ProgramStarter, machine: StudioMachine, token: string) {
    this.#socket = socket;
    this.#session = session;
    this.#machine = machine;
    socket.listen({ onMessage: (text) => this.#take(text), onClose: () => this.#run?.run.stop() });
    this.#send({ kind: "hello", device: machine.device, on: machine.elsewhere?.machine.name ?? null, token });
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    const message = decodePageMessage(text);
    if (message === null) return this.#socket.close();
    const { id } = message;
    if (message.kind === "stop") {
      if (this.#run?.id === id) this.#run.run.stop();
      return;
    }
    if (message.kind === "sass") {
      sassOf(message.program).then(
        (code) => this.#send({ kind: "sass", id, text: code }),
        (error: unknown) => this.#send({ kind: "failed", id, report: reportOf(error) }),
      );
      return;
    }
    this.#run?.run.stop();
    const run = this.#session.start(requestOf(message.program, this.#machine), (event) =>
      this.#send({ kind: "event", id, event }),
    );
    this.#run = { id, run };
    run.result.then(
      (end) => this.#send({ kind: "result", id, end }),
      (error: unknown) => this.#send({ kind: "failed", id, report: reportOf(error) }),
    );
  }

  #send(message: ServerMessage): void {
    this.#socket.send(encodeMessage(message));
  }
}

function requestOf({ path, text, files, args, stdin, gpu }: ServerProgram, machine: StudioMachine): ProgramRequest {
  const { device, model } = machine;
  return {
    kind: "run",
    program: { sources: [{ path, text }], objects: [], compile: { model }, name: path },
    argv: [path.replace(/\.[^./]*$/, ""), ...args],
    env: {},
    timeout: null,
    settings: {
      ...DEFAULT_DEVICE,
      device,
      gpu: device === "cuda" ? null : gpu,
      directories: [],
      files,
      isolation: { includes: [], fileBytes: MOST_FILE_BYTES },
      stdin,
      timeLaunches: false,
      launchEvents: false,
    },
  };
}

/** A source of the page includes the page's files, and none of this machine. */
const OF_PAGE: Pick<ProgramPlatform, "openCompiler" | "reader"> = {
  openCompiler: () => openCompiler(),
  reader: ({ files }) => memorySourceReader(files),
};

/** Handed to NVIDIA's assembler, as the driver hands it a program that runs on the GPU: only who has the token asks. */
async function sassOf({ path, text, files, gpu }: ServerProgram): Promise<string> {
  const { computeCapability } = gpuProperties(gpu);
  const arch = `sm_${computeCapability.major}${computeCapability.minor}`;
  const { ptx } = await performCode({ kind: "code", source: { path, text }, files, compile: { arch } }, OF_PAGE);
  const { sassText } = await import("../../device/cuda/sass.ts");
  return sassText(ptx, arch);
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

function same(given: string, token: string): boolean {
  return given.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token));
}
