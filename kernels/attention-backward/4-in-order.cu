// A thread adds its part of the gradient of the queries to memory as its registers hold it, 16 bytes at a time, and 512
// side by side for a warp: half as many instructions, and half as many lines of memory, as by rows. Only the last
// kernel reads these sums, and it knows the order. With a mask, the keys that many queries see come first of all heads,
// not of each: short blocks are left for the end.
#define OVERLAP 1
#define IN_ORDER 1
#include "equal.cuh"
