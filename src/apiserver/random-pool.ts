// Random bytes in small portions: an id a request is sixteen bytes, and a call into the operating system for each costs more
// than everything else about it. Each byte is handed out once and then overwritten.

/** A hundred ids and more. */
const POOL_BYTES = 2_048;

export function createRandomPool(random: (count: number) => Uint8Array): (count: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  return (count) => {
    if (count > POOL_BYTES) return random(count);
    if (used + count > pool.length) [pool, used] = [random(POOL_BYTES), 0];
    // A copy, made so that it is one also when the pool is a Buffer, whose `slice` would be a view.
    const taken = Uint8Array.from(pool.subarray(used, used + count));
    pool.fill(0, used, used + count);
    used += count;
    return taken;
  };
}
