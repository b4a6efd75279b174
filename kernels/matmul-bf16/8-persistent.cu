// As many blocks as multiprocessors, each of which computes tile after tile: while the warpgroups write a tile, the
// copies of the next one are on their way, and the result leaves by the accelerator, too. A warpgroup has 64 or 128
// rows of the block's tile: with 128, columns of B are read once for two products, and with 192 columns fewer bytes
// are loaded for each product than with any other tile that registers have room for.
#define PING_PONG 0
#define CLUSTER 1
#include "persistent.cuh"
