// One member of a struct of 32 bytes; the repaired one has an array for each member.
// @flawed 256 256 uncoalesced particles[i].x
// @repaired 256 256
struct Particle { float x, y, z, mass, vx, vy, vz, charge; };

__global__ void flawed(float* out, const float* in, int n) {
  const Particle* particles = reinterpret_cast<const Particle*>(in);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * particles[i].x;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
