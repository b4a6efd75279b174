/* THRUST_VERSION */
#pragma once
#include "detail/config.h"
