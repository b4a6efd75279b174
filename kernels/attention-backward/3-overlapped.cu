// Products are issued as soon as their operands are there: exponentials run beside the product of values, and the
// gradient of the queries of one tile is added to memory while the scores of the next one are computed.
#define OVERLAP 1
#include "equal.cuh"
