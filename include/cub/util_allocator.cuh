/* cub::CachingDeviceAllocator */
#pragma once
#include "device/device_reduce.cuh"
