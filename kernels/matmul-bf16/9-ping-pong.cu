// Each warpgroup has a tile of its own, and they take turns: one multiplies while the other writes its result. In
// version 8 the tensor cores have nothing to do meanwhile, which is a sixth of the time where K is short.
#define PING_PONG 1
#define CLUSTER 1
#include "persistent.cuh"
