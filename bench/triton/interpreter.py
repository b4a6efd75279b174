# Times the kernels of this bench in Triton's own interpreter: python interpreter.py kernels.py CASES cpu|elapsed, where
# CASES is a list in JSON. Prints seconds of each as JSON. Needs triton, and torch for the CPU.
import importlib.util
import json
import os
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("TRITON_CACHE_DIR", "/tmp/triton-interpreter")

import torch
import triton

spec = importlib.util.spec_from_file_location("kernels", sys.argv[1])
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)

clock = time.process_time if sys.argv[3] == "cpu" else time.perf_counter
times = []
for case in json.loads(sys.argv[2]):
    values = [torch.rand(value["floats"]) if isinstance(value, dict) else value for value in case["args"]]
    launch = lambda: getattr(kernels, case["kernel"])[tuple(case["grid"])](*values, **case["constants"])
    samples = []
    for _ in range(case.get("samples", 2)):
        began = clock()
        launch()
        samples.append(clock() - began)
    times.append(min(samples))
print(json.dumps({"versions": [triton.__version__, torch.__version__], "seconds": times}))
