// Legacy tokens: a Secret of type kubernetes.io/service-account-token gets a token of its service account, which is
// valid as long as both exist.

import type { Secret } from "../../../api/core/index.ts";
import { type KubeObject, SECRETS, SERVICE_ACCOUNTS } from "../../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { encodeLegacyClaims } from "../../authentication/service-account/claims.ts";
import type { TokenIssuer } from "../../authentication/service-account/issuer.ts";
import type { InsideClient } from "../inside-client.ts";
import type { Controller } from "../loop.ts";
import { ACCOUNT_NAME, planTokenSecret, TOKEN_TYPE } from "./plan.ts";

/** As in Kubernetes, this controller has no service account of its own: it makes the tokens of all others. */
const USER = { username: "system:kube-controller-manager", groups: ["system:authenticated"] };

interface TokenSecretsOptions {
  readonly tokens: TokenIssuer;
  readonly rootCaPem: string;
  /** The Secrets of a namespace: a change of an account concerns those that name it. */
  readonly secretsIn: (namespace: string) => readonly Secret[];
}

export function createTokenSecrets(options: TokenSecretsOptions): Controller {
  return {
    name: "token-secrets",
    user: USER,
    watches: [
      {
        resource: SECRETS,
        keysOf: ({ type, object }) => (type !== "DELETED" && isTokenSecret(object) ? [keyOf(object)] : []),
      },
      {
        resource: SERVICE_ACCOUNTS,
        keysOf: ({ type, object }) => (type === "MODIFIED" ? [] : secretsOf(object, options).map(keyOf)),
      },
    ],
    look: async (key, client) => {
      const [namespace = "", name = ""] = key.split("/");
      const secret = client.get<Secret>(SECRETS, { namespace, name });
      if (secret !== undefined && isTokenSecret(secret)) await act(secret, client, options);
      return undefined;
    },
  };
}

function isTokenSecret(object: KubeObject): boolean {
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  return (object as Secret).type === TOKEN_TYPE && !isGoing && accountOf(object) !== "";
}

function accountOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[ACCOUNT_NAME] ?? "";
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function secretsOf(account: KubeObject, { secretsIn }: TokenSecretsOptions): readonly Secret[] {
  const { namespace = "", name } = account.metadata;
  return secretsIn(namespace).filter((secret) => isTokenSecret(secret) && accountOf(secret) === name);
}

async function act(secret: Secret, client: InsideClient, { tokens, rootCaPem }: TokenSecretsOptions): Promise<void> {
  const { namespace = "", name = "", uid } = secret.metadata;
  const account = client.get(SERVICE_ACCOUNTS, { namespace, name: accountOf(secret) });
  const plan = planTokenSecret({ secret, account, rootCaPem });
  if (plan.kind === "delete") return client.remove(SECRETS, { namespace, name }, { uid });
  if (plan.kind === "nothing") return undefined;
  const owner = { name: accountOf(secret), uid: account?.metadata.uid ?? "" };
  const claims = encodeLegacyClaims({ namespace, serviceAccount: owner, secretName: name });
  const token = plan.needsToken ? { token: encodeBase64(encodeUtf8(tokens.sign(claims))) } : {};
  return client.update(SECRETS, { ...plan.secret, data: { ...plan.secret.data, ...token } } as Secret);
}
