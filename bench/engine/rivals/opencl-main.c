// Runs a kernel in OpenCL C on PoCL: `opencl-main PLAN SOURCE OPTIONS`. Times are those of the events: from a kernel's
// start on the device to its end. Without arguments it says what it found.
#define CL_TARGET_OPENCL_VERSION 120
#include "plan.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_mem memories[MAX_BUFFERS];
static cl_kernel kernels[MAX_LAUNCHES];

static void check(cl_int status, const char *what) {
  if (status != CL_SUCCESS) fail("%s: OpenCL error %d", what, status);
}

static void find_device(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  for (cl_uint i = 0; i < count; i++) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strcmp(name, "Portable Computing Language") != 0) continue;
    check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL), "PoCL has no CPU device");
    return;
  }
  fail("no PoCL among %u OpenCL platforms", count);
}

static void restore(const struct plan *plan, int buffer) {
  check(clEnqueueWriteBuffer(queue, memories[buffer], CL_TRUE, 0, plan->buffers[buffer].bytes,
                             plan->buffers[buffer].initial, 0, NULL, NULL), "write");
}

static void read_back(const struct plan *plan, int buffer, void *into) {
  check(clEnqueueReadBuffer(queue, memories[buffer], CL_TRUE, 0, plan->buffers[buffer].bytes, into, 0, NULL, NULL),
        "read");
}

static double run(const struct plan *plan) {
  static cl_event events[MAX_LAUNCHES];
  for (int i = 0; i < plan->launch_count; i++) {
    const struct launch *launch = &plan->launches[i];
    check(clEnqueueNDRangeKernel(queue, kernels[i], 3, NULL, launch->global, launch->local, 0, NULL, &events[i]),
          launch->kernel);
  }
  check(clFinish(queue), "run");
  double ms = 0;
  for (int i = 0; i < plan->launch_count; i++) {
    cl_ulong start, end;
    check(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "profile");
    check(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profile");
    ms += (end - start) * 1e-6;
    clReleaseEvent(events[i]);
  }
  return ms;
}

static cl_program build(const char *path, const char *options) {
  size_t bytes;
  const char *source = read_file(path, &bytes);
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &source, &bytes, &status);
  check(status, "program");
  if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail("%s does not compile:\n%s", path, log);
  }
  return program;
}

static void set_arguments(cl_kernel kernel, const struct launch *launch) {
  for (int i = 0; i < launch->parameter_count; i++) {
    const struct parameter *parameter = &launch->parameters[i];
    cl_int status = parameter->kind == 'b'   ? clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[parameter->buffer])
                    : parameter->kind == 'f' ? clSetKernelArg(kernel, i, sizeof(cl_float), &parameter->value.f)
                                             : clSetKernelArg(kernel, i, sizeof(cl_int), &parameter->value.i);
    check(status, launch->kernel);
  }
}

static const char *describe_device(void) {
  static char description[512];
  char version[128] = "", name[256] = "";
  cl_uint units = 0;
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
  clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  snprintf(description, sizeof description, "PoCL %s (%s, %u thread%s)", version, name, units, units == 1 ? "" : "s");
  return description;
}

int main(int argc, char **argv) {
  find_device();
  if (argc == 1) return printf("%s\n", describe_device()) < 0;
  if (argc != 4) fail("usage: opencl-main [PLAN SOURCE OPTIONS]");
  static struct plan plan;
  read_plan(argv[1], &plan);
  cl_int status;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "context");
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  check(status, "queue");
  for (int i = 0; i < plan.buffer_count; i++) {
    memories[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, plan.buffers[i].bytes, NULL, &status);
    check(status, plan.buffers[i].name);
    restore(&plan, i);
  }
  cl_program program = build(argv[2], argv[3]);
  for (int i = 0; i < plan.launch_count; i++) {
    kernels[i] = clCreateKernel(program, plan.launches[i].kernel, &status);
    check(status, plan.launches[i].kernel);
    set_arguments(kernels[i], &plan.launches[i]);
  }
  const struct contestant contestant = {restore, read_back, run};
  serve(&plan, &contestant, describe_device());
}
