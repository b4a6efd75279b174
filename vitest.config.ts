/**
 * Tests lie beside what they test. Two projects: `unit` needs Node.js alone, `browser` drives headless Chromium and says so loudly
 * where there is none. `npx vitest run --project unit src/ir` runs a part.
 *
 * The first test to compile CUDA waits for Clang (seconds, and 600 MB): hence few processes. Limits of time only end what hangs: a busy
 * machine may be many times slower than an idle one, and no test may fail for that.
 */
import { defineConfig, type ViteUserConfig } from "vitest/config";

const common = { testTimeout: 600_000, hookTimeout: 600_000, environment: "node" as const };

const config: ViteUserConfig = defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: "unit", include: ["src/**/*.test.ts", "kernels/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.mjs"], exclude: ["src/**/browser.test.ts", "bench/**/browser.test.mjs"] } },
      { test: { ...common, name: "browser", include: ["src/**/browser.test.ts", "bench/**/browser.test.mjs"], fileParallelism: false } },
    ],
  },
});

export default config;
