// Measures the engine against native rivals. `npm run bench:engine -- --help`
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, tmpdir, type } from "node:os";
import { join, resolve } from "node:path";
import { browserEngines, findBrowser } from "./browsers.mjs";
import { Contestant } from "./contestant.mjs";
import { engineCommand, findEngines } from "./engines.mjs";
import { measureInTurns, WrongResult } from "./measure.mjs";
import { HELP, parseOptions, UsageError } from "./options.mjs";
import { writePlan } from "./plan.mjs";
import {
  asMarkdown,
  asText,
  browserTable,
  circumstances,
  growthTable,
  mainTable,
  modelsTable,
  replaceBetween,
  TWO_WORKERS,
  workersTable,
} from "./report.mjs";
import { findRivals } from "./rivals.mjs";
import { blockCount, GROWTH, makeCase } from "./rows.mjs";

const DOCUMENT = resolve(import.meta.dirname, "../../docs/performance.md");

async function main(options) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  try {
    const engines = findEngines(options);
    const { rivals, missing } = options.rivals ? findRivals(folder) : { rivals: {}, missing: [] };
    for (const message of missing) console.log(`NOT MEASURED: ${message}`);
    const browser = options.browser ? await findBrowser() : null;
    if (browser?.missing !== undefined) {
      console.log(`NOT MEASURED: ${browser.missing}`);
      missing.push(browser.missing);
    }
    if (options.markdown && missing.length > 0) throw new UsageError("--markdown needs all rivals and a browser");
    const twoWorkers = options.extras && availableParallelism() > 1;
    if (options.extras && !twoWorkers)
      console.log("NOT MEASURED: two workers over one: there is one processor only, or the process is bound to one");

    const report = {
      date: new Date().toISOString().slice(0, 10),
      machine: { cpu: cpus()[0].model.trim(), cores: cpus().length, system: `${type()} ${release()}` },
      engines: engines.map(({ label }) => label),
      engineDescriptions: [
        ...engines.map(({ description }) => description),
        ...(browser?.description === undefined ? [] : [browser.description]),
      ],
      rivals: Object.keys(rivals),
      rivalDescriptions: Object.values(rivals).map(({ description }) => description),
      samples: options.samples,
      missing,
      rows: [],
      growth: [],
      wrong: [],
    };
    console.log(`${circumstances(report)}\n`);
    const session = { folder, samples: options.samples, report };
    for (const row of options.rows) {
      const contestants = [
        ...engines.map((engine) => ({ label: engine.label, command: engineCommand(engine, row.kernel, folder) })),
        ...(twoWorkers && row.computeBound
          ? [{ label: TWO_WORKERS, command: engineCommand({ ...engines[0], workers: 2 }, row.kernel, folder) }]
          : []),
        ...(browser?.description === undefined
          ? []
          : browserEngines(row, { engine: options.engine, twoWorkers, folder })),
      ];
      report.rows.push(await measureRow(session, row, contestants, rivals));
      console.log(progress(report));
    }
    if (options.extras) {
      for (const row of GROWTH.filter(({ name }) => options.rows.some((other) => other.name === name)))
        report.growth.push(await measureGrowth(session, row, engines[0]));
    }
    print(report);
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
    if (options.markdown) writeDocument(report);
    return report.wrong.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One case, all contestants in turns. */
async function measureRow({ folder, samples, report }, row, engines, rivals) {
  const case_ = makeCase(row);
  writePlan(folder, case_);
  const contestants = [...engines];
  for (const [label, rival] of Object.entries(rivals)) {
    const command = rival.command(row.kernel, case_, folder);
    if (command !== null) contestants.push({ label, command });
  }
  const results = {};
  const started = await start(
    contestants.map((contestant) => ({ ...contestant, case_ })),
    case_.expected(),
    `${row.name}`,
    report,
  );
  const summaries = await finish(started, samples, report);
  started.forEach(({ label, contestant }, i) => {
    if (summaries !== null) results[label] = { ...summaries[i], tier: contestant.description };
  });
  const { name, title, target, kernel } = row;
  return { name, title, target, unit: kernel.unit, work: case_.work, results };
}

/**
 * One kernel at several sizes, in turns, in one process: all run the same compiled code. V8 makes faster or slower code
 * of the same kernel in one process or another, and that is no matter of the grid.
 */
async function measureGrowth({ folder, samples, report }, row, engine) {
  const sizes = row.sizes.map((size) => {
    const case_ = makeCase({ kernel: row.kernel, size });
    const at = mkdtempSync(join(folder, "size-"));
    writePlan(at, case_);
    return { case_, at, blocks: blockCount(case_) };
  });
  const [process_] = await start(
    [{ label: "growth", command: engineCommand(engine, row.kernel, ...sizes.map(({ at }) => at)) }],
    null,
    row.name,
    report,
  );
  const entries =
    process_ === undefined
      ? []
      : sizes.map(({ case_, blocks }, i) => ({
          label: String(blocks),
          row: row.name,
          blocks,
          case_,
          expected: case_.expected(),
          contestant: process_.contestant.case(i),
        }));
  const summaries = process_ === undefined ? null : await finish(entries, samples, report);
  return {
    name: row.name,
    title: row.title,
    sizes: summaries === null ? [] : entries.map(({ blocks }, i) => ({ blocks, ms: summaries[i] })),
  };
}

/** Starts processes; what does not start is reported, and the others go on. */
async function start(contestants, expected, rowName, report) {
  const entries = [];
  for (const { command, label, ...rest } of contestants) {
    try {
      entries.push({ ...rest, label, row: rowName, expected, contestant: await Contestant.start(command) });
    } catch (error) {
      fail(report, `${rowName}, ${label}: ${error.message}`);
    }
  }
  return entries;
}

/** Measures and ends processes. null: some result was wrong, and none of the row counts. */
async function finish(entries, samples, report) {
  try {
    return await measureInTurns(entries, samples);
  } catch (error) {
    if (!(error instanceof WrongResult)) throw error;
    fail(report, error.message);
    return null;
  } finally {
    for (const { contestant } of entries) await contestant.close();
  }
}

function fail(report, message) {
  report.wrong.push(message);
  console.log(`FAILED: ${message}`);
}

/** The last row, as it will stand in the table. */
function progress(report) {
  const [head, cells] = mainTable({ ...report, rows: report.rows.slice(-1) });
  return cells
    .flatMap((cell, i) => {
      if (i === 0) return [`${cell}:`];
      return cell === "" ? [] : [`${head[i]} ${cell}`];
    })
    .join("  ");
}

function tables(report) {
  return [
    { title: "Against native rivals", table: mainTable(report) },
    { title: "64-bit programs over 32-bit ones", table: modelsTable(report) },
    { title: "Two worker threads over one", table: workersTable(report) },
    { title: "In a browser", table: browserTable(report) },
    { title: "A block's cost as the grid grows", table: growthTable(report) },
  ].filter(({ table }) => table.length > 1);
}

function print(report) {
  for (const { title, table } of tables(report)) console.log(`\n${title}\n\n${asText(table)}`);
  for (const message of report.wrong) console.log(`FAILED: ${message}`);
}

function writeDocument(report) {
  const content = [
    circumstances(report),
    ...tables(report).map(({ title, table }) => `### ${title}\n\n${asMarkdown(table)}`),
  ].join("\n\n");
  writeFileSync(DOCUMENT, replaceBetween(readFileSync(DOCUMENT, "utf8"), "bench:engine", content));
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(HELP);
  else process.exitCode = await main(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`bench:engine: ${error.message}\nTry --help.`);
  process.exitCode = 64;
}
