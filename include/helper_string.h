/* Command line and path helpers that the CUDA samples lean on. Options look like -name, --name, -name=value. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <fstream>
#include <string>

#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(destination, size, source) strcpy(destination, source)
#endif
#ifndef FOPEN
#define FOPEN(handle, name, mode) (handle = fopen(name, mode))
#endif
#ifndef FOPEN_FAIL
#define FOPEN_FAIL(result) (result == NULL)
#endif
#ifndef SSCANF
#define SSCANF sscanf
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

inline int stringRemoveDelimiter(char delimiter, const char *string) {
  int start = 0;
  while (string[start] == delimiter) start++;
  return start >= (int)strlen(string) - 1 ? 0 : start;
}
inline int getFileExtension(char *filename, char **extension) {
  char *dot = strrchr(filename, '.');
  *extension = dot ? dot + 1 : NULL;
  return dot ? (int)(dot + 1 - filename) : 0;
}

/** The option's text behind its name, "" where it has no value, null where it is not given. */
inline const char *__heddleOption(int argc, const char **argv, const char *name) {
  size_t length = strlen(name);
  if (length > 0 && name[length - 1] == '=') length--;
  for (int i = 1; i < argc; i++) {
    const char *option = argv[i] + stringRemoveDelimiter('-', argv[i]);
    if (strncasecmp(option, name, length) != 0) continue;
    if (option[length] == '\0') return option + length;
    if (option[length] == '=') return option + length + 1;
  }
  return NULL;
}
inline bool checkCmdLineFlag(const int argc, const char** argv, const char* name) {
  return __heddleOption(argc, argv, name) != NULL;
}
inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name) {
  const char *text = __heddleOption(argc, argv, name);
  return text ? atoi(text) : 0;
}
inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name) {
  const char *text = __heddleOption(argc, argv, name);
  return text ? (float)atof(text) : 0.0f;
}
inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value) {
  const char *text = __heddleOption(argc, argv, name);
  *value = (char *)text;
  return text != NULL;
}
template <class T>
inline bool getCmdLineArgumentValue(const int argc, const char **argv, const char *name, T *value) {
  const char *text = __heddleOption(argc, argv, name);
  if (text && *text) *value = (T)atof(text);
  return text != NULL;
}

/** The path of a sample's data file: beside the program, in data/, or in the sample's own folders. The caller frees it;
 * null where it is nowhere. */
inline char *sdkFindFilePath(const char *filename, const char *executable = NULL) {
  std::string name;
  if (executable) {
    name = executable;
    const size_t slash = name.find_last_of("/\\");
    name = slash == std::string::npos ? name : name.substr(slash + 1);
  }
  const char* places[] = {"./",
                          "./data/",
                          "../",
                          "../data/",
                          "../../data/",
                          "../../../data/",
                          "./common/",
                          "./Common/data/",
                          "../Common/data/",
                          "../../Common/data/",
                          "../../../Common/data/",
                          "./common/data/",
                          "../common/data/",
                          "../../common/data/"};
  for (const char *place : places) {
    const std::string candidates[] = {std::string(place) + filename, std::string(place) + name + "/" + filename,
                                      std::string(place) + name + "/data/" + filename};
    for (const std::string &path : candidates)
      if (FILE *file = fopen(path.c_str(), "rb")) {
        fclose(file);
        return strdup(path.c_str());
      }
  }
  return NULL;
}
