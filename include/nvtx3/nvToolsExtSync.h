/* Names of CUDA objects for profilers: nothing to name here. */
#pragma once
#include "nvToolsExt.h"
