/**
 * A real sshd on loopback, with its own host key, authorized keys and configuration in a folder of its own: no service
 * of the system, and nothing of the user's ssh.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

/** null where it is not installed. */
export const SSHD: string | null =
  ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].find((path) => existsSync(path)) ?? null;

if (SSHD === null)
  process.stderr.write(
    "\nSKIPPED: no sshd was found, so the tests of heddle bench --on ssh://… do not run (Debian: apt-get install " +
      "openssh-server)\n\n",
  );

/** What POSIX has, and heddle bench --on calls there. */
const TOOLS = ["sh", "mkdir", "cat", "chmod", "mv", "rm", "uname", "getconf", "wc", "tr"];

export interface TestSshd {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  /** For programs that call ssh: they get one that knows this sshd. */
  readonly env: Readonly<Record<string, string>>;
  /** Of processes that serve a connection. */
  sessions(): number[];
  start(): Promise<void>;
  /** The listening process and all sessions. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => void server.close(done));
  return port;
}

const found = (name: string): string =>
  spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();

/**
 * @param more lines of its configuration.
 * @param extra programs that it has besides POSIX's.
 */
export async function startSshd(more: readonly string[] = [], extra: readonly string[] = []): Promise<TestSshd> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-sshd-"));
  const port = await freePort();
  const keygen = (name: string): void =>
    void spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  for (const name of ["host", "user", "stranger"]) keygen(name);
  const publicKey = (name: string): string =>
    readFileSync(join(folder, `${name}.pub`), "utf8")
      .split(" ")
      .slice(0, 2)
      .join(" ");
  writeFileSync(join(folder, "authorized_keys"), `${publicKey("user")}\n`);
  for (const [file, key] of [
    ["known_hosts", "host"],
    ["wrong_hosts", "stranger"],
  ] as const)
    writeFileSync(
      join(folder, file),
      ["127.0.0.1", "::1"].map((host) => `[${host}]:${port} ${publicKey(key)}\n`).join(""),
    );
  // A machine that has POSIX's tools and nothing else: no Node.js, no gzip, no tar.
  const tools = join(folder, "tools");
  mkdirSync(tools);
  for (const name of [...TOOLS, ...extra]) symlinkSync(found(name), join(tools, name));
  writeFileSync(
    join(folder, "sshd_config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      "ListenAddress ::1",
      `HostKey ${join(folder, "host")}`,
      `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
      `PidFile ${join(folder, "pid")}`,
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "PermitRootLogin prohibit-password",
      `SetEnv PATH=${tools}`,
      ...more,
      "",
    ].join("\n"),
  );
  const wrapped = join(folder, "bin");
  mkdirSync(wrapped);
  writeFileSync(
    join(folder, "ssh_config"),
    "IdentitiesOnly yes\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\n",
  );
  writeFileSync(
    join(wrapped, "ssh"),
    `#!/bin/sh\nexec ${found("ssh")} -F ${folder}/ssh_config -o IdentityFile=${folder}/\${TEST_KEY:-user} -o ` +
      `UserKnownHostsFile=${folder}/\${TEST_HOSTS:-known_hosts} "$@"\n`,
  );
  chmodSync(join(wrapped, "ssh"), 0o755);
  // Of a system that has never started its own.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  let listener: ChildProcess | null = null;
  const sessions = (): number[] =>
    spawnSync("pgrep", ["-P", String(listener?.pid ?? 0)], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((line) => line !== "")
      .map(Number);
  const env = { PATH: `${wrapped}:${process.env["PATH"] ?? ""}` };
  const sshd: TestSshd = {
    folder,
    port,
    user: userInfo().username,
    env,
    sessions,
    start: async () => {
      listener = spawn(SSHD as string, ["-D", "-f", join(folder, "sshd_config"), "-E", join(folder, "log")], {
        stdio: "ignore",
      });
      for (let i = 0; i < 100; i++) {
        if (
          spawnSync("ssh", ["-p", String(port), "127.0.0.1", "true"], { env: { ...process.env, ...env } }).status === 0
        )
          return;
        await after(50);
      }
      throw new Error(`sshd does not start: ${readFileSync(join(folder, "log"), "utf8")}`);
    },
    stop: async () => {
      const own = listener;
      if (own === null) return;
      for (const pid of sessions()) process.kill(pid, "SIGKILL");
      const ended = new Promise((done) => void own.on("exit", done));
      own.kill("SIGTERM");
      await ended;
      listener = null;
    },
    close: async () => {
      await sshd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await sshd.start();
  return sshd;
}
