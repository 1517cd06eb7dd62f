// How many bytes of bodies are held at once, by all and by each user. A body is held from its first byte to the answer, and a
// peer that sends slowly holds it for a minute.

export interface HeldBytes {
  /** Returns what gives the bytes back, or undefined when they are too many. */
  hold(user: string, bytes: number): (() => void) | undefined;
}

export function createHeldBytes(limits: { readonly all: number; readonly each: number }): HeldBytes {
  const held = new Map<string, number>();
  let total = 0;
  return {
    hold: (user, bytes) => {
      const own = held.get(user) ?? 0;
      if (own + bytes > limits.each || total + bytes > limits.all) return undefined;
      held.set(user, own + bytes);
      total += bytes;
      return () => {
        const left = (held.get(user) ?? 0) - bytes;
        if (left > 0) held.set(user, left);
        else held.delete(user);
        total -= bytes;
      };
    },
  };
}
