// While one warpgroup multiplies, the other does its softmax: barriers give turns, without which both want the tensor
// cores at the same time, and then neither. Blocks take tiles from a queue, so that with a mask, where tiles take
// different times, all end together.
#define TURNS 1
#define QUEUE 1
#include "equal.cuh"
