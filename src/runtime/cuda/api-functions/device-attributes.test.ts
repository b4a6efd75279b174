import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_GPU, gpuProperties } from "../../../device/emulated/gpus.ts";
import { deviceAttribute, devicePropertyValues } from "./device-attributes.ts";

const values = devicePropertyValues(gpuProperties(DEFAULT_GPU), {
  ordinal: 0,
  deviceCount: 1,
  allocatableBytes: 3e9,
  hasClusters: false,
});

test("members and their slots are those of the header's list", () => {
  const header = readFileSync(new URL("../../../../include/heddle/device_properties.inc", import.meta.url), "utf8");
  const rows = [...header.matchAll(/^HEDDLE_PROPERTY(?:_(\d))?\((\w+)\)/gm)].map(([, slots, name]) => [
    name,
    Number(slots ?? 1),
  ]);
  expect(rows.length).toBeGreaterThan(60);
  expect(values.map(([name, ...numbers]) => [name, numbers.length])).toEqual(rows);
});

test("every attribute of the header has a value", () => {
  const header = readFileSync(new URL("../../../../include/driver_types.h", import.meta.url), "utf8");
  const numbers = [...header.matchAll(/\bcudaDevAttr\w+ = (\d+)/g)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers.filter((number) => deviceAttribute(number, values) === null)).toEqual([]);
  expect(deviceAttribute(16, values)).toBe(108);
  expect(deviceAttribute(9999, values)).toBeNull();
});
