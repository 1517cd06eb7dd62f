// What the key signs: the digest of the request and challenge, behind a prefix that no other use of the key has.

const CONTEXT = "countersign provider machine-key 1\0";

export function statementOf(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(CONTEXT, "utf8"), digest]);
}

const PREFIX = "machine-key:///";
/** As operators name machines: in an inventory, on a label. */
const MACHINE = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;

export function providerIdOf(machine: string): string {
  if (!MACHINE.test(machine)) throw new TypeError(`setting machine must match ${MACHINE.source}`);
  return PREFIX + machine;
}

/** Undefined where a provider ID is of another provider. */
export function machineOf(providerId: string): string | undefined {
  const machine = providerId.startsWith(PREFIX) ? providerId.slice(PREFIX.length) : "";
  return MACHINE.test(machine) ? machine : undefined;
}
