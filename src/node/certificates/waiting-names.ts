// The names under which this node's request may wait at the API server: that of the exchange in progress, else those
// that follow from the pending key, plain or with evidence. Nothing needs to have been recorded.

import { CLIENT_USAGES } from "../../api/certificates/index.ts";
import { defaultProviderId, draftRequest, objectName } from "../../attestation/evidence/index.ts";
import { loadExchange } from "../../attestation/exchange/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Signer } from "../../kernel/x509/index.ts";
import { parsePrivateKey } from "../../platform/keys/index.ts";
import type { StoreLayout } from "./layout.ts";
import { requestName, subjectOf } from "./template.ts";

interface WaitingNode {
  readonly nodeName: string;
  readonly providerId?: string | undefined;
  /** The pending key. */
  readonly keyPem: string | undefined;
}

export async function listWaitingNames({ exchangePath }: StoreLayout, node: WaitingNode): Promise<readonly string[]> {
  const exchange = await loadExchange(exchangePath);
  const current = exchange?.proof ?? exchange?.hello;
  if (current !== undefined) return [current.name];
  return node.keyPem === undefined ? [] : namesOfKey(node.keyPem, node);
}

function namesOfKey(
  keyPem: string,
  { nodeName, providerId = defaultProviderId(nodeName) }: WaitingNode,
): readonly string[] {
  try {
    const key = parsePrivateKey(keyPem).signer;
    const plain = requestName({ publicKey: key.publicKey, ...subjectOf(nodeName), usages: CLIENT_USAGES });
    return [plain, nameInOne({ key, nodeName, providerId })];
  } catch (error) {
    if (isFault(error)) return []; // not a usable key
    throw error;
  }
}

/** The name follows from subject, key and provider ID; what else the evidence says is not in it. */
function nameInOne({ key, nodeName, providerId }: { key: Signer; nodeName: string; providerId: string }): string {
  const statement = { intent: "join", purpose: "client", signer: "", node: nodeName, providerId, cluster: "" } as const;
  const protocol = { provider: "", version: 1 };
  const { cri } = draftRequest({ step: "single", statement: { ...statement, offered: [] }, protocol, key });
  const nothing = new Uint8Array();
  return objectName({ step: "single", body: { kind: "insecure" }, request: nothing, content: nothing, cri });
}
