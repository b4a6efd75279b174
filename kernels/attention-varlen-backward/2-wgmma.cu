// The five products of attention-backward/2-wgmma, by warpgroups. Each is waited for before the next one begins. What
// several heads of queries add to their keys stays in registers.
#define OVERLAP 0
#define IN_ORDER 1
#include "varlen.cuh"
