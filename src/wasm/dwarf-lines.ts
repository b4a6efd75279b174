/** The line table of DWARF 4 (section 6.2): which place in the source an address of the code came from. */
import { ByteReader } from "./byte-reader.ts";

/** From `address` on, up to the next row. */
export interface LineRow {
  readonly address: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endsSequence: boolean;
}

/** The files of one unit: their numbers count from 1. */
export interface LineProgram {
  readonly files: readonly string[];
  readonly rows: readonly LineRow[];
}

const OPCODE = {
  extended: 0,
  copy: 1,
  advancePc: 2,
  advanceLine: 3,
  setFile: 4,
  setColumn: 5,
  constAddPc: 8,
  fixedAdvancePc: 9,
} as const;
const EXTENDED = { endSequence: 1, setAddress: 2 } as const;

/** The program at `offset` of .debug_line. @param directory where the compiler ran: DW_AT_comp_dir. */
export function readLineProgram(section: Uint8Array, offset: number, directory: string): LineProgram {
  const r = new ByteReader(section, offset);
  const end = r.u32() + r.at;
  r.u16(); // version
  const programStart = r.u32() + r.at;
  const instructionBytes = r.u8();
  r.u8(); // operations of one instruction: for VLIW machines
  r.u8(); // default_is_stmt
  const [lineBase, lineRange, opcodeBase] = [r.i8(), r.u8(), r.u8()];
  const operandCounts = Array.from({ length: opcodeBase - 1 }, () => r.u8());
  const directories = [directory];
  for (let name = r.cString(); name !== ""; name = r.cString())
    directories.push(name.startsWith("/") ? name : `${directory}/${name}`.replace(/\/\.(?=\/|$)/g, ""));
  const files: string[] = [""];
  for (let name = r.cString(); name !== ""; name = r.cString()) {
    const from = directories[r.uleb()] ?? directory;
    files.push(name.startsWith("/") ? name : `${from}/${name}`);
    r.uleb(); // time
    r.uleb(); // length
  }
  r.at = programStart;
  const rows: LineRow[] = [];
  let [address, file, line, column] = [0, 1, 1, 0];
  const row = (endsSequence: boolean): void =>
    void rows.push({ address, file: files[file] ?? "", line, column, endsSequence });
  while (r.at < end) {
    const opcode = r.u8();
    if (opcode >= opcodeBase) {
      const step = opcode - opcodeBase;
      address += Math.floor(step / lineRange) * instructionBytes;
      line += lineBase + (step % lineRange);
      row(false);
    } else if (opcode === OPCODE.extended) {
      const next = r.uleb() + r.at;
      const extended = r.u8();
      if (extended === EXTENDED.endSequence) {
        row(true);
        [address, file, line, column] = [0, 1, 1, 0];
      } else if (extended === EXTENDED.setAddress) address = r.u32();
      r.at = next;
    } else if (opcode === OPCODE.copy) row(false);
    else if (opcode === OPCODE.advancePc) address += r.uleb() * instructionBytes;
    else if (opcode === OPCODE.advanceLine) line += r.sleb();
    else if (opcode === OPCODE.setFile) file = r.uleb();
    else if (opcode === OPCODE.setColumn) column = r.uleb();
    else if (opcode === OPCODE.constAddPc) address += Math.floor((255 - opcodeBase) / lineRange) * instructionBytes;
    else if (opcode === OPCODE.fixedAdvancePc) address += r.u16();
    else for (let operand = 0; operand < (operandCounts[opcode - 1] ?? 0); operand++) r.uleb();
  }
  return { files, rows };
}
