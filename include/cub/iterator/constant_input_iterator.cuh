/* In util.cuh. */
#pragma once
#include "../util.cuh"
