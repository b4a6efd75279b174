/** The leaderboard lives in this browser. */
import { leadersFrom, type Leader } from "./model/leaderboard.ts";

const KEY = "heddle-studio-leaders";

export function savedLeaders(): Leader[] {
  try {
    return leadersFrom(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
  } catch {
    return [];
  }
}

export function saveLeaders(leaders: readonly Leader[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(leaders));
  } catch {
    // A browser may keep nothing, or may be full: the board is then of this visit alone.
  }
}
