/** Nsight Compute's CSV, and our counters beside it. */
import { expect, test } from "vitest";
import { comparableName, compareWithNcu } from "./compare-ncu.ts";
import { parseNcuCsv } from "./ncu-csv.ts";
import { ncuText } from "./ncu-text.ts";

const SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

const SHAPE = { grid: { x: 1, y: 1, z: 1 }, block: { x: 32, y: 1, z: 1 } };
const HEAD = '"ID","Process ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"';
const row = (id: number, kernel: string, metric: string, unit: string, value: string): string =>
  `"${id}","77","${kernel}","(32, 1, 1)","(1, 1, 1)","${metric}","${unit}","${value}"`;

const ROWS = [
  "the program's own line",
  '"a quoted one"',
  "==PROF== Connected to process 77",
  HEAD,
  row(0, "void scale<(int)256>(float *, int)", SECTORS, "sector", "1,048,576"),
  row(0, "void scale<(int)256>(float *, int)", CONFLICTS, "", "0"),
  row(0, "void scale<(int)256>(float *, int)", "dram__bytes_read.sum", "Mbyte", "4.5"),
  row(0, "void scale<(int)256>(float *, int)", "gpu__time_duration.sum", "usecond", "12.5"),
  row(0, "void scale<(int)256>(float *, int)", "sm__throughput", "%", "n/a"),
  row(1, 'named ""x""(int)', SECTORS, "sector", "5"),
  "==PROF== Disconnected",
].join("\n");

test("a row for each launch and metric, among the output of the program", () => {
  expect(parseNcuCsv(ROWS, "a.csv")).toEqual([
    {
      id: "0",
      kernel: "void scale<(int)256>(float *, int)",
      ...SHAPE,
      metrics: {
        [SECTORS]: 1_048_576,
        [CONFLICTS]: 0,
        "dram__bytes_read.sum": 4.5e6,
        "gpu__time_duration.sum": 12_500,
      },
    },
    { id: "1", kernel: 'named "x"(int)', ...SHAPE, metrics: { [SECTORS]: 5 } },
  ]);
});

test("a column for each metric (--page raw)", () => {
  const raw = [
    `"ID","Kernel Name","Block Size","${SECTORS}","dram__bytes_read.sum","gpu__time_duration.sum"`,
    '"","","","sector","Kbyte","ns"',
    '"0","k(float *)","(32, 1, 1)","128","4.1","2,048"',
  ].join("\r\n");
  expect(parseNcuCsv(raw, "a.csv")).toEqual([
    {
      id: "0",
      kernel: "k(float *)",
      grid: null,
      block: { x: 32, y: 1, z: 1 },
      metrics: { [SECTORS]: 128, "dram__bytes_read.sum": 4100, "gpu__time_duration.sum": 2048 },
    },
  ]);
});

test("files without counters are refused", () => {
  expect(() => parseNcuCsv("==ERROR== ERR_NVGPUCTRPERM", "a.csv")).toThrow(/a\.csv \(--ncu\) has no table/);
  expect(() => parseNcuCsv(HEAD, "a.csv")).toThrow(/without counters/);
});

test("names as ncu and as Heddle write them", () => {
  for (const [theirs, ours] of [
    ["void scale<(int)256>(float *, int)", "scale<256>"],
    ["transpose_columns(float *, const float *, int)", "transpose_columns"],
    ["void ns::f<float, (bool)1, ns::Op<int>>(T1 *)", "ns::f<float, 1, ns::Op<int>>"],
    ["<unnamed>::k(int)", "(anonymous namespace)::k"],
    ["void g<(unsigned int)4, (int)-1>(int (*)(int))", "g<4, -1>"],
  ] as const)
    expect(comparableName(theirs)).toBe(comparableName(ours));
});

test("side by side: what is 0 on one side, what only ncu has, launches without a counterpart", () => {
  const own = (
    ordinal: number,
    name: string,
    metrics: Record<string, number>,
  ): Parameters<typeof compareWithNcu>[0][0] => ({
    ...SHAPE,
    ordinal,
    name,
    metrics,
  });
  const report = compareWithNcu(
    [
      { ...own(1, "scale<256>", {}), block: { x: 64, y: 1, z: 1 } },
      own(1, "scale<256>", { [SECTORS]: 1_048_576 }),
      own(2, "late", {}),
      own(3, "scale<256>", {}),
    ],
    parseNcuCsv(ROWS.replace(`"${CONFLICTS}","","0"`, `"${CONFLICTS}","","3"`), "a.csv"),
  );
  expect(report).toMatchObject({ notLaunched: ['named "x"(int)'], notInNcu: 3 });
  expect(report.kernels).toEqual([
    {
      name: "scale<256>",
      ordinal: 1,
      launches: 1,
      pairs: [
        { metric: SECTORS, heddle: 1_048_576, ncu: 1_048_576, difference: 0 },
        { metric: CONFLICTS, heddle: 0, ncu: 3, difference: -1 },
        { metric: "dram__bytes_read.sum", heddle: null, ncu: 4.5e6, difference: null },
        { metric: "gpu__time_duration.sum", heddle: null, ncu: 12_500, difference: null },
      ],
    },
  ]);
  expect(ncuText(report, { file: "a.csv", color: false }))
    .toBe(`beside Nsight Compute (a.csv): 2 counters of both, 1 equal, 1 within 1 %
  not launched in this run: named "x"(int)
  3 launches of this run not in the file

scale<256>
   Heddle      ncu          counter
  1048576  1048576   equal  ${SECTORS}
        0        3  −100 %  ${CONFLICTS}
  and 2 counters that only Nsight Compute has (--json)
`);
});
