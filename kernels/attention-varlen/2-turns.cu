// The kernel of attention-forward/6-turns: products of warpgroups, which take turns, and tiles from a queue. There are
// tiles as if all sequences were as long as the longest one; a block skips those that its sequence does not have.
#define TURNS 1
#define QUEUE 1
#define SORTED 0
#include "varlen.cuh"
