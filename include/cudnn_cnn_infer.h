/* The name of an earlier version. */
#pragma once
#include "cudnn_cnn.h"
