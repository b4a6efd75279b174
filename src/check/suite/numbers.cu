// Pairs of kernels for numbers: where a computation leaves the numbers of its type. Launches and marks as in memory.cu.

#include <cuda_fp16.h>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)
#define F(i) ((float)in[i])
#define KEEP(value) out[threadIdx.x] = __float_as_int(value)

// <<<1, 32>>> 32: a division by a float that is zero
PAIR(divide_zero_wrong) ARGS {
  KEEP(1.0f / F(threadIdx.x)); // ! infinity
}
PAIR(divide_zero_right) ARGS {
  KEEP(1.0f / (F(threadIdx.x) + 1.0f));
}

// <<<1, 32>>> 32: zero by zero
PAIR(zero_by_zero_wrong) ARGS {
  float x = F(threadIdx.x);
  KEEP(x / (x * 2.0f)); // ! nan
}
PAIR(zero_by_zero_right) ARGS {
  float x = F(threadIdx.x);
  KEEP(x > 0.0f ? x / (x * 2.0f) : 0.0f);
}

// <<<1, 32>>> 32: the root of a negative number
PAIR(root_wrong) ARGS {
  KEEP(sqrtf(F(threadIdx.x) - 1.0f)); // ! nan
}
PAIR(root_right) ARGS {
  KEEP(sqrtf(fabsf(F(threadIdx.x) - 1.0f)));
}

// <<<1, 32>>> 32: the logarithm of zero
PAIR(log_zero_wrong) ARGS {
  KEEP(logf(F(threadIdx.x))); // ! infinity
}
PAIR(log_zero_right) ARGS {
  KEEP(logf(F(threadIdx.x) + 1e-6f));
}

// <<<1, 32>>> 32: the logarithm of a negative number
PAIR(log_negative_wrong) ARGS {
  KEEP(log2f(F(threadIdx.x) - 3.5f)); // ! nan
}
PAIR(log_negative_right) ARGS {
  KEEP(log2f(F(threadIdx.x) + 3.5f));
}

// <<<1, 128>>> 128: softmax without the maximum taken off
PAIR(exp_wrong) ARGS {
  KEEP(expf(F(threadIdx.x))); // ! infinity
}
PAIR(exp_right) ARGS {
  KEEP(expf(F(threadIdx.x) - (float)(n - 1)));
}

// <<<1, 32>>> 32: a mean over no elements
PAIR(mean_wrong) ARGS {
  float sum = 0.0f;
  int count = in[threadIdx.x];
  for (int k = 0; k < count; k++) sum += F(k);
  KEEP(sum / (float)count); // ! nan
}
PAIR(mean_right) ARGS {
  float sum = 0.0f;
  int count = in[threadIdx.x];
  for (int k = 0; k < count; k++) sum += F(k);
  if (count > 0) KEEP(sum / (float)count);
}

// <<<1, 32>>> 32: a variance whose rounding error makes it negative
PAIR(variance_wrong) ARGS {
  float mean = 1000.0f + F(threadIdx.x);
  float square = mean * mean - (float)(threadIdx.x & 1);
  KEEP(rsqrtf(square - mean * mean)); // ! infinity
}
PAIR(variance_right) ARGS {
  float mean = 1000.0f + F(threadIdx.x);
  float square = mean * mean - (float)(threadIdx.x & 1);
  KEEP(rsqrtf(fmaxf(square - mean * mean, 0.0f) + 1e-5f));
}

// <<<1, 32>>> 32: a power that grows beyond the type
PAIR(power_wrong) ARGS {
  KEEP(powf(10.0f, 2.0f * F(threadIdx.x))); // ! infinity
}
PAIR(power_right) ARGS {
  KEEP(powf(10.0f, F(threadIdx.x)));
}

// <<<1, 32>>> 32: a product beyond the largest float
PAIR(product_wrong) ARGS {
  float x = 1e37f * (F(threadIdx.x) + 1.0f);
  KEEP(x * 4.0f); // ! infinity
}
PAIR(product_right) ARGS {
  float x = 1e35f * (F(threadIdx.x) + 1.0f);
  KEEP(x * 4.0f);
}

// <<<1, 32>>> 32: a sum of squares beyond the largest half
PAIR(half_square_wrong) ARGS {
  __half x = __int2half_rn(in[threadIdx.x] * 16);
  out[threadIdx.x] = __half_as_ushort(__hmul(x, x)); // ! infinity
}
PAIR(half_square_right) ARGS {
  __half x = __int2half_rn(in[threadIdx.x] * 8);
  out[threadIdx.x] = __half_as_ushort(__hmul(x, x));
}

