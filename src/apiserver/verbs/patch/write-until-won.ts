// A write that names no version is not refused because another came first: it is made anew from what is stored now.

import { keyFor, type StoredCall } from "../stored-call.ts";
import { isLostRace, MAX_WRITE_TRIES, told } from "../update.ts";

/** The first try runs at once, unless others wait for the object; those after a lost race run in turn. */
export async function writeUntilWon<T>(
  stored: StoredCall,
  attempt: () => Promise<T>,
  isLost: (error: unknown) => boolean = isLostRace,
): Promise<T> {
  const { turns } = stored.parts;
  const key = keyFor(stored, stored.call.info.name);
  const inTurn = () => turns.take(key, () => tryAgain(stored, attempt, isLost));
  if (turns.isTaken(key)) return inTurn();
  try {
    return await attempt();
  } catch (error) {
    if (!isLost(error)) throw error;
    return inTurn();
  }
}

/** In turn, only writers of other verbs come between. */
async function tryAgain<T>(
  stored: StoredCall,
  attempt: () => Promise<T>,
  isLost: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLost(error) || tries === MAX_WRITE_TRIES) throw told(error, stored);
    }
  }
}
