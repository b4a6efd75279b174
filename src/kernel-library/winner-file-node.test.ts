import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PROMOTED_FILE, readWinners, writeWinners } from "./winner-file-node.ts";
import { ranked, withWinner, type Winner } from "./winners.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-promoted-"));
afterAll(() => rmSync(folder, { recursive: true }));

const winner = (name: string, n: number, version = "1-a", kind: "cuda" | "emulated" = "cuda"): Winner => ({
  device: { kind, name },
  shape: { n },
  version,
  configuration: { BLOCK: 64 },
  medianMs: 1,
  source: "s",
  time: "2026-01-02T03:04:05Z",
});

test("the device's own come first, the nearest shape of them; other kinds not at all", () => {
  const all = [
    winner("H100", 1000, "other device, near"),
    winner("H200", 10, "far"),
    winner("H200", 3000, "near"),
    winner("H200", 1000, "emulated", "emulated"),
  ];
  expect(ranked(all, { kind: "cuda", name: "H200" }, { n: 1000 }).map(({ version }) => version)).toEqual([
    "near",
    "far",
    "other device, near",
  ]);
  // Factors count, not differences: 10 is nearer to 50 than 3000 is.
  expect(ranked(all, { kind: "cuda", name: "H200" }, { n: 50 })[0]?.version).toBe("far");
  expect(ranked(all, { kind: "emulated", name: "A100" }, { n: 1 }).map(({ version }) => version)).toEqual(["emulated"]);
});

test("a switch counts more than any factor", () => {
  const at = (version: string, n: number, causal: number): Winner => ({
    ...winner("H200", n, version),
    shape: { n, causal },
  });
  const all = [at("without", 1000, 0), at("with, far", 10, 1), at("with, near", 900, 1)];
  const chosen = (n: number, causal: number): string | undefined =>
    ranked(all, { kind: "cuda", name: "H200" }, { n, causal })[0]?.version;
  expect([chosen(1000, 1), chosen(20, 1), chosen(10, 0)]).toEqual(["with, near", "with, far", "without"]);
});

test("each winner of the ladders that come with Heddle is the first at its own device and shape", () => {
  const kernels = new URL("../../kernels/", import.meta.url).pathname;
  const all = readdirSync(kernels).flatMap((name) => {
    const winners = readWinners(join(kernels, name));
    return winners.map((winner) => ({ name, winner, first: ranked(winners, winner.device, winner.shape)[0] }));
  });
  expect(all.length).toBeGreaterThan(70);
  for (const { name, winner: own, first } of all) expect({ name, first }).toEqual({ name, first: own });
});

test("a winner takes the place of the one for its device and shape, in whatever order they come", () => {
  const [a, b, later] = [winner("H200", 1), winner("H100", 1), winner("H200", 1, "2-b")];
  expect(withWinner(withWinner([a], b), later)).toEqual([b, later]);
  expect(withWinner(withWinner([], b), a)).toEqual(withWinner(withWinner([], a), b));
});

test("written and read; what is no such file is said", () => {
  expect(readWinners(folder)).toEqual([]);
  writeWinners(folder, [winner("H200", 1)]);
  expect(readWinners(folder)).toEqual([winner("H200", 1)]);
  expect(readFileSync(join(folder, PROMOTED_FILE), "utf8")).toContain('"generated"');
  for (const text of ["{", "{}", '{"format":2,"winners":[]}']) {
    writeFileSync(join(folder, PROMOTED_FILE), text);
    expect(() => readWinners(folder)).toThrow(/promoted\.json cannot be read/);
  }
});