// <<<1, 32>>> 32: a float that no half can be
PAIR(to_half_wrong) ARGS {
  float x = 3000.0f * F(threadIdx.x);
  out[threadIdx.x] = __half_as_ushort(__float2half(x)); // ! infinity
}
PAIR(to_half_right) ARGS {
  float x = 2000.0f * F(threadIdx.x);
  out[threadIdx.x] = __half_as_ushort(__float2half(x));
}

// <<<1, 32>>> 32: a double that no float can be
PAIR(to_float_wrong) ARGS {
  double x = 1e38 * in[threadIdx.x];
  KEEP((float)x); // ! infinity
}
PAIR(to_float_right) ARGS {
  double x = 1e37 * in[threadIdx.x];
  KEEP((float)x);
}

// <<<1, 32>>> 32: the difference of two infinities is told where the first came from
PAIR(difference_wrong) ARGS {
  float x = 1.0f / F(threadIdx.x); // ! infinity
  KEEP(x - x);
}
PAIR(difference_right) ARGS {
  float x = in[threadIdx.x] == 0 ? INFINITY : 1.0f;
  KEEP(x - x);
}

// <<<1, 32>>> 32: an integer by zero
PAIR(int_divide_wrong) ARGS {
  out[threadIdx.x] = 100 / in[threadIdx.x]; // ! division-by-zero
}
PAIR(int_divide_right) ARGS {
  out[threadIdx.x] = in[threadIdx.x] != 0 ? 100 / in[threadIdx.x] : 0;
}

// <<<1, 32>>> 32: a remainder by zero
PAIR(int_remainder_wrong) ARGS {
  unsigned buckets = in[threadIdx.x] / 8;
  out[threadIdx.x] = 1000u % buckets; // ! division-by-zero
}
PAIR(int_remainder_right) ARGS {
  unsigned buckets = in[threadIdx.x] / 8 + 1;
  out[threadIdx.x] = 1000u % buckets;
}

// <<<1, 32>>> 32: threads for each row, where a row has more elements than threads
PAIR(rows_per_block_wrong) ARGS {
  int rows = blockDim.x / (in[threadIdx.x] * 4 + 4);
  out[threadIdx.x] = n / rows; // ! division-by-zero
}
PAIR(rows_per_block_right) ARGS {
  int rows = blockDim.x / (in[threadIdx.x] * 4 + 4);
  out[threadIdx.x] = rows > 0 ? n / rows : 0;
}

// <<<1, 32>>> 32: a 64-bit remainder by zero
PAIR(long_remainder_wrong) ARGS {
  long long step = in[threadIdx.x];
  out[threadIdx.x] = (int)(10000000000LL % step); // ! division-by-zero
}
PAIR(long_remainder_right) ARGS {
  long long step = in[threadIdx.x];
  out[threadIdx.x] = step > 0 ? (int)(10000000000LL % step) : 0;
}

// <<<1, 32>>> 32: an index of row times width beyond an int
PAIR(row_times_width_wrong) ARGS {
  int row = (in[threadIdx.x] & 1) << 16, width = n << 11;
  out[row * width + threadIdx.x] = 1; // ! integer-overflow
}
PAIR(row_times_width_right) ARGS {
  int row = (in[threadIdx.x] & 1) << 16, width = n << 11;
  out[(row >> 16) * (width >> 12) % 32 + threadIdx.x % 16] = 1;
}

// <<<1, 32>>> 32: a size in ints, widened too late
PAIR(widened_late_wrong) ARGS {
  int width = 65536 + in[threadIdx.x], height = 65536 + n;
  unsigned long long bytes = (unsigned long long)(width * height); // ! integer-overflow
  out[threadIdx.x] = (int)(bytes % 1000003);
}
PAIR(widened_late_right) ARGS {
  int width = 65536 + in[threadIdx.x], height = 65536 + n;
  unsigned long long bytes = (unsigned long long)width * height;
  out[threadIdx.x] = (int)(bytes % 1000003);
}

// <<<1, 32>>> 32: unsigned sizes, widened too late
PAIR(unsigned_late_wrong) ARGS {
  unsigned width = 65536u + in[threadIdx.x], height = 65536u + n;
  unsigned long long bytes = width * height; // ! integer-overflow
  out[threadIdx.x] = (int)((bytes << 20) % 1000003);
}
PAIR(unsigned_late_right) ARGS {
  unsigned width = 65536u + in[threadIdx.x], height = 65536u + n;
  unsigned long long bytes = (unsigned long long)width * height;
  out[threadIdx.x] = (int)((bytes << 20) % 1000003);
}

// <<<1, 32>>> 32: a product of hashes wraps on purpose, one of sizes does not
PAIR(index_sum_wrong) ARGS {
  int stride = (int)(((unsigned)n << 26) + 1u);
  if (threadIdx.x % 2 == 0) out[in[threadIdx.x] * stride] = 1; // ! integer-overflow
}
PAIR(index_sum_right) ARGS {
  unsigned hash = (unsigned)in[threadIdx.x] * 2654435761u;
  if (threadIdx.x % 2 == 0) out[hash >> 27] = 1;
}

