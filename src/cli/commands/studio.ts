/** `heddle studio`: serves the studio to this machine's browser, and opens it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { parseDeviceKind, type DeviceKind } from "../../device/common/device-kind.ts";
import { chooseModel } from "../data-model.ts";
import { progressBar } from "../progress-bar.ts";
import type { ProgramsElsewhere } from "../remote/programs-elsewhere.ts";
import { studioFolders } from "../studio-page/studio-folders.ts";
import { startStudioServer, type StudioFolders } from "../studio-page/studio-server.ts";
import { serveSessions } from "../studio-page/studio-session.ts";

/** What a browser keeps belongs to an address with its port, so the port is the same every time. */
const PORT = 7300;
/** Ports that are tried when another studio has the first. */
const PORTS = 10;

export async function studioCommand(args: readonly string[]): Promise<number> {
  const { port, opens, device, on } = parse(args);
  const folders = studioFolders();
  if (!existsSync(join(folders.site, "index.html")))
    throw new HeddleError("file-not-found", "the studio is not built", { notes: ["npm run build:studio"] });
  const elsewhere = on === null ? null : await connect(on);
  const server = await listen(folders, port);
  const token =
    device === null ? null : serveSessions(server, { device, model: await chooseModel(undefined), elsewhere });
  const page = `http://localhost:${(server.address() as AddressInfo).port}/`;
  const address = token === null ? page : `${page}#server=${token}`;
  process.stdout.write(`The studio is at ${address}\n`);
  if (device !== null)
    process.stdout.write(
      `The page that is opened with this address, once, can run programs on ` +
        `${elsewhere?.machine.name ?? "this machine"} (device ${device}).\n`,
    );
  process.stdout.write("Ctrl-C ends it.\n");
  if (opens) openBrowser(address);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  server.closeAllConnections();
  server.close();
  elsewhere?.close();
  return 0;
}

/** Before the page is served: who cannot reach the machine learns it here. */
async function connect(on: string): Promise<ProgramsElsewhere> {
  const { ProgramsElsewhere: Programs } = await import("../remote/programs-elsewhere.ts");
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  const bar = progressBar();
  process.once("SIGINT", stop);
  try {
    return await Programs.open(on, stopping.signal, (part, what) => bar.show(part, what));
  } finally {
    process.off("SIGINT", stop);
    bar.clear();
  }
}

interface StudioOptions {
  readonly port: number | null;
  readonly opens: boolean;
  /** Where the page may run programs on this machine, or on that of `on`; null: nowhere. */
  readonly device: DeviceKind | null;
  /** Another machine: see remote/machine.ts. */
  readonly on: string | null;
}

function parse(args: readonly string[]): StudioOptions {
  let port: number | null = null;
  let opens = true;
  let device: DeviceKind | null = null;
  let on: string | null = null;
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [name, given] = argument.split(/=(.*)/s);
    const value = (): string => given ?? rest.shift() ?? "";
    if (argument === "--no-open") opens = false;
    else if (name === "--device") device = parseDeviceKind(value());
    else if (name === "--on") on = value();
    else if (name === "--port") {
      const text = value();
      port = Number(text);
      if (!/^\d+$/.test(text) || port > 65535)
        throw new HeddleError("bad-arguments", `--port is a number up to 65535, not "${text}"`);
    } else
      throw new HeddleError("bad-arguments", `heddle studio does not take "${argument}"`, {
        notes: ["heddle studio [--port N] [--no-open] [--device KIND] [--on MACHINE]"],
      });
  }
  // Another machine is asked for because of its GPU.
  return { port, opens, device: device ?? (on === null ? null : "cuda"), on };
}

async function listen(folders: StudioFolders, port: number | null): Promise<Server> {
  const ports = port === null ? Array.from({ length: PORTS }, (_, i) => PORT + i) : [port];
  for (const candidate of ports) {
    try {
      return await startStudioServer(folders, candidate);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new HeddleError("bad-arguments", `port ${ports.join(", ")} is in use`, { notes: ["heddle studio --port 0"] });
}

/** Where no browser can be opened, the printed address is enough. */
function openBrowser(address: string): void {
  const [command, ...args] = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[process.platform as string] ?? [
    "xdg-open",
  ];
  spawn(command as string, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
