// The documented functions of the libraries, and which of them Heddle's headers declare.
//
// The lists beside this file have the names of NVIDIA's documentation (CUDA 13, cuDNN 9, NCCL 2.28), one a line.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { preprocessed } from "../preprocessed.mjs";

const root = resolve(import.meta.dirname, "../..");

/** `apart`: headers that do not go with the others; `flags`: how a program is linked. */
export const LIBRARIES = [
  {
    name: "cublas",
    title: "cuBLAS",
    headers: ["cublas_v2.h", "cublasLt.h", "cublasXt.h"],
    apart: ["cublas.h"],
    flags: "-lcublas",
  },
  { name: "cudnn", title: "cuDNN", headers: ["cudnn.h"], flags: "-lcudnn" },
  { name: "cufft", title: "cuFFT", headers: ["cufft.h", "cufftXt.h"], flags: "-lcufft" },
  { name: "curand", title: "cuRAND", headers: ["curand.h"], flags: "-lcurand" },
  {
    name: "cusolver",
    title: "cuSOLVER",
    headers: ["cusolverDn.h", "cusolverSp.h", "cusolverMg.h", "cusolverRf.h"],
    flags: "-lcusolver -lcusolverMg -lcusparse -lcublas",
  },
  { name: "cusparse", title: "cuSPARSE", headers: ["cusparse.h"], flags: "-lcusparse" },
  { name: "nccl", title: "NCCL", headers: ["nccl.h"], flags: "-lnccl" },
  { name: "cupti", title: "CUPTI: callbacks, records", headers: ["cupti.h"], flags: "-lcupti -lcuda" },
  { name: "nvml", title: "NVML", headers: ["nvml.h"], flags: "-lnvidia-ml" },
  { name: "nvrtc", title: "NVRTC", headers: ["nvrtc.h"], flags: "-lnvrtc -lcuda" },
];

/** @param {string} library */
export function documented(library) {
  return readFileSync(join(import.meta.dirname, `${library}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** What headers declare, macros expanded; macros that stand for one of these; names of several functions. */
function declaredBy(headers, wanted) {
  const text = preprocessed(headers.map((header) => `#include <${header}>\n`).join(""));
  const found = new Set(text.match(/\b\w+(?=\s*\()/g));
  for (const header of headers)
    for (const [, name, meant] of readFileSync(join(root, "include", header), "utf8").matchAll(
      /^#define (\w+) (\w+)$/gm,
    ))
      if (found.has(meant)) found.add(name);
  return { found, types: overloads(text, wanted) };
}

/** Of functions with overloads in C++: the type of the one that is declared first. */
function overloads(text, wanted) {
  const types = new Map();
  for (const [, name] of text.matchAll(/\binline \w+ (\w+)\(/g)) {
    if (!wanted.includes(name)) continue;
    const [, result, list] = new RegExp(`(\\w+)\\s+${name}\\(([^()]*)\\);`).exec(text) ?? [];
    if (result === undefined) continue;
    const parameters = list.split(",").map((one) => one.trim().replace(/\s*\w+\s*(\[\])?$/, "$1"));
    types.set(name, `${result} (*)(${parameters.join(", ")})`);
  }
  return types;
}

/**
 * @returns of the documented functions those that headers declare, by headers that go together, and those that none
 * declares
 */
export function declared({ name, headers, apart = [] }) {
  let missing = documented(name);
  const groups = [headers, ...apart.map((header) => [header])].map((together) => {
    const { found, types } = declaredBy(together, missing);
    const names = missing.filter((one) => found.has(one));
    missing = missing.filter((one) => !found.has(one));
    return { headers: together, names, types };
  });
  return { groups, missing };
}
