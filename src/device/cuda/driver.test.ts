import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { splitVersion } from "./driver.ts";
import { DRIVER_FUNCTIONS } from "./driver-symbols.ts";
import { candidatePaths } from "./library-search.ts";
import { ptxVersion } from "./link-ptx.ts";

describe("driver binding", () => {
  it("has a signature for every function that the sources name, and names no others", () => {
    const files = readdirSync(import.meta.dirname).filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "driver-symbols.ts",
    );
    const named = new Set(
      files.flatMap((file) =>
        [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/"(cu[A-Z]\w+)"/g)].map(
          ([, name]) => name as string,
        ),
      ),
    );
    expect([...named].filter((name) => !(name in DRIVER_FUNCTIONS))).toEqual([]);
    expect(Object.keys(DRIVER_FUNCTIONS).filter((name) => !named.has(name))).toEqual([]);
  });

  it("reads versions", () => {
    expect(splitVersion(13000)).toEqual({ major: 13, minor: 0 });
    expect(splitVersion(12040)).toEqual({ major: 12, minor: 4 });
  });

  it("takes the PTX that belongs to a driver's version", () => {
    expect(ptxVersion({ major: 12, minor: 4 })).toEqual({ major: 8, minor: 4 });
    expect(ptxVersion({ major: 12, minor: 9 })).toEqual({ major: 8, minor: 8 });
    expect(ptxVersion({ major: 13, minor: 0 })).toEqual({ major: 9, minor: 0 });
  });

  it("looks in the user's folders first, then where the system looks", () => {
    const paths = candidatePaths(
      { files: ["driver.test.ts", "nowhere.so"], ofDriver: false },
      { HEDDLE_CUDA_LIBRARIES: import.meta.dirname },
    );
    expect(paths.slice(0, 3)).toEqual([join(import.meta.dirname, "driver.test.ts"), "driver.test.ts", "nowhere.so"]);
  });

  it("says in one sentence that there is no driver, and the same again", async () => {
    const { openDriver } = await import("./driver.ts");
    let first: unknown = null;
    try {
      openDriver();
    } catch (error) {
      first = error;
    }
    if (first === null) return; // this machine has a GPU
    expect(first).toBeInstanceOf(HeddleError);
    expect(first).toMatchObject({ code: "no-device" });
    expect(() => openDriver()).toThrow(first as HeddleError);
  });
});
