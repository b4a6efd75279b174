// What a texture or surface object points to in device memory: written by the runtime (src/runtime), read by
// heddle/textures.h. 96 bytes, little-endian, offsets in the comments.
#pragma once

struct __heddle_texture {
  unsigned int data;           //  0  device address of the first texel, its lower half
  unsigned int width;          //  4  in texels
  unsigned int height;         //  8  in texels; 0 for one dimension
  unsigned int depth;          // 12  in texels, or layers; 0 for one or two dimensions
  unsigned int pitch;          // 16  bytes from row to row
  unsigned int slice;          // 20  bytes from slice (or layer) to slice
  unsigned int texelBytes;     // 24
  unsigned int channels;       // 28  1, 2 or 4
  unsigned int channelBits;    // 32  8, 16 or 32
  unsigned int kind;           // 36  cudaChannelFormatKind
  unsigned int addressMode[3]; // 40  cudaTextureAddressMode
  unsigned int filterMode;     // 52  cudaTextureFilterMode
  unsigned int readMode;       // 56  cudaTextureReadMode
  unsigned int normalized;     // 60  coordinates in [0, 1)
  float border[4];             // 64
  unsigned int layered;        // 80  1: depth counts layers
  unsigned int linear;         // 84  1: plain memory (tex1Dfetch), no filtering
  unsigned int dataHigh;       // 88  the upper half, of programs with 64-bit pointers
  unsigned int reserved;       // 92
};
#ifdef __cplusplus
static_assert(sizeof(__heddle_texture) == 96, "the runtime writes this layout");
#endif
