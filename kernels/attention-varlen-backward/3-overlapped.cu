// Products are issued as soon as their operands are there, as in attention-backward/4-in-order.
#define OVERLAP 1
#define IN_ORDER 1
#include "varlen.cuh"
