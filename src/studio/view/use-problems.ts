/** What is known of the program, for views. */
import { knownProblems } from "../model/activity.ts";
import type { Problem } from "../model/problems.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

export function useProblems(studio: Studio): readonly Problem[] {
  const activity = useStore(studio.store, (state) => state.activity);
  const ahead = useStore(studio.store, (state) => state.ahead);
  return knownProblems(activity, ahead);
}
