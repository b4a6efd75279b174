/**
 * NVIDIA's libraries print on their own, past the buffers of the C library and of ours: what a program has printed
 * before a call comes before the library's words. A library of our own making stands in the place of NVIDIA's cuBLAS.
 */
import { expect, test } from "vitest";
import { TEST_MODEL } from "../../../base/test-model.test-helper.ts";
import { openNodeDevice } from "../../../device/emulated/open-device-node.ts";
import { fakeLibrary } from "../../../device/fake-library.test-helper.ts";
import { enableWasmFeatures } from "../../../engine/emit/v8-flags-node.ts";
import { nodeClangResources } from "../../../frontend/clang/clang-loader-node.ts";
import { createCompiler } from "../../../frontend/clang/compile.ts";
import { cachedDeviceLibrary } from "../../../frontend/clang/device-library.ts";
import { openNodeStore } from "../../../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../../../store/sha256.ts";
import type { HostStreams } from "../../host/host-files.ts";
import { MemoryFiles } from "../../host/host-files-memory.ts";
import { runProgram } from "../../host-program.ts";

const PROGRAM = `#include <cublas_v2.h>
#include <cstdio>
int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  float *x, factor = 2;
  cudaMalloc(&x, 1024);
  printf("a line that has no end yet:");
  cublasStatus_t status = cublasSscal(handle, 4, &factor, x, 1);
  printf(" status %d\\n", (int)status);
  cublasDestroy(handle);
}
`;
const WORDS = "<the library's words>";

/** What the process has written. */
class Output implements HostStreams {
  text = "";
  #held = "";
  readStdin(): number {
    return 0;
  }
  write(_stream: "stdout" | "stderr", bytes: Uint8Array): void {
    this.#held += new TextDecoder().decode(bytes.slice());
  }
  flush(): void {
    this.text += this.#held;
    this.#held = "";
  }
}

test("what a program has printed comes before a library's words", async () => {
  enableWasmFeatures();
  const store = openNodeStore();
  const compiler = await createCompiler({ resources: nodeClangResources(), store });
  const library = await cachedDeviceLibrary(compiler, store, sha256);
  const program = await compiler.compileProgram(
    [{ path: "library-output.cu", text: PROGRAM }],
    { model: TEST_MODEL.name },
    null,
  );
  const device = openNodeDevice({ workers: 1, library });
  const streams = new Output();
  const theirs = fakeLibrary((name) => () => {
    if (name === "cublasSscal_v2") streams.text += WORDS;
    return name === "cublasSscal_v2" ? 7 : 0;
  });
  Object.assign(device, { library: () => ({ library: theirs, missing: null }) });
  runProgram({ program, devices: [device], argv: ["output"], env: {}, files: new MemoryFiles(), streams });
  device.close();
  expect(streams.text).toBe(`a line that has no end yet:${WORDS} status 7\n`);
});
