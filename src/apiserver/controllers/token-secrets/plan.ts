// What must happen to a Secret of type kubernetes.io/service-account-token. Pure.
//  its account is missing, or another one under the same name   -> the Secret is deleted
//  token, CA or namespace are missing, or the CA has changed    -> they are filled in; an existing token stays
// Behaviour of kubernetes/pkg/controller/serviceaccount/tokens_controller.go.

import type { Secret } from "../../../api/core/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../../kernel/bytes/index.ts";

export const TOKEN_TYPE = "kubernetes.io/service-account-token";
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

interface TokenSecretFacts {
  readonly secret: Secret;
  readonly account: KubeObject | undefined;
  readonly rootCaPem: string;
}

type TokenSecretPlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "delete" }
  /** `needsToken`: the caller signs the token; a plan has no key. */
  | { readonly kind: "fill"; readonly secret: Secret; readonly needsToken: boolean };

export function planTokenSecret({ secret, account, rootCaPem }: TokenSecretFacts): TokenSecretPlan {
  const { annotations = {}, namespace = "" } = secret.metadata;
  const claimed = annotations[ACCOUNT_UID] ?? "";
  const uid = account?.metadata.uid ?? "";
  if (account === undefined || (claimed !== "" && claimed !== uid)) return { kind: "delete" };
  const { data = {} } = secret;
  const ca = encodeBase64(encodeUtf8(rootCaPem));
  const needsToken = (data["token"] ?? "") === "";
  const isWhole = !needsToken && data["ca.crt"] === ca && (data["namespace"] ?? "") !== "" && claimed === uid;
  if (isWhole) return { kind: "nothing" };
  const filled = { ...data, "ca.crt": ca, namespace: data["namespace"] || encodeBase64(encodeUtf8(namespace)) };
  const metadata = { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID]: uid } };
  return { kind: "fill", secret: { ...secret, metadata, data: filled }, needsToken };
}
