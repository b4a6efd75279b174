/* The name of an earlier version. */
#pragma once
#include "cudnn.h"
