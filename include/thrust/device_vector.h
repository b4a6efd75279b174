/* In host_vector.h. */
#pragma once
#include "host_vector.h"
#include "iterator/zip_iterator.h"
