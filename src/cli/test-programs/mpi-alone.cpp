// A rank and what it is given. "fail": rank 1 ends with 5, and rank 0 sleeps; "wait": all sleep;
// "absent": rank 1 ends without MPI_Init.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size;
  const char *own = getenv("OMPI_COMM_WORLD_RANK");
  if (argc > 1 && !strcmp(argv[1], "absent") && own && !strcmp(own, "1")) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 1 ? argv[1] : "";
  printf("%d of %d%s%s\n", rank, size, argc > 1 ? " " : "", what);
  fflush(stdout);
  if (!strcmp(what, "fail") && rank == 1) return 5;
  while (!strcmp(what, "fail") || !strcmp(what, "wait")) sleep(1);
  MPI_Finalize();
  return 0;
}
