// Each warpgroup has a tile of its own, and they take turns: one multiplies while the other scales, rounds and writes
// its result. With fp8 the products of a tile take half of the time that they take with bfloat16, and the result as
// much.
#define PING_PONG 1
#include "persistent.cuh"
