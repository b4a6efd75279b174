import { expect, test } from "vitest";
import { parseMachine } from "./machine.ts";

test.each([
  ["ssh://gpu", { host: "gpu", user: null, port: null, folder: "~/.cache/heddle/remote", name: "gpu" }],
  [
    "ssh://me@gpu.example.com:2222",
    { host: "gpu.example.com", user: "me", port: 2222, name: "gpu.example.com port 2222" },
  ],
  ["ssh://me@gpu/scratch/me/my%20folder", { folder: "/scratch/me/my folder" }],
  ['ssh://gpu/~/heddle\'s "folder"; rm -rf $HOME', { folder: '~/heddle\'s "folder"; rm -rf $HOME' }],
  ["ssh://gpu/", { folder: "~/.cache/heddle/remote" }],
  ["ssh://[2001:db8::1]:22/x", { host: "2001:db8::1", port: 22, folder: "/x" }],
  ["ssh://[fe80::1%eth0]", { host: "fe80::1%eth0" }],
  ["ssh://DOMAIN\\me@gpu", { user: "DOMAIN\\me" }],
  ["slurm", { kind: "slurm", options: [] }],
  ["slurm:--partition=gpu --gres=gpu:1", { options: ["--partition=gpu", "--gres=gpu:1"] }],
  [
    `slurm:--job-name='two words' --comment "it's; $HOME" -p gpu`,
    { options: ["--job-name=two words", "--comment", "it's; $HOME", "-p", "gpu"] },
  ],
])("%s", (text, expected) => {
  expect(parseMachine(text)).toMatchObject(expected);
});

test.each([
  ["gpu", /neither ssh:\/\/… nor slurm…/],
  ["ssh://-oProxyCommand=touch%20x", /is no name of a host/],
  ["ssh://-l@gpu", /is no name of a user/],
  ["ssh://a;b", /is no name of a host/],
  ["ssh://$(x)/y", /is no name of a host/],
  ["ssh://me:secret@gpu", /"me:…" is no name of a user: passwords are not taken/],
  ["ssh://gpu:0", /"0" is no port/],
  ["ssh://gpu:x", /"x" is no port/],
  ["ssh://[gpu]", /"gpu" is no name of a host/],
  ["ssh://", /"" is no name of a host/],
  ["ssh://gpu/%ff", /percent-encoded/],
  ["ssh://gpu/a%0ab", /no line ends/],
  ["slurm:--x 'y", /a quote is not closed/],
])("%s is refused", (text, message) => {
  expect(() => parseMachine(text)).toThrow(message);
});
