// An extension's table of functions, and calls of them from outside.
#include <heddle/torch.h>

#include <cstring>
#include <deque>

using namespace __heddle::torch;

// A host module has a main; that of an extension does nothing (hostlib/start.cpp).
int main() { return 0; }

namespace __heddle {
namespace torch {

struct Parameter {
  std::string name;
  std::string type;
  // null: the caller must give it.
  std::shared_ptr<Kept> fallback;
  std::string fallbackText;
};
struct Overload {
  std::vector<Parameter> parameters;
  std::string result;
  std::unique_ptr<Callable> callable;
  // Of TORCH_LIBRARY_IMPL: "CPU", "CUDA"; empty where it is for all.
  std::string key;
};
struct Function {
  std::string name;
  std::string doc;
  // References into it stay good while it grows.
  std::deque<Overload> overloads;
  // The schema of TORCH_LIBRARY, if there is one.
  std::string schema;
};

// References into it stay good while it grows.
static std::deque<Function> &all() {
  static std::deque<Function> *made = new std::deque<Function>();
  return *made;
}
// The function of this name; made if it is not there.
static Function &functionNamed(const std::string &name) {
  for (Function &function : all())
    if (function.name == name) return function;
  Function &made = all().emplace_back();
  made.name = name;
  return made;
}
static Overload &addOverload(Function &function, const Offer &offer) {
  Overload &made = function.overloads.emplace_back();
  for (size_t i = 0; i < offer.signature->count; i++)
    made.parameters.push_back({"arg" + std::to_string(i), offer.signature->parameters[i](), nullptr, ""});
  made.result = offer.signature->result();
  made.callable.reset(offer.callable);
  return made;
}

static std::string trimmed(const std::string &text) {
  size_t from = text.find_first_not_of(" \n\t");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \n\t") - from + 1);
}

// The default of a schema's parameter, as its text.
static std::shared_ptr<Kept> literal(const std::string &text) {
  auto kept = std::make_shared<Kept>();
  if (text == "True" || text == "False") Cast<bool>::give(*kept, text == "True");
  else if (text == "None") return kept;
  else if (!text.empty() && (text[0] == '"' || text[0] == '\'')) kept->giveText(text.substr(1, text.size() - 2));
  else if (!text.empty() && text[0] == '[') kept->giveList();
  else if (text.find_first_of(".e") != std::string::npos) Cast<double>::give(*kept, strtod(text.c_str(), nullptr));
  else Cast<int64_t>::give(*kept, strtoll(text.c_str(), nullptr, 10));
  return kept;
}

// Gives parameters their names and defaults, from a schema of TORCH_LIBRARY:
// `name(Tensor a, float c=1.0, *, int[] dims=[]) -> Tensor` (PyTorch, "native/README.md", "Schema").
static void readSchema(Function &function) {
  const std::string &text = function.schema;
  size_t open = text.find('('), close = text.rfind(')', text.rfind("->"));
  if (open == std::string::npos || close == std::string::npos) return;
  std::vector<std::string> names, fallbacks;
  std::string list = text.substr(open + 1, close - open - 1);
  int depth = 0;
  size_t from = 0;
  for (size_t at = 0; at <= list.size(); at++) {
    char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '[') depth++;
    if (c == ')' || c == ']') depth--;
    if (c != ',' || depth > 0) continue;
    std::string one = trimmed(list.substr(from, at - from));
    from = at + 1;
    if (one.empty() || one == "*") continue;
    size_t equals = one.find('=');
    std::string head = trimmed(one.substr(0, equals));
    names.push_back(head.substr(head.rfind(' ') + 1));
    fallbacks.push_back(equals == std::string::npos ? "" : trimmed(one.substr(equals + 1)));
  }
  for (Overload &overload : function.overloads)
    for (size_t i = 0; i < overload.parameters.size() && i < names.size(); i++) {
      Parameter &parameter = overload.parameters[i];
      parameter.name = names[i];
      parameter.fallbackText = fallbacks[i];
      if (!fallbacks[i].empty()) parameter.fallback = literal(fallbacks[i]);
    }
}

// The overloads that TORCH_LIBRARY_IMPL has for the device of the first tensor; all others are for any.
static bool isFor(const Overload &overload, const Value *given, int count) {
  if (overload.key != "CPU" && overload.key != "CUDA") return overload.key != "Meta";
  for (int i = 0; i < count; i++) {
    const Value *value = &given[i];
    if (value->tag == Tag::List && value->count > 0) value = (const Value *)value->pointer;
    if (value->tag != Tag::Tensor) continue;
    return (((const TensorRecord *)value->pointer)->device == c10::kCUDA) == (overload.key == "CUDA");
  }
  return true;
}

static std::string signatureOf(const Function &, const Overload &overload) {
  std::string text = "(";
  for (const Parameter &parameter : overload.parameters) {
    if (text.size() > 1) text += ", ";
    text += parameter.name + ": " + parameter.type;
    if (parameter.fallback) text += " = " + parameter.fallbackText;
  }
  return text + ") -> " + overload.result;
}

// Tag::Object stands for an argument that is left out.
static bool run(const Overload &overload, const Value *given, int count, Kept &kept) {
  if ((size_t)count > overload.parameters.size()) return false;
  Value values[64];
  if (overload.parameters.size() > 64) return false;
  for (size_t i = 0; i < overload.parameters.size(); i++) {
    const Parameter &parameter = overload.parameters[i];
    if (i < (size_t)count && given[i].tag != Tag::Object) values[i] = given[i];
    else if (parameter.fallback) values[i] = parameter.fallback->value;
    else return false;
  }
  return overload.callable->run(values, kept);
}

static void describe(Kept &kept, const Function &function) {
  kept.child().giveText(function.name);
  kept.child().giveText(function.doc);
  Kept &overloads = kept.child();
  for (const Overload &overload : function.overloads) {
    Kept &one = overloads.child();
    one.child().giveText(signatureOf(function, overload));
    for (const Parameter &parameter : overload.parameters) one.child().giveText(parameter.name);
    one.giveList();
  }
  overloads.giveList();
  kept.giveList();
}

} // namespace torch
} // namespace __heddle

