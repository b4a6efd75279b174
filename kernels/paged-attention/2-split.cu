// Keys of a sequence in parts, a block for each, and a running softmax: no score goes to memory. All queries that share
// a key use it while it is in registers. Two keys and values are on their way at a time for each half warp.
#define AHEAD 2
#include "split.cuh"
