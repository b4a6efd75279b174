// As much of a row as shared memory holds (KILOBYTES of it) waits there for the second pass and is read from memory once; the rest of it is read last and again first, while the L2 cache still
// has it. Less of it, and two blocks fit on a multiprocessor: while one waits at its barrier or for its first loads, the other keeps memory busy.
#include "row.cuh"
