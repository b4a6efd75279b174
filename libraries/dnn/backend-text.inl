// Operation graphs as text: what CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION and others give and take.
//
//   {"type":17,"attributes":[[902,3,"0400000000000000"],[913,15,[{…}]],…]}
//
// Elements are in the order of this machine's bytes, as two digits a byte.

namespace {

void write_text(const Content &c, std::string &to) {
  static const char DIGITS[] = "0123456789abcdef";
  to += "{\"type\":" + std::to_string(c.type) + ",\"attributes\":[";
  bool isFirst = true;
  for (const Attribute &a : c.attributes) {
    // a handle is good for one process only
    if (a.type == CUDNN_TYPE_HANDLE || a.type == CUDNN_TYPE_VOID_PTR || a.type == CUDNN_TYPE_CHAR) continue;
    if (a.name == CUDNN_ATTR_EXECUTION_PLAN_KERNEL_CACHE || a.name == CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH) continue;
    to += isFirst ? "[" : ",[";
    isFirst = false;
    to += std::to_string(a.name) + "," + std::to_string(a.type) + ",";
    if (a.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
      to += "[";
      for (size_t i = 0; i < a.parts.size(); i++) {
        if (i) to += ",";
        write_text(*a.parts[i], to);
      }
      to += "]]";
    } else {
      to += "\"";
      for (char byte : a.bytes) {
        to += DIGITS[(unsigned char)byte >> 4];
        to += DIGITS[byte & 15];
      }
      to += "\"]";
    }
  }
  to += "]}";
}

struct TextReader {
  const char *at, *end;
  bool isRight = true;
  bool take(const char *expected) {
    size_t length = strlen(expected);
    if ((size_t)(end - at) < length || memcmp(at, expected, length)) return false;
    at += length;
    return true;
  }
  void need(const char *expected) { isRight = isRight && take(expected); }
  int number() {
    int value = 0;
    bool isAny = false;
    for (; at < end && *at >= '0' && *at <= '9' && value < 1000000; at++, isAny = true) value = value * 10 + *at - '0';
    isRight = isRight && isAny;
    return value;
  }
  static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }
  Attribute attribute(int depth) {
    Attribute a{};
    a.name = number();
    need(",");
    a.type = number();
    need(",");
    if (take("[")) {
      while (isRight && at < end && *at == '{') {
        a.parts.push_back(content(depth + 1));
        take(",");
      }
      need("]");
      a.count = (i64)a.parts.size();
    } else {
      need("\"");
      for (; at + 1 < end && digit(at[0]) >= 0 && digit(at[1]) >= 0; at += 2)
        a.bytes.push_back((char)(digit(at[0]) * 16 + digit(at[1])));
      need("\"");
      size_t size = attribute_bytes(a.type);
      isRight = isRight && a.bytes.size() % size == 0;
      a.count = (i64)(a.bytes.size() / size);
    }
    need("]");
    return a;
  }
  Part content(int depth) {
    Part c = std::make_shared<Content>();
    isRight = isRight && depth < 16;
    need("{\"type\":");
    c->type = number();
    need(",\"attributes\":[");
    while (isRight && take("[")) {
      c->attributes.push_back(attribute(depth));
      const Attribute &a = c->attributes.back();
      const Row *row = row_of(c->type, a.name);
      isRight = isRight && row && has_type(*row, a.type);
      take(",");
    }
    need("]}");
    if (isRight) isRight = finalize_own(c) == CUDNN_STATUS_SUCCESS;
    return c;
  }
};
/// The descriptor that a text describes, or nothing if the text is no such description.
Part read_text(const Attribute &text) {
  TextReader reader{text.bytes.data(), text.bytes.data() + text.bytes.size()};
  Part c = reader.content(0);
  return reader.isRight ? c : nullptr;
}

} // namespace
