// Both warpgroups multiply rows of one tile, by the same columns of B: a tile of 128 x 256 loads a quarter fewer bytes
// for its products than two of 64 x 256. A group's last tile wastes more.
#define PING_PONG 0
#include "persistent.cuh"
