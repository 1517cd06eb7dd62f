// Addresses of DNS names and of this machine. Names are asked of the servers that the machine is configured with.
// "There is no such name" is an answer; no answer is a Fault, so that an outage is not mistaken for a fact.

import { Resolver } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { Fault } from "../../kernel/outcome/index.ts";

type NameAnswer = { readonly kind: "Absent" } | { readonly kind: "Present"; readonly addresses: readonly string[] };

interface ResolveOptions {
  readonly timeoutMs: number;
  /** `127.0.0.1:53`; default: the machine's. */
  readonly servers?: readonly string[] | undefined;
}

/** What a server says about a name without addresses. */
const NO_SUCH_NAME: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);

export async function resolveName(name: string, { timeoutMs, servers }: ResolveOptions): Promise<NameAnswer> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers !== undefined) resolver.setServers([...servers]);
  const answers = await Promise.all([ask(() => resolver.resolve4(name)), ask(() => resolver.resolve6(name))]);
  const addresses = answers.flat();
  return addresses.length === 0 ? { kind: "Absent" } : { kind: "Present", addresses };
}

async function ask(question: () => Promise<string[]>): Promise<readonly string[]> {
  try {
    return await question();
  } catch (cause) {
    const { code = "" } = cause as { readonly code?: string };
    if (NO_SUCH_NAME.has(code)) return [];
    throw new Fault("unavailable", `DNS does not answer: ${code}`, { cause });
  }
}

// The addresses of the machine, or of the pod, that this program runs on.

export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
