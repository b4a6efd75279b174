// Part of cuda_runtime.h here; public code includes it by this name.
#pragma once
#include "cuda_runtime.h"
