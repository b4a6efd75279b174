import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_GPU, gpuProperties } from "../../../device/emulated/gpus.ts";
import { openApi } from "./api.test-helper.ts";
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

test("a device's name ends within the 256 bytes that cudaDeviceProp has", () => {
  const [name, numbers] = [1024, 4096];
  const { call, memory } = openApi(
    null,
    (device) =>
      new Proxy(device, {
        get: (target, key) => {
          if (key === "properties") return { ...device.properties, name: "x".repeat(300) };
          const value = Reflect.get(target, key, target) as unknown;
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      }),
  );
  memory.slice(name, 300).fill(7);
  expect(call("__heddle_device_properties", 0, name, numbers)).toBe(0);
  expect(memory.slice(name + 254, 4)).toEqual(Uint8Array.of(120, 0, 7, 7));
});