// <<<1, 32>>> 32: a float beyond the ints
PAIR(float_to_int_wrong) ARGS {
  float x = 1e8f * F(threadIdx.x);
  out[threadIdx.x] = (int)x; // ! conversion
}
PAIR(float_to_int_right) ARGS {
  float x = 1e7f * F(threadIdx.x);
  out[threadIdx.x] = (int)x;
}

// <<<1, 32>>> 32: a negative float as an unsigned
PAIR(negative_unsigned_wrong) ARGS {
  float x = F(threadIdx.x) - 4.0f;
  out[threadIdx.x] = (int)(unsigned)x; // ! conversion
}
PAIR(negative_unsigned_right) ARGS {
  float x = F(threadIdx.x) - 0.5f;
  out[threadIdx.x] = (int)(unsigned)x;
}

// <<<1, 32>>> 32: a pixel that is brighter than a byte
PAIR(pixel_wrong) ARGS {
  float x = F(threadIdx.x) * 10.0f;
  out[threadIdx.x] = (unsigned char)x; // ! conversion
}
PAIR(pixel_right) ARGS {
  float x = F(threadIdx.x) * 10.0f;
  out[threadIdx.x] = (unsigned char)fminf(x, 255.0f);
}

// <<<1, 32>>> 32: NaN as an int
PAIR(nan_to_int_wrong) ARGS {
  float x = __int_as_float(in[threadIdx.x] == 3 ? 0x7fc00000 : 0x3f800000);
  out[threadIdx.x] = (int)x; // ! conversion
}
PAIR(nan_to_int_right) ARGS {
  float x = __int_as_float(in[threadIdx.x] == 3 ? 0x7fc00000 : 0x3f800000);
  out[threadIdx.x] = isnan(x) ? -1 : (int)x;
}

// <<<1, 32>>> 32: a double beyond the ints; what saturates is meant
PAIR(double_to_int_wrong) ARGS {
  double x = 1e9 * in[threadIdx.x];
  out[threadIdx.x] = (int)x; // ! conversion
}
PAIR(double_to_int_right) ARGS {
  double x = 1e9 * in[threadIdx.x];
  out[threadIdx.x] = __double2int_rz(x);
}

// <<<1, 64>>> 64: a bit for each thread, in one word
PAIR(shift_wrong) ARGS {
  out[threadIdx.x] = 1 << in[threadIdx.x]; // ! shift
}
PAIR(shift_right) ARGS {
  out[threadIdx.x] = 1 << (in[threadIdx.x] & 31);
}

// <<<1, 32>>> 32: all bits below the 32nd
PAIR(all_bits_wrong) ARGS {
  unsigned count = in[threadIdx.x] + 1;
  out[threadIdx.x] = (1u << count) - 1u; // ! shift
}
PAIR(all_bits_right) ARGS {
  unsigned count = in[threadIdx.x] + 1;
  out[threadIdx.x] = count < 32 ? (1u << count) - 1u : ~0u;
}

// <<<1, 64>>> 64: to the right by a negative amount
PAIR(shift_back_wrong) ARGS {
  out[threadIdx.x] = n >> (8 - in[threadIdx.x]); // ! shift
}
PAIR(shift_back_right) ARGS {
  out[threadIdx.x] = n >> max(0, 8 - in[threadIdx.x]);
}

// <<<1, 32>>> 32: a norm of a vector of zeros
PAIR(normalise_wrong) ARGS {
  float x = F(threadIdx.x), y = x * 0.5f;
  KEEP(x * rsqrtf(x * x + y * y)); // ! infinity
}
PAIR(normalise_right) ARGS {
  float x = F(threadIdx.x), y = x * 0.5f;
  KEEP(x * rsqrtf(x * x + y * y + 1e-12f));
}

// <<<1, 32>>> 32: a double by a difference that is zero
PAIR(slope_wrong) ARGS {
  double dx = in[threadIdx.x] - 7;
  KEEP((float)(1.0 / dx)); // ! infinity
}
PAIR(slope_right) ARGS {
  double dx = in[threadIdx.x] - 7.5;
  KEEP((float)(1.0 / dx));
}

// <<<1, 32>>> 32: the inverse cosine of what rounding has moved over 1
PAIR(angle_wrong) ARGS {
  KEEP(acosf(F(threadIdx.x) / 30.0f)); // ! nan
}
PAIR(angle_right) ARGS {
  KEEP(acosf(fminf(F(threadIdx.x) / 30.0f, 1.0f)));
}
