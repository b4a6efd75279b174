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
    name: "sockets",
    title: "Sockets",
    headers: ["sys/socket.h"],
    symbolPrefix: "socket",
    symbols: /^(?:socket|bind|listen|connect|setsockopt)$/,
    sources: { folder: "libraries/sockets", units: ["sockets.cpp"], linked: "when-called" },
    has: "TCP between programs of one machine that Heddle runs",
    lacks: "other families and kinds, other programs and machines, poll and select",
  }),
  manifest({
    name: "c",
    title: "The C and C++ libraries",
    linkNames: ["m", "c", "stdc++", "dl", "rt", "gcc", "gcc_s", "util", "z"],
    innerHeaders: [
      "cmath",
      "cxxabi.h",
      "errno.h",
      "execution",
      "fenv.h",
      "iomanip",
      "bits/stdc++.h",
      "sys/wait.h",
      "linux/futex.h",
      "linux/limits.h",
    ],
    // main with the environment as its third parameter
    sources: { folder: "libraries/start", units: ["environment_main.cpp"], linked: "by-name" },
  }),
];
