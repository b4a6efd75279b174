// What the calls of NVIDIA's libraries do while a stream is captured: a line for each call and mode of capture. nvcc's
// program, Heddle's on a GPU and Heddle's on the emulated device are to print the same lines.
//   library-captures-statuses [LIBRARY [LINES]]    without the first LINES
#include <cstring>
#include "capture-cases-blas.h"
#include "capture-cases-dnn.h"
#include "capture-cases-fft.h"
#include "capture-cases-nccl.h"
#include "capture-cases-rand.h"
#include "capture-cases-solver.h"
#include "capture-cases-sparse.h"

struct Library {
  const char *name;
  void (*cases)();
};
static const Library LIBRARIES[] = {
    {Blas::LIBRARY, blas_cases},     {BlasLt::LIBRARY, blas_lt_cases}, {Dnn::LIBRARY, dnn_cases},
    {Fft::LIBRARY, fft_cases},       {Rand::LIBRARY, rand_cases},      {Sparse::LIBRARY, sparse_cases},
    {Solver::LIBRARY, solver_cases}, {Nccl::LIBRARY, nccl_cases},
};

int main(int count, char **arguments) {
  if (count > 2) lines_to_skip = atoi(arguments[2]);
  for (const Library &library : LIBRARIES)
    if (count < 2 || strcmp(arguments[1], library.name) == 0) library.cases();
  printf("DONE\n");
}
