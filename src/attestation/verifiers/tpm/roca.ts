// The fingerprint of keys with the ROCA weakness (Nemec et al., 2017): the library that made them chose primes of the form
// k·M + 65537^a mod M, so the modulus lies in the subgroup that 65537 generates modulo every small prime. A sound key does
// so for all of these primes with a chance of 2^-154.

const PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
] as const;

const SUBGROUPS: readonly (readonly [number, ReadonlySet<number>])[] = PRIMES.map((prime) => [
  prime,
  subgroupOf(prime),
]);

function subgroupOf(prime: number): ReadonlySet<number> {
  const members = new Set<number>();
  for (let power = 1; !members.has(power); power = (power * 65537) % prime) members.add(power);
  return members;
}

export function isRocaModulus(modulus: Uint8Array): boolean {
  return SUBGROUPS.every(([prime, members]) => members.has(remainder(modulus, prime)));
}

function remainder(magnitude: Uint8Array, prime: number): number {
  let rest = 0;
  for (const octet of magnitude) rest = (rest * 256 + octet) % prime;
  return rest;
}
