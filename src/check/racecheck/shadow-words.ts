/** The words of memory that an access touches, and where their entries lie in shadow memory. */
import { constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { CHECK_NAMES } from "../check-names.ts";
import type { RaceAccess } from "./race-accesses.ts";
import { PLANES } from "./race-state.ts";

const WORD_BYTES = 4;
const ALL_BYTES = 15;

export interface ShadowWord {
  /** Of its last write, its last read, and the sites of both. */
  readonly writePointer: IrValue;
  readonly readPointer: IrValue;
  readonly sitesPointer: IrValue;
  readonly address: IrValue;
  /** Its bytes that the access touches: 4 bits. */
  readonly bytes: IrValue;
}

/** @param firstPlane of racecheck's shadow memory. */
export function shadowWordsOf(
  e: Emitter,
  address: IrValue,
  { bytes, align, part }: RaceAccess,
  firstPlane: number,
): ShadowWord[] {
  const word = (at: IrValue, touched: IrValue): ShadowWord => ({
    writePointer: CHECK_NAMES.shadowPointer(e, firstPlane + PLANES.write, at),
    readPointer: CHECK_NAMES.shadowPointer(e, firstPlane + PLANES.read, at),
    sitesPointer: CHECK_NAMES.shadowPointer(e, firstPlane + PLANES.sites, at),
    address: at,
    bytes: touched,
  });
  if (bytes % WORD_BYTES === 0 && align >= WORD_BYTES)
    return Array.from({ length: bytes / WORD_BYTES }, (_, index) => {
      const distance = constI32(WORD_BYTES * index);
      const at = e.add(address, distance);
      if (part === null) return word(at, constI32(ALL_BYTES));
      // A word that is not accessed may have no shadow.
      const other = e.add(e.cast("ptrtoint", part.otherwise, I32), distance);
      const isAccessed = e.icmp("ult", distance, e.zextOrTrunc(part.length, I32));
      return word(e.select(isAccessed, at, other), constI32(ALL_BYTES));
    });
  const first = e.and(address, constI32(-WORD_BYTES));
  const offset = e.and(address, constI32(WORD_BYTES - 1));
  const touchedFromStart = bytes < WORD_BYTES ? (1 << bytes) - 1 : ALL_BYTES;
  const inFirst = e.and(e.shl(constI32(touchedFromStart), offset), constI32(ALL_BYTES));
  const words = [word(first, inFirst)];
  // Aligned to its own size it lies in one word; else it may reach a word further than its size says. Where it does not
  // reach a word, the first one stands in its place once more.
  const most = bytes <= align ? 1 : Math.ceil((bytes + WORD_BYTES - 1) / WORD_BYTES);
  for (let index = 1; index < most; index++) {
    const left = e.sub(e.add(offset, constI32(bytes)), constI32(WORD_BYTES * index));
    const reaches = e.icmp("sgt", left, 0);
    const touched = e.select(
      e.icmp("sge", left, WORD_BYTES),
      constI32(ALL_BYTES),
      e.sub(e.shl(constI32(1), left), constI32(1)),
    );
    words.push(
      word(e.select(reaches, e.add(first, constI32(WORD_BYTES * index)), first), e.select(reaches, touched, inFirst)),
    );
  }
  return words;
}
