/*
 * Deep neural networks: the API of cuDNN 9, and functions of earlier versions that public programs still call. Written
 * for Heddle (libraries/dnn) after the cuDNN documentation.
 */
#ifndef HEDDLE_CUDNN_H
#define HEDDLE_CUDNN_H
#define CUDNN_H_ /* public code asks for it */

#include "cudnn_version.h"
#include "cudnn_graph.h"
#include "cudnn_ops.h"
#include "cudnn_cnn.h"
#include "cudnn_adv.h"

#endif
