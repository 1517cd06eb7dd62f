// P4. What the proof claims is what was challenged: field by field, and the key.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { type Envelope, encodeProtocol } from "../../../evidence/index.ts";
import type { ProofFacts } from "../facts.ts";
import { withHello } from "../with-challenge.ts";

export const claimsAreTheSame: Rule<ProofFacts> = {
  id: "claims-are-the-same",
  sentence: "node, provider ID, purpose, intent, signer, cluster, versions and key are the hello's",
  judge: withHello((hello, { envelope, request }) => {
    const other = differingClaim(hello.envelope, envelope);
    if (other !== undefined) return refuse("HelloMismatch", `the proof has another ${other} than its hello`);
    return equalBytes(hello.spki, request.publicKey.spki)
      ? pass()
      : refuse("HelloMismatch", "the proof has another key than its hello");
  }),
};

const COMPARED = ["node", "providerId", "purpose", "intent", "signer", "cluster"] as const;

function differingClaim(hello: Envelope, proof: Envelope): string | undefined {
  const field = COMPARED.find((name) => hello[name] !== proof[name]);
  if (field !== undefined) return field;
  if (hello.offered.join() !== proof.offered.join()) return "list of versions";
  return encodeProtocol(hello.protocol) === encodeProtocol(proof.protocol) ? undefined : "version";
}
