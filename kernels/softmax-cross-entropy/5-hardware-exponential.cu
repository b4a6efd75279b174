// Both exponentials of an element come from the unit for special functions (__expf: ex2 and a product): two instructions instead of eight, while a multiprocessor that reads and writes as fast as memory allows has
// about forty issue slots for each element. Its error grows with the argument, to 37 units in the last place at -30, where the exponential is 10^-13 of the sum.
#define HARDWARE_EXPONENTIAL
#include "row.cuh"
