/** The scripts that run on the other machine, by themselves: names are never a part of a command. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { connectionError, SCRIPTS } from "./connection.ts";
import { parseMachine } from "./machine.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-scripts-"));
afterAll(() => rmSync(root, { recursive: true }));

test("they have nothing that a login shell would read in another way", () => {
  for (const script of Object.values(SCRIPTS)) expect(script).not.toMatch(/['\\!\n]/);
});

test.each(["sh", "bash"])("a folder's name may be anything, for %s", (shell) => {
  const folder = join(root, `${shell} "it's" $(touch ${root}/touched) \`x\` ; * \\ ü`);
  const run = (script: keyof typeof SCRIPTS, lines: readonly string[]) =>
    spawnSync(shell, ["-c", `exec /bin/sh -c '${SCRIPTS[script]}'`], {
      input: [folder, ...lines].join("\n"),
      encoding: "utf8",
    });
  expect(run("look", [""])).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining(`heddle:folder ${folder}\nheddle:system `),
  });
  // What comes short is not kept.
  for (const [size, status] of [
    ["5", 0],
    ["6", 1],
  ] as const) {
    expect(run("store", [`name${size}`, size, "plain", "a\nb\nc"])).toMatchObject({ status });
    expect(existsSync(join(folder, `packs/name${size}`))).toBe(status === 0);
  }
  expect(readFileSync(join(folder, "packs/name5"), "utf8")).toBe("a\nb\nc");
  expect(readdirSync(join(folder, "packs"))).toEqual(["name5"]);
  expect(run("look", [""]).stdout).toContain("heddle:pack name5\nheddle:end\n");
  expect(existsSync(join(root, "touched"))).toBe(false);
});

test("what ssh says is told with what to do", () => {
  const machine = parseMachine("ssh://me@gpu:2222");
  const told = (stderr: string): string => {
    const { message, notes } = connectionError(machine, { code: 255, stderr });
    return [message, ...notes].join("\n");
  };
  expect(told("me@gpu: Permission denied (publickey).")).toMatch(
    /^gpu port 2222 cannot be reached: it does not let us in\n.*Permission denied[\s\S]*ssh -p 2222 me@gpu must work/,
  );
  expect(told("kex_exchange_identification: Connection closed by remote host")).toMatch(
    /ssh has ended\n.*Connection closed[\s\S]*does "ssh -p 2222 me@gpu" work by itself\?/,
  );
  expect(told("ssh: connect to host gpu port 2222: Connection timed out")).toMatch(/there is no way to it/);
});
