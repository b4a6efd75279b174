// Writes libraries/rand/sobol-numbers.h: Joe and Kuo's direction numbers, as dense as text allows.
//   node scripts/make-sobol-numbers.mjs new-joe-kuo-6.21201          (from https://web.maths.unsw.edu.au/~fkuo/sobol/)
// A line of that file is a dimension: its number, the degree s of its polynomial, the polynomial's inner coefficients
// a, and m_1 … m_s.
import { readFileSync, writeFileSync } from "node:fs";

const DIMENSIONS = 20000; // what cuRAND has
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LINE = 112;

const rows = readFileSync(process.argv[2], "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.trim().split(/\s+/).map(Number));
const bits = [];
const put = (value, width) => {
  for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
};
const counts = [];
rows.slice(0, DIMENSIONS - 1).forEach(([dimension, degree, inner, ...m], i) => {
  if (dimension !== i + 2 || m.length !== degree || degree < counts.length)
    throw new Error(`dimension ${dimension} is out of order`);
  while (counts.length < degree) counts.push(0);
  counts[degree - 1]++;
  put(inner, degree - 1);
  m.forEach((value, k) => {
    if (value % 2 !== 1 || value >= 2 ** (k + 1)) throw new Error(`dimension ${dimension}: m_${k + 1} is ${value}`);
    put(value >> 1, k); // odd, and below 2^(k+1)
  });
});
while (bits.length % 6 !== 0) bits.push(0);
let text = "";
for (let i = 0; i < bits.length; i += 6)
  text += CHARACTERS[bits.slice(i, i + 6).reduce((value, bit) => value * 2 + bit, 0)];
const lines = text.match(new RegExp(`.{1,${LINE}}`, "g")).map((line) => `  "${line}"`);
writeFileSync(
  new URL("../libraries/rand/sobol-numbers.h", import.meta.url),
  `\
// Made by scripts/make-sobol-numbers.mjs from S. Joe's and F. Y. Kuo's file new-joe-kuo-6.21201: S. Joe and F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2635-2654 (2008).
// Copyright (c) 2008, Frances Y. Kuo and Stephen Joe; NOTICE has its terms.
//
// Dimensions 2 to ${DIMENSIONS}, by the degree s of their polynomials. Of each: the inner coefficients of the
// polynomial (s - 1 bits), then m_2 … m_s without their last bit, which is set (m_k: k - 1 bits; m_1 is 1). The highest
// bit first; a character is six bits, A-Z a-z 0-9 + /.
constexpr int SOBOL_DIMENSIONS = ${DIMENSIONS};
/**
 * How many dimensions have a polynomial of degree 1, 2, …: all primitive polynomials of each degree, up to the last.
 */
constexpr int SOBOL_DEGREES[] = {${counts.join(", ")}};
constexpr char SOBOL_NUMBERS[] =
${lines.join("\n")};
`,
);
