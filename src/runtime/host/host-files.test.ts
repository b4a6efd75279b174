import { expect, test } from "vitest";
import { Errno, HostFileError } from "./host-files.ts";

test("an error of the file system says what it is, and which errno the program sees", () => {
  const error = new HostFileError(Errno.noent, "there is no a.txt");
  expect(String(error)).toBe("HostFileError: there is no a.txt");
  expect(error.errno).toBe(44);
});
