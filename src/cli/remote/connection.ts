/**
 * Commands on the other machine, through the system's ssh or through srun. Names never become part of a command: what
 * runs is one of three constant scripts, which read what they need from their standard input, line by line (POSIX's
 * `read` takes no byte more than the line). They have no quote, backslash, exclamation mark or line end, so that every
 * login shell takes them as they are.
 */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import type { Machine, SshMachine } from "./machine.ts";

export const MARK = "heddle:";

const GO_THERE = 'IFS= read -r dir; case $dir in "~") dir=$HOME;; "~/"*) dir=$HOME/${dir#??};; esac';

type Script = "look" | "store" | "run";

export const SCRIPTS: Readonly<Record<Script, string>> = {
  /** Prints what is there: `heddle:KEY VALUE`. */
  look: [
    GO_THERE,
    'mkdir -p "$dir/packs" "$dir/runs" && cd "$dir" || exit 1',
    'echo "heddle:folder $PWD"',
    'echo "heddle:system $(uname -s) $(uname -m)"',
    'echo "heddle:libc $(getconf GNU_LIBC_VERSION 2>/dev/null)"',
    'echo "heddle:node $(node -p process.versions.node 2>/dev/null)"',
    'echo "heddle:gzip $(command -v gzip)"',
    'for pack in packs/*; do echo "heddle:pack ${pack#packs/}"; done',
    'echo "heddle:end"',
  ].join("; "),
  /** Stores the rest of its input: folder, name, size in bytes, "gzip" or "plain", bytes. */
  store: [
    GO_THERE,
    'IFS= read -r name; IFS= read -r size; IFS= read -r form; cd "$dir/packs" || exit 1; part=$name.part$$',
    'case $form in gzip) gzip -dc > "$part";; *) cat > "$part";; esac',
    'if [ "$(wc -c < "$part" | tr -d " ")" = "$size" ] && chmod 700 "$part" && mv -f "$part" "$name"',
    'then echo heddle:stored; else rm -f "$part"; exit 1; fi',
  ].join("; "),
  /** Becomes the agent: folder, Node.js, the agent's file. */
  run: [
    GO_THERE,
    'IFS= read -r node; IFS= read -r agent; cd "$dir" || exit 1',
    "case $node in packs/*) node=$PWD/$node;; esac",
    'exec "$node" "packs/$agent"',
  ].join("; "),
};

export interface CommandEnd {
  readonly code: number | null;
  readonly stderr: string;
}

export class Command {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when it has ended and all its lines were handled. */
  readonly ended: Promise<CommandEnd>;
  #stderr = "";
  #rest = "";

