// The eight channels of a warp add their parts of the gradients of b and c before they go to memory. Each exchange
// halves what a thread holds, until it has eight neighbours along the sequence for one number of the state: two
// additions of 16 bytes instead of 64 of one number.
#define REDUCE 1
#include "lanes.cuh"
