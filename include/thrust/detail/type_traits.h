/* Public code includes this for the traits of the standard library. */
#pragma once
#include <type_traits>
