/* Function objects: in util.cuh. */
#pragma once
#include "../util.cuh"
