/*
 * As much of CPython's C API as extensions need that make an empty module beside their TORCH_LIBRARY. There is no
 * Python here: nothing is made.
 */
#pragma once

#include <stddef.h>

typedef struct _object PyObject;
typedef struct PyModuleDef_Base { int unused; } PyModuleDef_Base;
typedef struct PyMethodDef { const char *ml_name; void *ml_meth; int ml_flags; const char *ml_doc; } PyMethodDef;
typedef struct PyModuleDef {
  PyModuleDef_Base m_base;
  const char *m_name;
  const char *m_doc;
  ptrdiff_t m_size;
  PyMethodDef *m_methods;
} PyModuleDef;
#define PyModuleDef_HEAD_INIT {0}
#define PyMODINIT_FUNC extern "C" PyObject *
static inline PyObject *PyModule_Create(PyModuleDef *) { return NULL; }
