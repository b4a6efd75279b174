// The update of one parameter, with what is the same for all of them folded into constants.
#pragma once

// step = rate / (1 - beta1^t), rootScale = 1 / sqrt(1 - beta2^t), keep = 1 - rate * decay.
struct Constants {
  float step, beta1, beta2, rootScale, epsilon, keep;
};

__device__ __forceinline__ void update(float &param, float gradient, float &mean, float &square, const Constants &c) {
  mean = c.beta1 * mean + (1 - c.beta1) * gradient;
  square = c.beta2 * square + (1 - c.beta2) * gradient * gradient;
  param = c.keep * param - c.step * mean / (sqrtf(square) * c.rootScale + c.epsilon);
}

__device__ __forceinline__ void update(float4 &param, const float4 &gradient, float4 &mean, float4 &square,
                                       const Constants &c) {
  update(param.x, gradient.x, mean.x, square.x, c);
  update(param.y, gradient.y, mean.y, square.y, c);
  update(param.z, gradient.z, mean.z, square.z, c);
  update(param.w, gradient.w, mean.w, square.w, c);
}
