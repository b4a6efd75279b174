/* The older place of this header. */
#pragma once
#include "nvtx3/nvToolsExt.h"
