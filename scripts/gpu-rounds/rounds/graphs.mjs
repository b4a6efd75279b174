// cuDNN's graphs on a GPU: the test program, and with --checkouts the samples of NVIDIA's cudnn-frontend, a program for
// each of their folders, whose graphs are handed over.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  byFolder,
  casesOf,
  sampleArguments,
  sampleFiles,
  sourcesOf,
  writeCatchHeaders,
} from "../../compat/cudnn-samples.mjs";

const RESULT = "docs/lab/cudnn-frontend-h200.json";

export default {
  row: "cuDNN's graph API on a GPU: handed over, and the samples of cudnn-frontend",
  minutes: 4,
  jobs: 4,
  async prepare(p) {
    await p.program("dnn-graph", "src/cli/test-programs/dnn-graph.cu", ["-lcudnn"]);
    // The count of launches says what was Heddle's own.
    p.step("dnn-graph", 'PROGRAM_OPTIONS="--json=$RESULT/launches.json" program dnn-graph $DEVICE', {
      seconds: 150,
      needs: "any",
      uses: ["programs/dnn-graph"],
    });
    const folders = ["NVIDIA+cudnn-frontend", "catchorg+Catch2"].map((name) => join(p.checkouts ?? "", name));
    if (p.checkouts === null || !folders.every((folder) => existsSync(folder))) {
      console.log(
        "the samples are left out: --checkouts FOLDER with NVIDIA+cudnn-frontend and catchorg+Catch2 adds them",
      );
      return;
    }
    const [checkout, catch2] = folders;
    const work = mkdtempSync(join(tmpdir(), "heddle-cudnn-frontend-"));
    writeCatchHeaders(catch2, work);
    await Promise.all(
      byFolder(sampleFiles(checkout, (file) => p.wants(file))).map(async (files) => {
        const name = `samples-${files[0].split("/")[0]}`;
        const sources = sourcesOf(checkout, files, work);
        try {
          await p.program(name, [], sampleArguments(checkout, sources, work), { standard: [] });
        } catch (error) {
          console.log(`${name} is left out: ${error.message.slice(0, 300)}`);
          return;
        }
        p.step(name, `PROGRAM_OPTIONS="--json=$RESULT/launches.json" program ${name} -r xml >"$RESULT/report.xml"`, {
          seconds: 240,
          uses: [`programs/${name}`],
        });
      }),
    );
  },
  take({ steps, save }) {
    const wrong = [];
    const results = {};
    const graph = steps.get("dnn-graph");
    if (graph === undefined || graph.status !== 0 || !/^PASSED$/m.test(graph.out))
      wrong.push(`dnn-graph: ${graph?.out.trim().slice(-400) ?? "not run"}`);
    for (const [name, step] of steps) {
      if (!name.startsWith("samples-") || step.status === 77) continue;
      for (const [file, cases] of Object.entries(casesOf((step.file("report.xml") ?? "").toString(), step.status))) {
        results[file] = { date: step.machine.date, gpu: step.machine.gpu, cases };
        for (const [title, { status, said }] of Object.entries(cases))
          if (status === "failed") wrong.push(`${file}, ${title}: ${said.slice(0, 200)}`);
      }
    }
    const all = Object.values(results).flatMap(({ cases }) => Object.values(cases));
    console.log(`${all.filter(({ status }) => status === "passed").length} of ${all.length} cases of the samples pass`);
    if (all.length > 0) save(RESULT, `${JSON.stringify(results, null, 1)}\n`);
    return { wrong };
  },
};
