/** Libraries of the operating system that programs name beside CUDA's. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const SYSTEM_LIBRARIES: readonly LibraryManifest[] = [
  manifest({
    name: "threads",
    title: "OpenMP, POSIX threads",
    linkNames: ["pthread", "gomp", "omp"],
    headers: ["omp.h", "pthread.h"],
    symbols: /^(?:(?:omp|GOMP|pthread|sem)_|__kmpc_|__tgt_)/,
    lacks:
      "parallel host code: one host thread runs at a time, until it waits; a loop that waits for a variable of " +
      "another thread does not end; OpenMP's regions run sequentially; in a page a new thread runs to its end at once",
  }),
  manifest({
    name: "c",
    title: "The C and C++ libraries",
    linkNames: ["m", "c", "stdc++", "dl", "rt", "gcc", "gcc_s", "util", "z"],
    innerHeaders: ["cmath", "execution", "fenv.h", "iomanip", "bits/stdc++.h", "sys/wait.h", "linux/futex.h"],
  }),
];
