"""
Runs tests of public repositories and records their launches (hook.py). Each job is a process that is forked from one
that has imported PyTorch and Triton already; many run at once, each with a time limit.

    python run_jobs.py --jobs jobs.json --repositories FOLDER --out FOLDER [--seconds N] [--processes N] [--only REGEX]
"""

import argparse
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default=os.path.join(HERE, "..", "jobs.json"))
    parser.add_argument("--repositories", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=600, help="for all jobs together")
    parser.add_argument("--job-seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--cpu", action="store_true", help="the CPU stands in for the GPU")
    return parser.parse_args()


def jobs_of(file, folder, only):
    """One a test file or script, in turns: one of each repository, then the next of each."""
    by_repository = []
    for entry in json.load(open(file)):
        own = os.path.join(folder, entry["repository"].replace("/", "+"))
        jobs = []
        for kind in ("scripts", "tests", "drivers"):
            base = os.path.join(HERE, "..", "drivers") if kind == "drivers" else own
            for pattern in entry.get(kind, []):
                for path in sorted(glob.glob(os.path.join(base, pattern), recursive=True)):
                    name = os.path.relpath(path, base)
                    if any(re.search(skip, name) for skip in entry.get("except", [])):
                        continue
                    if re.search(only, f"{entry['repository']}/{name}"):
                        jobs.append({**entry, "kind": kind, "path": path, "file": name, "root": own})
        by_repository.append(jobs)
    result = []
    while any(by_repository):
        total = max(len(jobs) for jobs in by_repository)
        for jobs in by_repository:
            # Long lists go faster: all end at about the same time.
            for _ in range(max(1, round(len(jobs) / max(1, total) * 8)) if jobs else 0):
                if jobs:
                    result.append(jobs.pop(0))
    return result


def add_package(name, folder):
    """A folder under the name that its programs import it by."""
    import importlib.util

    file = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[folder])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)


def carry_out(job, out, is_cpu):
    import hook
    import stubs

    os.chdir(job["root"])
    for name, value in job.get("environment", {}).items():
        os.environ[name] = value
    for path in reversed([*job.get("paths", ["."])]):
        sys.path.insert(0, os.path.normpath(os.path.join(job["root"], path)))
    stubs.install(job.get("stubs", []))
    if is_cpu:
        import cpu_device

        cpu_device.install()
    for name, folder in job.get("packages", {}).items():
        add_package(name, os.path.join(job["root"], folder))
    import torch

    torch.manual_seed(0)
    hook.install(hook.Recorder(out, job["root"], job["repository"], job["root"]))
    if job["kind"] == "tests":
        import pytest

        arguments = ["-q", "-p", "no:cacheprovider", "-p", "small_tests", "--no-header", "-W", "ignore"]
        arguments += job.get("arguments", [])
        if job.get("no_conftest"):
            arguments.append("--noconftest")
        arguments += ["-o", "addopts=", f"--rootdir={job['root']}", job["path"]]
        return pytest.main(arguments)
    import runpy

    sys.argv = [job["path"]]
    sys.path.insert(0, os.path.dirname(job["path"]))
    runpy.run_path(job["path"], run_name="__main__")
    return 0


def child(job, arguments, end):
    name = f"{job['repository']}/{job['file']}".replace("/", "+")
    log = os.path.join(arguments.out, "logs", f"{name}.log")
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.environ["CAPTURE_END"] = str(end)
    os.environ["CAPTURE_LOG"] = log + ".tests"
    code = 1
    try:
        code = carry_out(job, arguments.out, arguments.cpu)
    except SystemExit as error:
        code = error.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(code) & 127 if isinstance(code, int) else 1)


def can_fork():
    """Whether a process that is forked from this one can use the GPU."""
    import torch

    process = os.fork()
    if process == 0:
        try:
            torch.zeros(4, device="cuda").sum().item()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(process, 0)[1] == 0


def begin_job(job, arguments, end, forks):
    if forks:
        process = os.fork()
        if process == 0:
            os.setsid()
            child(job, arguments, end)
        return process
    text = json.dumps([job, vars(arguments), end])
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "--one", text], start_new_session=True).pid


def main():
    if sys.argv[1:2] == ["--one"]:
        job, given, end = json.loads(sys.argv[2])
        return child(job, argparse.Namespace(**given), end)
    arguments = options()
    for folder in ("launches", "logs"):
        os.makedirs(os.path.join(arguments.out, folder), exist_ok=True)
    jobs = jobs_of(arguments.jobs, os.path.abspath(arguments.repositories), arguments.only)
    arguments.out = os.path.abspath(arguments.out)
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import torch
    import triton  # noqa: F401
    import triton.language  # noqa: F401

    for name in ("einops", "transformers", "torch.testing", "torch._dynamo", "pandas"):
        try:
            __import__(name)
        except Exception as error:
            print(f"no {name}: {error}"[:200])
    torch.set_num_threads(1)
    done = os.path.join(arguments.out, "jobs.jsonl")
    finished = set()
    if os.path.exists(done):
        finished = {json.loads(line)["job"] for line in open(done)}
    later = set(json.load(open(os.environ["CAPTURE_LATER"]))) if os.environ.get("CAPTURE_LATER") else set()
    jobs.sort(key=lambda job: f"{job['repository']}/{job['file']}" in later)
    begin = time.time()
    end = begin + arguments.seconds
    running = {}
    forks = arguments.cpu or can_fork()
    waiting = [job for job in jobs if f"{job['repository']}/{job['file']}" not in finished]
    print(f"{len(waiting)} jobs, {'forked' if forks else 'started anew'}", flush=True)
    while running or (waiting and time.time() < end):
        while waiting and len(running) < arguments.processes and time.time() < end:
            job = waiting.pop(0)
            limit = min(end, time.time() + job.get("seconds", arguments.job_seconds))
            process = begin_job(job, arguments, limit - 1, forks)
            running[process] = (job, time.time(), limit)
        time.sleep(0.05)
        for process, (job, started, limit) in list(running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            is_late = time.time() > limit
            if ended == 0 and not is_late:
                continue
            if ended == 0:
                try:
                    os.killpg(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                os.waitpid(process, 0)
            del running[process]
            code = "late" if ended == 0 else os.waitstatus_to_exitcode(status)
            with open(done, "a") as file:
                name = f"{job['repository']}/{job['file']}"
                file.write(json.dumps({"job": name, "code": code, "seconds": round(time.time() - started, 1)}) + "\n")
    print(f"{len(os.listdir(os.path.join(arguments.out, 'launches')))} launches, {time.time() - begin:.0f} s, "
          f"{len(waiting)} jobs not begun", flush=True)


if __name__ == "__main__":
    main()
