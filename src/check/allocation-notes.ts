/** What reports say of where an allocation was made and freed. */
import type { AllocationTable } from "../instrument/allocation-table.ts";
import type { Note } from "./finding.ts";

/**
 * Where the allocation that holds `address`, or held it last, was made and freed. No lines where that is not known, or
 * where the program did not allocate the memory itself.
 */
export function notesOn(allocations: AllocationTable, address: number, name = "the allocation"): Note[] {
  const history = allocations.historyOf(address);
  if (history === null) return [];
  const notes: Note[] = [];
  const [allocated, freed] = [history.allocated(), history.freed?.() ?? null];
  if (allocated !== null) notes.push({ text: `${name} was made here`, location: allocated });
  if (freed !== null) notes.push({ text: "and freed here", location: freed });
  return notes;
}
