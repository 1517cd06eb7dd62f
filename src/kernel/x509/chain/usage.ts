// Extended key usage along a path: as in Go and in every browser, a CA that lists usages can hand on no others.
import type { Certificate } from "../certificate.ts";
import { EKU_ANY } from "../oids.ts";
import { type ChainRefusal, refuse, shown } from "./refusal.ts";

export function checkUsage(path: readonly Certificate[], usage: string | undefined): ChainRefusal | undefined {
  if (usage === undefined) return undefined;
  for (const certificate of path) {
    const allowed = certificate.extKeyUsage;
    if (allowed === undefined || allowed.includes(usage) || allowed.includes(EKU_ANY)) continue;
    return refuse("UsageNotAllowed", `certificate ${shown(certificate)} does not allow usage ${usage}`);
  }
  return undefined;
}
