/** Programs that try to get out of `heddle run --isolated`, at run time and at compile time, and what ends them. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_MODEL } from "../base/test-model.test-helper.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { libraryFolder } from "../frontend/clang/lp64/library-place-node.ts";

const SECRET = "the-secret-of-the-machine";
const main = join(packageRoot(), "dist", "bin", "main.js");
let outside = "";
let job = "";
let cache = "";

beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), "heddle-isolated-"));
  job = join(outside, "job");
  cache = join(outside, "cache");
  for (const folder of [job, join(job, "inc"), join(job, "data"), cache]) mkdirSync(folder);
  writeFileSync(join(outside, "secret.txt"), `"${SECRET}"\n`);
  writeFileSync(join(job, ".env"), `"${SECRET}"\n`);
  writeFileSync(join(job, "inc", "seven.h"), "#define SEVEN 7\n");
  writeFileSync(join(job, "data", "in.txt"), "forty-two\n");
  symlinkSync(join(outside, "secret.txt"), join(job, "link.txt"));
  symlinkSync(join(outside, "secret.txt"), join(job, "inc", "link.h"));
  symlinkSync(join(outside, "secret.txt"), join(job, "data", "link.txt"));
});
afterAll(() => rmSync(outside, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param name of the source: tests that run at the same time have several. */
function heddle(args: readonly string[], source: string, name = "a.cu"): Promise<Ended> {
  writeFileSync(join(job, name), source);
  // The compilations of other tests are used, and nothing of these is kept.
  const child = spawn(process.execPath, [main, ...args], {
    cwd: job,
    env: { ...process.env, GRADER_TOKEN: SECRET, PLAIN_VARIABLE: SECRET },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

const run = (source: string, ...options: string[]): Promise<Ended> =>
  heddle(["run", "--isolated", ...options, "a.cu"], source);

describe("at run time", () => {
  it("reaches no file, no variable, no descriptor and no socket; a kernel runs all the same", async () => {
    const source = `
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
extern char** environ;
__global__ void answer(int* x) { x[0] = 42; }
int main() {
  const char* paths[] = {"../secret.txt", "${outside}/secret.txt", "link.txt", "./link.txt",
      "inc/../../secret.txt", ".env",
      "a.cu", "/etc/passwd", "etc/passwd", "../../../../../../etc/passwd", "/proc/self/environ", "/proc/1/environ",
      "/proc/self/fd/0", "/dev/mem", "//etc/passwd", "/tmp/../etc/passwd", "/work/../etc/passwd"};
  for (const char* path : paths) {
    if (FILE* f = fopen(path, "r")) printf("OPENED %s\\n", path);
    if (int fd = open(path, O_RDWR); fd >= 0) printf("OPENED %s to write\\n", path);
  }
  for (const char* path : {"/", "..", "../..", "/etc", "/proc"})
    if (DIR* d = opendir(path)) while (dirent* e = readdir(d))
      if (!strcmp(e->d_name, "passwd") || !strcmp(e->d_name, "secret.txt")) printf("LISTED %s\\n", e->d_name);
  for (char** e = environ; *e; e++) printf("VARIABLE %s\\n", *e);
  if (getenv("PLAIN_VARIABLE") || getenv("GRADER_TOKEN") || getenv("HOME")) printf("GETENV\\n");
  for (int fd = 3; fd < 64; fd++) {
    char c[16];
    if (read(fd, c, 16) > 0) printf("READ %d\\n", fd);
    if (write(fd, c, 1) > 0) printf("WROTE %d\\n", fd);
  }
  if (symlink("/etc/passwd", "out") == 0 || link("../secret.txt", "out") == 0 ||
      rename("../secret.txt", "out") == 0) printf("LINKED\\n");
  if (FILE* f = fopen("/tmp/heddle-isolated-mark", "w")) { fputs("x", f); fclose(f); }
  if (FILE* f = fopen("mark", "w")) { fputs("x", f); fclose(f); }
  int* d; int h = 0; cudaMalloc(&d, 4); answer<<<1, 1>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%d\\n", h);
}`;
    const ended = await run(source);
    expect(ended).toMatchObject({ code: 0, stdout: "42\n" });
    // What it wrote was written to files in memory.
    expect(
      existsSync("/tmp/heddle-isolated-mark") || existsSync(join(job, "mark")) || existsSync(join(job, "out")),
    ).toBe(false);
  });

  it("there are no sockets", async () => {
    const { code } = await run(`
#include <sys/socket.h>
int main() { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }`);
    expect(code).toBe(0);
  });

  it("inline PTX has no more than a kernel has", async () => {
    const { stdout } = await run(
      `
#include <cstdio>
__global__ void wild(unsigned long long p) { unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  printf("READ %u\\n", v); }
int main() { wild<<<1, 1>>>(0xfffffff0ull); printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize())); }`,
    );
    expect(stdout).toBe("cudaErrorIllegalAddress\n");
  });

  it("copies of named files can be read and changed, the links among them that lead out cannot", async () => {
    const source = `
#include <cstdio>
int main() {
  char text[64] = "";
  if (FILE* f = fopen("data/in.txt", "r+")) {
    fgets(text, 64, f); printf("%s", text); rewind(f); fputs("changed", f); fclose(f); }
  if (fopen("data/link.txt", "r")) printf("OPENED\\n");
}`;
    expect(await run(source, "--file", "data")).toMatchObject({ code: 0, stdout: "forty-two\n" });
    expect(readFileSync(join(job, "data", "in.txt"), "utf8")).toBe("forty-two\n");
  });

  it("--env hands over what is named", async () => {
    const source = `
#include <cstdio>
extern char** environ;
int main() { for (char** e = environ; *e; e++) puts(*e); }`;
    expect((await run(source, "--env", "MODE=exam")).stdout).toBe("MODE=exam\n");
    const usual = (await heddle(["run", "a.cu"], source)).stdout;
    expect(usual).toContain(`PLAIN_VARIABLE=${SECRET}`);
    expect(usual).not.toContain("GRADER_TOKEN");
  });
});

describe("at compile time", () => {
  it.each([
    ["an absolute path", '#include "/etc/passwd"'],
    ["#embed", 'const char text[] = {\n#embed "/etc/passwd"\n};'],
    ["a link in a folder of -I", "#include <link.h>"],
    [".incbin", 'asm(".section .data.x,\\"\\",@\\n.incbin \\"/etc/passwd\\"\\n");'],
    ["#pragma GCC dependency", '#pragma GCC dependency "/etc/passwd"'],
  ])("%s", async (_, line) => {
    const { code, stdout, stderr } = await run(`${line}\nint main() {}`, "-I", "inc");
    expect(code).toBe(65);
    expect(stderr).toMatch(/not found|could not find/i);
    expect(stdout + stderr).not.toMatch(/root:|the-secret/);
  });

  it("__has_include tells of no file", async () => {
    const paths = [
      "/etc/passwd",
      "../secret.txt",
      ".env",
      "link.txt",
      "/proc/self/environ",
      `${outside}/secret.txt`,
      "../../../../../../etc/passwd",
      "inc/link.h",
    ];
    const { stdout } = await run(
      `#include <cstdio>\nint main() { int n = 0;
${paths.map((path) => `#if __has_include("${path}")\nn++;\n#endif\n`).join("")}
      printf("%d\\n", n); }`,
    );
    expect(stdout).toBe("0\n");
  });

  it("named folders are read; a missing file says how to name it", async () => {
    const source = '#include <cstdio>\n#include "seven.h"\nint main() { printf("%d\\n", SEVEN); }';
    expect(await run(source, "-I", "inc")).toMatchObject({ code: 0, stdout: "7\n" });
    const { stderr, code } = await run(source);
    expect(code).toBe(65);
    expect(stderr).toMatch(/an isolated run reads the files that are named: add --file FILE or -I FOLDER/);
  });

  it("reports show no line of a file that #line names", async () => {
    const source = `
#line 1 "${outside}/secret.txt"
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() { int* d; cudaMalloc(&d, 4); k<<<1, 64>>>(d); cudaDeviceSynchronize(); cudaFree(d); }`;
    const { code, stderr } = await heddle(["check", "--isolated", "a.cu"], source);
    expect(code).toBe(72);
    expect(stderr).toMatch(/out of bounds[^]*secret\.txt:1/);
    expect(stderr).not.toContain(SECRET);
  });

  it("nothing is written into the cache", async () => {
    // The library of 64-bit programs is Heddle's own, and there before.
    const isWide = TEST_MODEL.pointerBytes === 8;
    if (isWide) cpSync(libraryFolder(), join(cache, "lp64"), { recursive: true });
    const kept = process.env["HEDDLE_CACHE_DIR"];
    process.env["HEDDLE_CACHE_DIR"] = cache;
    try {
      expect((await run("int main() { return 3; }")).code).toBe(3);
    } finally {
      if (kept === undefined) delete process.env["HEDDLE_CACHE_DIR"];
      else process.env["HEDDLE_CACHE_DIR"] = kept;
    }
    expect(readdirSync(cache)).toEqual(isWide ? ["lp64"] : []);
  });
});

describe("bounds", () => {
  // Most of their time they wait.
  it.concurrent.each<[string, string, string[], number, RegExp]>([
    [
      "an endless loop on the host",
      "int main() { for (volatile int i = 0;; i++) ; }",
      ["--timeout", "2"],
      124,
      /stopped after 2 s/,
    ],
    [
      "an endless kernel",
      "__global__ void k(volatile int* p) { for (;;) p[0]++; }\n" +
        "int main() { int* d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaDeviceSynchronize(); }",
      ["--timeout", "2"],
      124,
      /in the kernel k/,
    ],
    [
      "an endless compilation",
      "template <int N, int M> struct F { static constexpr long v = F<N - 1, M * 2>::v + F<N - 1, M * 2 + 1>::v; };\n" +
        "template <int M> struct F<0, M> { static constexpr long v = M; };\nint main() { return F<28, 1>::v; }",
      ["--compile-timeout", "2", "--timeout", "1"],
      124,
      /compiling included/,
    ],
    [
      "endless output",
      '#include <cstdio>\nint main() { for (;;) puts("all work and no play"); }',
      ["--max-output", "100k"],
      153,
      /stopped after 102400 bytes of output/,
    ],
    [
      "endless output of a kernel",
      '#include <cstdio>\n__global__ void k() { for (;;) printf("all work and no play\\n"); }\n' +
        "int main() { k<<<1, 64>>>(); cudaDeviceSynchronize(); }",
      ["--max-output", "100k", "--timeout", "4", "--memory", "3G"],
      -1,
      /stopped/,
    ],
    [
      "endless memory",
      "#include <cstdlib>\n#include <cstring>\nchar* volatile p;\n" +
        "int main() { for (;;) { p = (char*)malloc(1 << 24); if (p) memset(p, 1, 1 << 24); } }",
      ["--memory", "1200M"],
      137,
      /MiB, more than --memory allows/,
    ],
  ])("%s", async (title, source, options, code, message) => {
    const name = `${title.replaceAll(" ", "-")}.cu`;
    const ended = await heddle(["run", "--isolated", ...options, name], source, name);
    expect(ended.stderr).toMatch(message);
    if (code >= 0) expect(ended.code).toBe(code);
    else expect([124, 137, 153]).toContain(ended.code);
    expect(ended.stdout.length).toBeLessThan(120_000);
  });

  it("files of the program are bounded", async () => {
    const { stdout } = await run(
      `
#include <cstdio>
static char block[1 << 20];
int main() {
  FILE* f = fopen("big", "w"); int n = 0;
  while (fwrite(block, 1, sizeof block, f) == sizeof block) n++;
  printf("%d\\n", n);
}`,
      "--memory",
      "1600M",
    );
    expect(Number(stdout)).toBeGreaterThan(100);
    expect(Number(stdout)).toBeLessThanOrEqual(200);
  });

  it("what would open the walls is refused", async () => {
    for (const options of [["--dir", "/"], ["--device", "cuda"], ["--watch"]]) {
      const { code, stderr } = await run("int main() {}", ...options);
      expect(stderr).toMatch(/has no place in an isolated run/);
      expect(code).toBe(64);
    }
    const { code, stderr } = await heddle(["run", "--memory", "1G", "a.cu"], "int main() {}");
    expect([code, stderr]).toEqual([64, expect.stringMatching(/name --isolated before it/)]);
  });
});
