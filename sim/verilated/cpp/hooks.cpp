// Replaces what the Verilator runtime does on $finish, $stop, fatal errors, warnings and output.
// The runtime is compiled with VL_USER_FINISH, VL_USER_STOP, VL_USER_FATAL, VL_USER_WARN and
// VL_PRINTF=verilated_rs_printf.

#include "hooks.h"

#include <cstdarg>
#include <cstdio>
#include <string>

using verilated_rs::CurrentModel;
using verilated_rs::FatalStop;
using verilated_rs::Model;
using verilated_rs::StopKind;

void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE {
  if (Model* model = CurrentModel::get()) model->note_stop(StopKind::Finish, file, line, "$finish");
}

// The rest of the instant is still evaluated, so that waves show it whole.
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
  if (Model* model = CurrentModel::get()) model->note_stop(StopKind::Stop, file, line, nullptr);
}

// Callers do not expect to go on, so the evaluation is left at once.
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  if (Model* model = CurrentModel::get()) {
    model->note_stop(StopKind::Fatal, file, line, message ? message : "fatal error");
  } else {
    std::fprintf(stderr, "%s:%d: %s\n", file ? file : "", line, message ? message : "fatal error");
  }
  throw FatalStop{};
}

void vl_warn(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  const std::string text =
      std::string{"%Warning: "} + (file ? file : "") + ":" + std::to_string(line) + ": " + message + "\n";
  verilated_rs_printf("%s", text.c_str());
}

extern "C" int verilated_rs_printf(const char* format, ...) {
  char buffer[512];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  std::string whole;
  const char* text = buffer;
  if (length >= static_cast<int>(sizeof buffer)) {
    whole.resize(static_cast<std::size_t>(length) + 1);
    va_start(arguments, format);
    std::vsnprintf(whole.data(), whole.size(), format, arguments);
    va_end(arguments);
    text = whole.c_str();
  }
  if (Model* model = CurrentModel::get()) {
    model->note_text(text);
  } else {
    std::fputs(text, stderr);
  }
  return length;
}
