/* The parameters of 200 MTGP32 generators. */
#include <curand_mtgp32_host.h>
