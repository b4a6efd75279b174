import { expect, it } from "vitest";
import { programEnvironment } from "./program-environment.ts";

const machine = {
  HOME: "/home/me",
  PWD: "/home/me/work",
  OMP_NUM_THREADS: "4",
  AUTHOR: "me",
  KEYBOARD: "us",
  MONKEY: "1",
  GITHUB_TOKEN: "t",
  npm_config__authToken: "t",
  AWS_SECRET_ACCESS_KEY: "s",
  AWS_ACCESS_KEY_ID: "s",
  DB_PASSWORD: "p",
  MYSQL_PWD: "p",
  OPENAI_API_KEY: "k",
  SSH_AUTH_SOCK: "/run/agent",
  DATABASE_URL: "postgres://user:word@host/db",
  HOMEPAGE: "https://host/a:b@c",
};

it("a program gets the environment without what looks like a secret", () => {
  expect(Object.keys(programEnvironment(machine, { isolated: false, asked: [] }))).toEqual([
    "HOME",
    "PWD",
    "OMP_NUM_THREADS",
    "AUTHOR",
    "KEYBOARD",
    "MONKEY",
    "HOMEPAGE",
  ]);
});

it("an isolated program gets none; --env hands variables over in both cases", () => {
  const asked = ["GITHUB_TOKEN", "MODE=a=b", "NOT_SET"];
  expect(programEnvironment(machine, { isolated: true, asked: [] })).toEqual({});
  expect(programEnvironment(machine, { isolated: true, asked })).toEqual({ GITHUB_TOKEN: "t", MODE: "a=b" });
  expect(programEnvironment(machine, { isolated: false, asked })).toMatchObject({
    GITHUB_TOKEN: "t",
    HOME: "/home/me",
  });
});
