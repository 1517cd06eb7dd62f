// Who holds how many places of something that is scarce: a bound for all, and a smaller one for each, so that nobody can take
// all of them.

export interface Turnstile {
  /** Takes a place: returns what gives it back, or which of the bounds is reached. */
  enter(name: string): (() => void) | Bound;
}

export type Bound = "all" | "each";

export function createTurnstile(limits: Readonly<Record<Bound, number>>): Turnstile {
  const inside = new Map<string, number>();
  let total = 0;

  function leave(name: string): void {
    const left = (inside.get(name) ?? 0) - 1;
    if (left > 0) inside.set(name, left);
    else inside.delete(name);
    total -= 1;
  }

  return {
    enter: (name) => {
      const own = inside.get(name) ?? 0;
      if (own >= limits.each) return "each";
      if (total >= limits.all) return "all";
      inside.set(name, own + 1);
      total += 1;
      let isInside = true;
      return () => {
        if (isInside) leave(name);
        isInside = false;
      };
    },
  };
}
