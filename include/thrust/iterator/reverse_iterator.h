/* In transform_iterator.h. */
#pragma once
#include "transform_iterator.h"
