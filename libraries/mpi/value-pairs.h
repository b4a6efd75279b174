// Elements of MPI's types of two values (MPI 3.1, sections 3.2.2 and 5.9.4).
#pragma once

namespace heddle_mpi {
struct FloatInt { float value; int index; };
struct DoubleInt { double value; int index; };
struct LongInt { long value; int index; };
struct TwoInt { int value; int index; };
struct ShortInt { short value; int index; };
struct FloatComplex { float re, im; };
struct DoubleComplex { double re, im; };
} // namespace heddle_mpi
