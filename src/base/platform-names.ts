/** Which undefined functions of device code belong to the platform: Heddle lacks them. Any other is the user's. */
const DEVICE_NAMES: readonly RegExp[] = [
  /^llvm\./,
  /^__nv/,
  /^(?:__)?(?:cuda|heddle)/,
  /^cu[A-Z]/,
  /^(?:vprintf|malloc|free|__assertfail)$/,
];

/** Whether an undefined function of device code names something of the platform. */
export function isDevicePlatformName(symbol: string): boolean {
  return DEVICE_NAMES.some((pattern) => pattern.test(symbol));
}
