/**
 * A real Slurm of one node, this machine: munged, slurmctld and slurmd with a configuration in a folder of its own, no
 * service of the system. They want to be root.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

const PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "squeue", "sinfo"];
const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;
const missing = PROGRAMS.find(
  (name) => spawnSync("sh", ["-c", `command -v ${name}`], { env: { PATH: path } }).status !== 0,
);

/** Whether it can be started here. */
export const HAS_SLURM: boolean = missing === undefined && process.getuid?.() === 0;

if (!HAS_SLURM) {
  const why =
    missing === undefined
      ? "its daemons are started by root alone"
      : `there is no ${missing} (Debian: apt-get install munge slurmctld slurmd slurm-client)`;
  process.stderr.write(`\nSKIPPED: the tests of heddle bench --on slurm do not run: ${why}\n\n`);
}

export interface TestSlurm {
  readonly env: Readonly<Record<string, string>>;
  /** Jobs that wait or run. */
  jobs(): number;
  close(): Promise<void>;
}

export async function startSlurm(): Promise<TestSlurm> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-slurm-"));
  const inside = (name: string): string => join(folder, name);
  const host = hostname().split(".")[0] as string;
  const port = 16800 + (randomBytes(1)[0] as number) * 2;
  // munged refuses a folder that others may write to, or that its users cannot enter.
  spawnSync("chmod", ["755", folder]);
  for (const name of ["state", "spool"]) mkdirSync(inside(name));
  writeFileSync(inside("munge.key"), randomBytes(1024), { mode: 0o600 });
  writeFileSync(
    inside("slurm.conf"),
    [
      "ClusterName=test",
      `SlurmctldHost=${host}(127.0.0.1)`,
      "AuthType=auth/munge",
      `AuthInfo=socket=${inside("munge.socket")}`,
      "CryptoType=crypto/munge",
      "SlurmUser=root",
      "SlurmdUser=root",
      `StateSaveLocation=${inside("state")}`,
      `SlurmdSpoolDir=${inside("spool")}`,
      ...["slurmctld", "slurmd"].flatMap((name) => [
        `${name === "slurmd" ? "Slurmd" : "Slurmctld"}PidFile=${inside(`${name}.pid`)}`,
        `${name === "slurmd" ? "Slurmd" : "Slurmctld"}LogFile=${inside(`${name}.log`)}`,
      ]),
      `SlurmctldPort=${port}`,
      `SlurmdPort=${port + 1}`,
      "ProctrackType=proctrack/linuxproc",
      "TaskPlugin=task/none",
      "SchedulerType=sched/builtin",
      "SelectType=select/cons_tres",
      "MpiDefault=none",
      "ReturnToService=2",
      "AccountingStorageType=accounting_storage/none",
      "JobAcctGatherType=jobacct_gather/none",
      `NodeName=${host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN`,
      "PartitionName=gpu Nodes=ALL Default=YES State=UP",
      "",
    ].join("\n"),
  );
  const env = { PATH: path, SLURM_CONF: inside("slurm.conf") };
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { env: { ...process.env, ...env }, encoding: "utf8", timeout: 30_000 });
  const start = (command: string, args: readonly string[]): void => {
    const { status, stderr } = run(command, args);
    if (status !== 0) throw new Error(`${command} does not start: ${stderr}`);
  };
  start("munged", [
    "--force",
    ...[
      "key-file=munge.key",
      "socket=munge.socket",
      "pid-file=munged.pid",
      "log-file=munged.log",
      "seed-file=munged.seed",
    ].map((option) => `--${option.replace("=", `=${folder}/`)}`),
  ]);
  start("slurmctld", ["-c"]);
  start("slurmd", []);
  for (let i = 0; run("sinfo", ["--noheader", "--format=%T"]).stdout.trim() !== "idle"; i++) {
    if (i === 100) throw new Error(`the node does not come: ${readFileSync(inside("slurmd.log"), "utf8")}`);
    await after(100);
  }
  return {
    env,
    jobs: () =>
      run("squeue", ["--noheader"])
        .stdout.split("\n")
        .filter((line) => line.trim() !== "").length,
    close: async () => {
      for (const name of ["slurmd", "slurmctld", "munged"]) {
        if (!existsSync(inside(`${name}.pid`))) continue;
        const pid = Number(readFileSync(inside(`${name}.pid`), "utf8"));
        process.kill(pid, "SIGTERM");
        for (let i = 0; i < 100 && existsSync(`/proc/${pid}`); i++) await after(50);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
