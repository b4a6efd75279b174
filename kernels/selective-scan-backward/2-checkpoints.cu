// Four threads have a channel, a quarter of its state each, and eight steps of the sequence at a time. A first kernel
// keeps the state before each eight steps; the second goes back through them, and computes the eight states again in
// registers: an eighth of the memory, and rows are read 16 bytes at a time.
#define REDUCE 0
#include "lanes.cuh"
