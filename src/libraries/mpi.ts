/** MPI for the processes that `heddle run --processes N` starts. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const MPI: LibraryManifest = manifest({
  name: "mpi",
  title: "MPI",
  linkNames: ["mpi", "mpi_cxx", "mpich"],
  headers: ["mpi.h", "mpi-ext.h"],
  symbolPrefix: "MPI_",
  symbols: /^P?MPIX?_/,
  sources: {
    folder: "libraries/mpi",
    units: ["messages.cpp", "types.cpp", "operations.cpp", "communicators.cpp", "collectives.cpp"],
    linked: "when-called",
  },
  has:
    "point to point, collectives, communicators, Cartesian grids and derived types for processes of one machine, " +
    "also on device memory",
  lacks: "one-sided communication, files, groups, nonblocking collectives, process creation, Fortran",
});
