/** The compiler's words in the log of NVRTC, where programs read them. */

const MISSING = /^(.+?):(\d+):\d+: fatal error: '(.+)' file not found$/gm;

/**
 * A header that is not there is named as NVRTC names it. Programs look for these words, and compile again with the
 * header, as jitify does.
 */
export function nvrtcLog(text: string): string {
  return text.replace(MISSING, '$1($2): catastrophic error: cannot open source file "$3"');
}
