// Writes the table of the samples of cudnn-frontend in docs/library-details.md from docs/lab/cudnn-frontend.json.
// `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, writeOrCheck } from "../docs-pages.mjs";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/library-details.md"), "utf8");
const results = JSON.parse(readFileSync(join(root, "docs/lab/cudnn-frontend.json"), "utf8"));

/** Why cases of these files fail. */
const PEERS = "statistics of several devices (peers), whose buffers have no documented layout";
const LARGE = "a tensor of more than 2^31 elements";
const NAN_STATISTICS = "statistics of rows behind the length are NaN, by the graph and by the plan; NaN is never equal";
const REASONS = {
  "convolution/fprop.cpp": LARGE,
  "misc/sm_carveout.cpp": PEERS,
  "norm/batchnorm.cpp": PEERS,
  "sdpa/fp16_fwd_paged_decode_and_prefill.cpp": "more than the 4 GiB of device memory that Node.js 20 has",
  "sdpa/fp16_fwd_with_cudagraphs.cpp": NAN_STATISTICS,
};

const shortened = (text) => text.replaceAll("<", "&lt;").replace(/^(.{0,100}\b).*$/s, "$1");
const counts = { all: 0, passed: 0, skipped: 0, failed: 0 };
const rows = Object.entries(results).map(([file, { cases }]) => {
  const all = Object.values(cases);
  const of = (status) => all.filter((one) => one.status === status);
  const [passed, skipped, failed] = ["passed", "skipped", "failed"].map(of);
  counts.all += all.length;
  counts.passed += passed.length;
  counts.skipped += skipped.length;
  counts.failed += failed.length;
  const said = [...new Set([...failed, ...skipped].map((one) => shortened(one.said)))];
  const why = failed.length > 0 ? (REASONS[file] ?? said[0]) : said.join("; ");
  return [file, ...[all, passed, skipped, failed].map(({ length }) => String(length)), why ?? ""];
});
const head = ["sample file", "cases", "passed", "skipped by the sample", "failed", "why"];
const { all, passed, skipped, failed } = counts;
const part = `Of ${all} cases ${passed} pass, the samples skip ${skipped}, and ${failed} fail:

${markdownTable(head, rows)}
`;
const [before, rest] = page.split(/(?<=-- cudnn-frontend:.*\n)/);
const after = rest.slice(rest.indexOf("<!-- end of cudnn-frontend -->"));
writeOrCheck({ "docs/library-details.md": `${before}${part}${after}` });
