// The blocks of a cluster need the same columns of B. Each loads its part of them, and the copy arrives in all of them
// (multicast), so that L2 sends B once for all. A buffer is free when the warpgroups of all blocks are done with it.
#define PING_PONG 0
#include "persistent.cuh"
