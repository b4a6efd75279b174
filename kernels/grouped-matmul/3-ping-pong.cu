// As many blocks as multiprocessors walk through the tiles of all groups: one warp copies, two warpgroups take turns
// with the tensor cores, a tile for each. Groups of few rows cost a tile, and no block waits for the longest group.
#define PING_PONG 1
#include "persistent.cuh"
