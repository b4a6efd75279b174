/* The exception class of the CUDA samples: a standard exception that knows its place. */
#pragma once

#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

template <class BASE>
class Exception : public BASE {
  Exception(const std::string &text) : BASE(text) {}

 public:
  virtual ~Exception() throw() {}
  static void throw_it(const char *file, int line, const char *detail = "-") {
    std::ostringstream text;
    text << "Exception in file '" << file << "' in line " << line << "\nDetailed description: " << detail << "\n";
    throw Exception(text.str());
  }
  static void throw_it(const char *file, int line, const std::string &detail) { throw_it(file, line, detail.c_str()); }
};

template <class TYPE>
inline void handleException(const TYPE &exception) {
  std::cerr << exception.what() << std::endl;
  exit(EXIT_FAILURE);
}
#define RUNTIME_EXCEPTION(message) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, message)
#define LOGIC_EXCEPTION(message) Exception<std::logic_error>::throw_it(__FILE__, __LINE__, message)
#define RANGE_EXCEPTION(message) Exception<std::range_error>::throw_it(__FILE__, __LINE__, message)
