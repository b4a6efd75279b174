// A whole page of keys and of values is on its way before the first of them is used: 8 kilobytes for each warp. Memory
// answers after some 600 cycles, and so many bytes must be under way to keep it busy.
#define AHEAD 8
#include "split.cuh"