  /** @param onLine what follows the mark, of lines that have it. */
  constructor(
    command: readonly string[],
    onLine: (text: string) => void,
    { missing }: { readonly missing: HeddleError },
  ) {
    const [program = "", ...args] = command;
    // Out of the terminal's process group: Ctrl-C is for us to pass on.
    this.child = spawn(program, args, { stdio: "pipe", detached: true });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      // A login shell may have printed something without a line end.
      for (const line of lines) {
        const at = line.indexOf(MARK);
        if (at >= 0) onLine(line.slice(at + MARK.length).replace(/\r$/, ""));
      }
    });
    this.child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => void (this.#stderr = (this.#stderr + text).slice(-8000)));
    // The end of the command reports a connection that is gone.
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((done, fail) => {
      this.child.on("error", (error: NodeJS.ErrnoException) => fail(error.code === "ENOENT" ? missing : error));
      // Not "close": the first connection leaves a process behind for the next ones, and it may keep standard error
      // open.
      const drained = new Promise<void>((resolve) => void this.child.stdout.on("end", resolve));
      this.child.on(
        "exit",
        (code) => void drained.then(() => setTimeout(() => done({ code, stderr: this.#stderr.trim() }), 50)),
      );
    });
    // A command whose end nobody awaits is no error.
    this.ended.catch(() => undefined);
  }

  kill(): void {
    if (this.child.pid !== undefined && this.child.exitCode === null) this.child.kill("SIGTERM");
  }
}

/** How scripts get to a machine. */
export class Connection {
  readonly #machine: Machine;
  #folder: string | null = null;
  #sockets = 0;
  /** The user's own configuration shares connections: then it is left alone. */
  readonly #isShared: boolean;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#isShared = machine.kind === "ssh" && hasControlPath(machine);
  }

  /** @param lines what the script reads first. */
  start(script: Script, lines: readonly string[], onLine: (text: string) => void): Command {
    const isSlurm = this.#machine.kind === "slurm";
    const missing = isSlurm
      ? new HeddleError("unreachable", "there is no srun on this machine", {
          notes: ["--on slurm starts jobs with Slurm's srun: run it on a login node of the cluster"],
        })
      : new HeddleError("unreachable", "there is no ssh on this machine", {
          notes: ["--on ssh://… uses the system's OpenSSH client"],
        });
    const command = new Command(this.#command(script), onLine, { missing });
    command.child.stdin.write([this.#machine.folder, ...lines].map((line) => `${line}\n`).join(""));
    return command;
  }

  /** After a connection was lost: what is left of it is not used again. */
  renew(): void {
    this.#sockets++;
  }

  close(): void {
    if (this.#folder === null) return;
    if (this.#machine.kind === "ssh")
      spawnSync("ssh", ["-O", "exit", ...this.#sharing(), ...destination(this.#machine)], {
        stdio: "ignore",
        timeout: 5000,
      });
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  #command(script: Script): string[] {
    const machine = this.#machine;
    const text = SCRIPTS[script];
    // The nodes see the folder: what is uploaded to them is stored from here.
    if (machine.kind === "slurm")
      return script === "run"
        ? ["srun", "--nodes=1", "--ntasks=1", ...machine.options, "/bin/sh", "-c", text]
        : ["/bin/sh", "-c", text];
    const options = [
      "BatchMode=yes",
      "ConnectTimeout=20",
      "ServerAliveInterval=10",
      "ServerAliveCountMax=3",
      "ForwardX11=no",
      "ForwardAgent=no",
      "ClearAllForwardings=yes",
      "RequestTTY=no",
    ];
    return [
      "ssh",
      ...options.flatMap((option) => ["-o", option]),
      ...this.#sharing(),
      ...destination(machine),
      `exec /bin/sh -c '${text}'`,
    ];
  }

  #sharing(): string[] {
    if (this.#isShared) return [];
    this.#folder ??= mkdtempSync(join(tmpdir(), "heddle-ssh-"));
    return [
      "-o",
      "ControlMaster=auto",
      "-o",
      "ControlPersist=60",
      "-o",
      `ControlPath=${join(this.#folder, String(this.#sockets))}`,
    ];
  }
}

function destination({ host, user, port }: SshMachine): string[] {
  return [...(user === null ? [] : ["-l", user]), ...(port === null ? [] : ["-p", String(port)]), "--", host];
}

function hasControlPath(machine: SshMachine): boolean {
  const { status, stdout } = spawnSync("ssh", ["-G", ...destination(machine)], { encoding: "utf8", timeout: 10_000 });
  const path = /^controlpath (.*)$/m.exec(stdout ?? "")?.[1];
  return status === 0 && path !== undefined && path !== "none";
}

/** What ssh's or srun's last words mean, and what to do. */
export function connectionError(machine: Machine, { code, stderr }: CommandEnd): HeddleError {
  const said = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-8);
  if (machine.kind === "slurm")
    return new HeddleError("unreachable", `srun has ended with exit code ${code ?? "none"} before the bench began`, {
      notes: said,
    });
  const to = `${machine.user === null ? "" : `${machine.user}@`}${machine.host}`;
  const byHand = `ssh ${machine.port === null ? "" : `-p ${machine.port} `}${to}`;
  const [what, ...todo] = reasonOf(stderr, { to, byHand, host: machine.host, port: machine.port });
  return new HeddleError("unreachable", `${machine.name} cannot be reached: ${what}`, { notes: [...said, ...todo] });
}

function reasonOf(
  stderr: string,
  {
    to,
    byHand,
    host,
    port,
  }: { readonly to: string; readonly byHand: string; readonly host: string; readonly port: number | null },
): readonly [string, ...string[]] {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(stderr)) {
    const name = port === null ? host : `"[${host}]:${port}"`;
    return [
      "its key is not the one that is known",
      `if that is right (a new installation), ssh-keygen -R ${name} forgets the old one`,
    ];
  }
  if (/Host key verification failed/.test(stderr))
    return ["its key is not known", `${byHand} shows the key; compare it, and answer yes`];
  if (/Permission denied/.test(stderr))
    return [
      "it does not let us in",
      `no password is asked for here: ssh-copy-id ${to} puts your key there, ssh-add unlocks it; ` +
        `${byHand} must work without a question`,
    ];
  if (/Could not resolve hostname/.test(stderr)) return ["there is no host of this name"];
  if (/Connection refused/.test(stderr))
    return ["nothing listens there", `is sshd running, and is ${port ?? 22} its port?`];
  if (/timed out|No route to host|Network is unreachable/.test(stderr)) return ["there is no way to it"];
  return ["ssh has ended", `does "${byHand}" work by itself?`];
}
