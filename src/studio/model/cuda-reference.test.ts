/** What the editor says of CUDA's words is about what programs can call. */
import { expect, it } from "vitest";
import { fileURLToPath } from "node:url";
import { runtimeSignatures } from "../../../scripts/studio/signatures.mjs";
import { BUILT_INS, cudaWord, RUNTIME_SENTENCES } from "./cuda-reference.ts";

const signatures = runtimeSignatures(fileURLToPath(new URL("../../../", import.meta.url)));

it("functions of the runtime API have their C signature", () => {
  expect(signatures["cudaMemcpy"]).toMatch(
    /^cudaError_t cudaMemcpy\(void ?\* ?dst, const void ?\* ?src, size_t count, enum cudaMemcpyKind kind\)$/,
  );
  expect(Object.values(signatures).filter((text) => text.endsWith("(…)")).length).toBeLessThan(20);
});

it("each sentence is about a function that is there", () => {
  expect(Object.keys(RUNTIME_SENTENCES).filter((name) => !Object.hasOwn(signatures, name))).toEqual([]);
});

it("each form names its word", () => {
  expect([...BUILT_INS].filter(([name, { form }]) => !form.includes(name)).map(([name]) => name)).toEqual([]);
  expect([...BUILT_INS.values()].every(({ about }) => about.endsWith("."))).toBe(true);
});

it("knows built-ins, functions, and nothing else", () => {
  expect(cudaWord("threadIdx", signatures)?.form).toBe("uint3 threadIdx");
  expect(cudaWord("cudaFree", signatures)).toMatchObject({ about: "Frees memory of cudaMalloc." });
  expect(cudaWord("constructor", signatures)).toBe(null);
  expect(cudaWord("main", signatures)).toBe(null);
});
