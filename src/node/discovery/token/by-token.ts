// Finds the cluster with a token ("Method: Token" of the super simple discovery API; kubeadm's form where the server
// does not know that one). The secret is never sent: it signs a short-lived JWT, and it checks the answer. Two reads:
// one without a trusted CA, judged by the token's signature and the pins; one over TLS that the CA just found vouches
// for.
//
//   JWT  --200--> X-Kubernetes-JWS must answer it     --+
//        --401, 403--> anonymous --200--> JWS in the    +--> document --> second read, verified --> the same?
//                                 ConfigMap must hold --+

import { signDiscoveryJwt } from "../../../api/bootstrap/index.ts";
import { encodeBase64Url } from "../../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { HttpsAnswer, ServerTrust } from "../../../platform/http/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import { type DiscoveredCluster, untrusted } from "../cluster.ts";
import { withSystemRoots } from "../document/confirm.ts";
import { judgeDocument } from "../document/judge.ts";
import type { TokenMethod } from "../method.ts";
import { faultOf, isRefusedAnswer, readClusterInfo } from "../read-cluster-info.ts";
import type { DiscoverDeps, DiscoveryAttempt } from "../wait.ts";
import { parseConfigMap } from "./answer.ts";
import { judgeSecondReading, judgeSignedAnswer, judgeSignedConfigMap, type SignatureVerdict } from "./judge.ts";

export async function discoverByToken(
  address: string,
  method: TokenMethod,
  deps: DiscoverDeps,
): Promise<DiscoveryAttempt<DiscoveredCluster>> {
  const first = await readSigned({ address, method, deps, trust: { anybody: true } });
  if (first.kind === "Deny") throw untrusted(first);
  if (first.kind === "Wait") return { why: first.message };
  const { caPins, clusterId } = method;
  const verdict = judgeDocument({
    text: first.kubeconfigText,
    what: "the signed document",
    caPins,
    clusterId,
    isSigned: true,
  });
  if (verdict.kind === "Deny") throw untrusted(verdict);
  deps.onDiscovered?.(verdict.cluster.server);
  const cluster = await withSystemRoots(verdict.cluster, deps.env);
  const second = await readVerified({ address, method, deps, trust: { caPem: cluster.anchorsPem } });
  if (second.kind === "Deny") throw untrusted(second);
  if (second.kind === "Wait") return { why: second.message };
  const same = judgeSecondReading(first.kubeconfigText, second.kubeconfigText);
  if (same.kind === "Deny") throw untrusted(same);
  return { value: cluster };
}

/** 128 random bits for each read: an old answer cannot be replayed. */
const JWT_ID_BYTES = 16;

interface SignedReading {
  readonly address: string;
  readonly method: TokenMethod;
  readonly deps: DiscoverDeps;
  readonly trust: ServerTrust;
}

async function readSigned({ address, method, deps, trust }: SignedReading): Promise<SignatureVerdict> {
  const { token, clusterId } = method;
  const reading = { address, trust, signal: deps.signal, env: deps.env };
  const id = encodeBase64Url(randomBytes(JWT_ID_BYTES));
  const jwt = signDiscoveryJwt(token, { nowMs: deps.clock.now(), audience: clusterId, id });
  const answer = await readClusterInfo({ ...reading, bearer: jwt });
  if (!isRefusedAnswer(answer)) return judgeSignedAnswer(answer, { token, jwt });
  const anonymous = await readClusterInfo(reading);
  if (isRefusedAnswer(anonymous)) throw bothRefused(address, answer, anonymous);
  return judgeSignedConfigMap(parseConfigMap(anonymous.body).data, token);
}

/** Waited for: a control plane that is coming up binds its roles and stores its tokens last. */
function bothRefused(address: string, toJwt: HttpsAnswer, toStranger: HttpsAnswer): Fault {
  const cause = faultOf(toStranger, address);
  return new Fault(
    cause.code,
    `${address} shows cluster-info neither to the token's JWT (status ${toJwt.status}) nor to strangers (status ` +
      `${toStranger.status}): its roles are not bound yet, the token is unknown or over there, or this machine's clock is off`,
    { cause },
  );
}

async function readVerified(reading: SignedReading): Promise<SignatureVerdict> {
  try {
    return await readSigned(reading);
  } catch (error) {
    if (!isFault(error, "untrusted") || error.detail["check"] !== undefined) throw error;
    throw untrusted(
      {
        rule: "server-holds-a-certificate-of-the-ca",
        message:
          `${reading.address} does not hold a certificate of the CA that its own document names (${error.message}): ` +
          "somebody relays the cluster's document, or the address is not in the server's certificate",
      },
      error,
    );
  }
}
