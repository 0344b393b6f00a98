#include "record.h"

#include <cstdio>

namespace perf {

std::string cell::name() const
{
  return what.algorithm + "/" + what.type + "/" + what.distribution + "/" + std::to_string(n);
}

namespace {

/// In quotation marks.
std::string json_text(const std::string& text)
{
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned char>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number(double value)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string field(const char* name, const std::string& value) { return std::string(", \"") + name + "\": " + value; }

std::string list(const quartiles& q)
{
  return "[" + number(q.low) + ", " + number(q.median) + ", " + number(q.high) + "]";
}

std::string clocks(const record& r)
{
  std::string out = "{";
  for (const auto& [name, t] : r.clocks) {
    out += (out.size() > 1 ? ", " : "") + json_text(name) + ": {\"stock\": " + list(t.stock);
    if (r.has_gimbal) {
      out += field("gimbal", list(t.gimbal)) + field("ratio", number(t.gimbal.median / t.stock.median));
    }
    out += field("samples", std::to_string(t.samples)) + "}";
  }
  return out + "}";
}

}  // namespace

std::string to_json(const record& r, const setting& where)
{
  std::string out = "{\"schema\": 2, \"cell\": " + json_text(r.what.name());
  out += field("algorithm", json_text(r.what.what.algorithm)) + field("type", json_text(r.what.what.type));
  out += field("distribution", json_text(r.what.what.distribution)) + field("n", std::to_string(r.what.n));
  out += field("bytes", std::to_string(r.bytes)) + field("bound", json_text(r.bound)) + field("clocks", clocks(r));
  if (!r.error.empty()) {
    out += field("error", json_text(r.error));
  }
  if (!r.skipped.empty()) {
    out += field("skipped", json_text(r.skipped));
  }
  out += field("seconds", number(r.seconds)) + field("device", json_text(where.device));
  out += field("compute_capability", json_text(where.compute_capability));
  out += field("multiprocessors", std::to_string(where.multiprocessors));
  out += field("l2_bytes", std::to_string(where.l2_bytes)) + field("driver", std::to_string(where.driver));
  out += field("cuda", std::to_string(where.cuda)) + field("cccl", json_text(where.cccl));
  out += field("commit", json_text(where.commit));
  return out + field("date", json_text(where.date)) + "}";
}

}  // namespace perf
