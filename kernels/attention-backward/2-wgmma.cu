// All five products by warpgroups, from tiles that the accelerator loads: a block has 128 keys and goes through the
// queries. Scores are computed with keys as rows, so that weights and gradients of scores are an operand from registers
// of the products that give the gradients of values and keys. Each product is waited for before the next one begins.
#define OVERLAP 0
#include "equal.cuh"
