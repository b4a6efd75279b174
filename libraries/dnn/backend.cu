// The graph API of cuDNN: operation graphs, run as one or a few launches for each operation. Tensors between operations
// are in the work space.
#include <algorithm>
#include <initializer_list>
#include "backend-matmul.cuh"
#include "backend-moves.cuh"
#include "backend-norms.cuh"
#include "backend-pointwise.cuh"

using namespace heddle_dnn;

#include "backend-attributes.inl"
#include "backend-descriptors.inl"
#include "backend-checks.inl"
#include "backend-graph.inl"
#include "backend-plan.inl"
#include "backend-run-norms.inl"
#include "backend-run.inl"
#include "backend-finalize.inl"
#include "backend-text.inl"
