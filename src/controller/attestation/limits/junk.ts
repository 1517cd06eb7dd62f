// Proofs that fail (protocol 7.1): so many that name one hello get their reason; more are judged all the same and deleted. A good proof
// is never shut out by junk, and junk does not fill the cluster.

/** So many failing proofs of one hello are told why. */
export const DENIALS_TOLD = 8;
/** Hellos whose junk is counted; the one that was named first is forgotten, and its junk told why once more. */
const HELLOS_COUNTED = 4_096;

export interface JunkCount {
  /** Counts one more failing proof of this hello; false: it is to be deleted, not told. */
  mayTell(helloUid: string): boolean;
}

export function createJunkCount(): JunkCount {
  const denials = new Map<string, number>();
  return {
    mayTell: (helloUid) => {
      const count = (denials.get(helloUid) ?? 0) + 1;
      const [oldest] = denials.keys();
      if (denials.size >= HELLOS_COUNTED && oldest !== undefined && !denials.has(helloUid)) denials.delete(oldest);
      denials.set(helloUid, count);
      return count <= DENIALS_TOLD;
    },
  };
}
