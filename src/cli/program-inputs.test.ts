import { expect, test } from "vitest";
import { parseNvccCommand } from "./options/nvcc-flags.ts";
import { programSource } from "./program-inputs.ts";

test("a library that is not here is named, with what Heddle has of it", () => {
  const source = (flag: string): unknown => programSource(parseNvccCommand([flag]), {});
  expect(() => source("-lcutensor")).toThrow(
    expect.objectContaining({
      code: "link-error",
      summary: "the library -lcutensor is not here",
      notes: [
        expect.stringContaining("Heddle does not have cuTENSOR; write what"),
        expect.stringContaining("libcutensor.a was looked for in"),
      ],
    }),
  );
  expect(() => source("-lmine")).toThrow(
    expect.objectContaining({ notes: [expect.stringContaining("libmine.a was looked for in")] }),
  );
  expect(source("-lcublas")).toMatchObject({ objects: [] });
});