namespace pybind11 {
static std::string textOf(const Kept &kept) {
  const Value &value = kept.value;
  switch (value.tag) {
  case Tag::None: return "None";
  case Tag::Bool: return value.integer ? "True" : "False";
  case Tag::Int: return std::to_string(value.integer);
  case Tag::Double: return c10::str(value.number);
  case Tag::String: return "'" + kept.text + "'";
  default: return "...";
  }
}
arg_v::arg_v(const char *name) : name(name), fallback(std::make_shared<Kept>()) {}
arg_v::arg_v(const arg_v &) = default;
arg_v::~arg_v() = default;
void arg_v::describe() { text = textOf(*fallback); }

definition::definition(const char *name, Offer made)
    : function_(functionNamed(name)), overload_(addOverload(function_, made)) {}
void definition::take(const char *doc) { function_.doc = doc; }
void definition::take(const arg &given) { overload_.parameters.at(next_++).name = given.name; }
void definition::take(const arg_v &given) {
  Parameter &parameter = overload_.parameters.at(next_++);
  parameter.name = given.name;
  parameter.fallback = given.fallback;
  parameter.fallbackText = given.text;
}
} // namespace pybind11

namespace torch {
static std::string plainName(const char *schema) {
  std::string text = trimmed(std::string(schema));
  text = text.substr(0, text.find('('));
  size_t colon = text.rfind("::");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}
Library &Library::def(const char *schema) {
  Function &function = functionNamed(plainName(schema));
  function.schema = schema;
  readSchema(function);
  return *this;
}
void Library::define(const char *name, const char *key, Offer made) {
  Function &function = functionNamed(plainName(name));
  std::string given(key);
  bool isForAll = given.rfind("Autograd", 0) == 0 || given.rfind("Composite", 0) == 0;
  addOverload(function, made).key = isForAll ? "" : given;
  readSchema(function);
}
void jit::RegisterOperators::define(const char *name, Offer made) { addOverload(functionNamed(plainName(name)), made); }
} // namespace torch

extern "C" {
void __wasm_call_ctors();

// What the last call gave, until the next one.
static Kept *last = nullptr;
static Kept &fresh() {
  delete last;
  return *(last = new Kept());
}

__attribute__((export_name("__heddle_extension_start"))) void __heddle_extension_start() { __wasm_call_ctors(); }

__attribute__((export_name("__heddle_extension_table"))) const Value *__heddle_extension_table() {
  Kept &table = fresh();
  for (const Function &function : all())
    if (!function.overloads.empty()) describe(table.child(), function);
  table.giveList();
  return &table.value;
}

__attribute__((export_name("__heddle_extension_done"))) void __heddle_extension_done() {
  delete last;
  last = nullptr;
}

// The caller's references to argument tensors become ours.
static void drop(const Value *given, int count) {
  for (int i = 0; i < count; i++) {
    if (given[i].tag == Tag::List) drop((const Value *)given[i].pointer, given[i].count);
    if (given[i].tag != Tag::Tensor) continue;
    TensorRecord *record = (TensorRecord *)given[i].pointer;
    if (--record->references == 0) release(record);
  }
}

static bool anyRuns(const Function &function, const Value *given, int count, Kept &kept) {
  for (const Overload &overload : function.overloads)
    if (isFor(overload, given, count) && run(overload, given, count, kept)) return true;
  return false;
}

// 0: `*result` is what the function gave. 1: its error's text. 2: no overload takes these arguments.
// The runtime calls with pointers and sizes, of the width that the program has.
__attribute__((export_name("__heddle_extension_call"))) int __heddle_extension_call(size_t index, const Value *given,
                                                                                    size_t size, Value *result) {
  int status = 0;
  int count = (int)size;
  Kept &kept = fresh();
  const Function *function = nullptr;
  for (const Function &one : all())
    if (!one.overloads.empty() && index-- == 0) {
      function = &one;
      break;
    }
  try {
    if (!anyRuns(*function, given, count, kept)) status = 2;
  } catch (const std::exception &error) {
    status = 1;
    kept.giveText(error.what());
  } catch (...) {
    status = 1;
    kept.giveText("a C++ exception that is no std::exception");
  }
  drop(given, count);
  fflush(stdout);
  *result = kept.value;
  return status;
}
}
