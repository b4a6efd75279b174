// Warps with roles, and as many blocks as multiprocessors: one warp copies the tiles of one product after the other,
// while two warpgroups multiply, and the accelerator writes the result.
#define PING_PONG 0
#include "persistent.cuh"
