/** Where `heddle bench --on` goes: `ssh://[user@]host[:port][/folder]`, or `slurm[:options of srun]`. */
import { HeddleError } from "../../base/diagnostics.ts";

export interface SshMachine {
  readonly kind: "ssh";
  /** As the user calls it, without what is private. */
  readonly name: string;
  readonly host: string;
  readonly user: string | null;
  readonly port: number | null;
  /** On that machine, for what is uploaded; it may begin with "~/". */
  readonly folder: string;
}

export interface SlurmMachine {
  readonly kind: "slurm";
  readonly name: string;
  /** Options of srun. */
  readonly options: readonly string[];
  /** Here and on the nodes. */
  readonly folder: string;
}

export type Machine = SshMachine | SlurmMachine;

const DEFAULT_FOLDER = "~/.cache/heddle/remote";
/** Below the working directory, which the nodes see. */
const SLURM_FOLDER = ".heddle/remote";
const EXAMPLES = [
  "ssh://user@host, ssh://host:2222/folder, ssh://[2001:db8::1]/~/folder",
  'slurm, "slurm:--partition=gpu --gres=gpu:1"',
];

/** @throws HeddleError "bad-arguments". */
export function parseMachine(text: string): Machine {
  if (text === "slurm" || text.startsWith("slurm:"))
    return { kind: "slurm", name: "Slurm", options: words(text.slice("slurm:".length)), folder: SLURM_FOLDER };
  const fail = (what: string): never => {
    throw new HeddleError("bad-arguments", `--on ${text}: ${what}`, { notes: EXAMPLES });
  };
  const [, user, bracketed, plain, portText, path] =
    /^ssh:\/\/(?:([^@/]*)@)?(?:\[([^\]/]*)\]|([^:/[\]]*))(?::([^/]*))?(\/.*)?$/s.exec(text) ??
    fail("it is neither ssh://… nor slurm…");
  const host = bracketed ?? plain ?? "";
  // Nothing that ssh would take for an option, and nothing that a shell could read in a command of the user's ssh
  // configuration.
  if (!(bracketed === undefined ? /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u : /^[0-9A-Fa-f:.]+(%[\w.-]+)?$/).test(host))
    fail(`"${host}" is no name of a host`);
  if (user !== undefined && !/^[\p{L}\p{N}_.][\p{L}\p{N}_.+\\-]*$/u.test(user))
    fail(
      `"${user.replace(/:.*/s, ":…")}" is no name of a ` +
        `user${user.includes(":") ? ": passwords are not taken, ssh's keys are" : ""}`,
    );
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && !(/^\d+$/.test(portText as string) && port > 0 && port < 65536))
    fail(`"${portText}" is no port`);
  const folder = folderOf(path, fail);
  return {
    kind: "ssh",
    name: `${host}${port === null ? "" : ` port ${port}`}`,
    host,
    user: user ?? null,
    port,
    folder,
  };
}

function folderOf(path: string | undefined, fail: (what: string) => never): string {
  if (path === undefined || path === "/") return DEFAULT_FOLDER;
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    fail(`"${path}" is not percent-encoded UTF-8`);
  }
  if (/[\n\r\0]/.test(decoded)) fail("a folder's name has no line ends");
  return decoded.startsWith("/~/") ? decoded.slice(1) : decoded;
}

/** Words as a shell separates them: by spaces outside of quotes. */
function words(text: string): string[] {
  const found: string[] = [];
  for (const [, word = ""] of text.matchAll(/((?:[^\s"']|"[^"]*"|'[^']*')+)/g))
    found.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
    );
  const rest = text.replaceAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g, "").trim();
  if (rest !== "")
    throw new HeddleError("bad-arguments", `--on slurm:${text}: a quote is not closed`, { notes: EXAMPLES });
  return found;
}
