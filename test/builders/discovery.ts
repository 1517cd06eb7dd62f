// cluster-info as clusters publish it: the document, the ConfigMap around it, the signatures of tokens, and the two
// kinds of server that hand it out.

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type BootstrapToken,
  JWS_HEADER,
  parseDiscoveryJwt,
  type ReplyKey,
  refuseDiscoveryJwt,
  signDiscoveryAnswer,
  verifyDiscoveryAnswer,
} from "../../src/api/bootstrap/index.ts";
import { clusterLocationExtension, encodeKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { parseDetachedHs256, signDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { answerJson, type Handler } from "../fakes/https-server.ts";

export const TOKEN: BootstrapToken = { id: "ae23dc", secret: "faddc87f5a5ab458" };
export const OTHER_TOKEN: BootstrapToken = { id: "ffffff", secret: "0123456789abcdef" };
export const CLUSTER_ID = "9d6a1b0e-7f8d-4c57-9a70-2f1f7d1f0a11";

const base64 = (text: string) => Buffer.from(text).toString("base64");

export interface DocumentParts {
  readonly server: string;
  /** Empty: no CA data. */
  readonly caPem: string;
  readonly clusterId?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly moreRootsPem?: readonly string[] | undefined;
}

/** One unnamed cluster and nothing else. */
export function aDocument({ server, caPem, clusterId, servers, moreRootsPem }: DocumentParts): string {
  const location = { clusterId, servers, certificateAuthorityData: moreRootsPem?.map(base64) };
  const hasLocation = clusterId !== undefined || servers !== undefined || moreRootsPem !== undefined;
  const cluster = {
    ...(caPem === "" ? {} : { "certificate-authority-data": base64(caPem) }),
    ...(hasLocation ? { extensions: [clusterLocationExtension(location)] } : {}),
    server,
  };
  return encodeKubeconfig({ clusters: [{ name: "", cluster }], users: [], contexts: [], currentContext: "" });
}

export function aClusterInfo(kubeconfig: string, signers: readonly BootstrapToken[] = [TOKEN]) {
  const signatures = signers.map(({ id, secret }) => [
    `jws-kubeconfig-${id}`,
    signDetachedHs256({ keyId: id, secret, content: kubeconfig }),
  ]);
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig, ...Object.fromEntries(signatures) },
  };
}

export function answerStatus(response: ServerResponse, code: number, reason: string): void {
  answerJson(response, code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });
}

/** A kube-apiserver: it takes a JWT of ours for a broken bearer token, and shows cluster-info to strangers. */
export function plainServer(map: unknown): Handler {
  return (request, response) => {
    if (request.headers.authorization === undefined) answerJson(response, 200, map);
    else answerStatus(response, 401, "Unauthorized");
  };
}

/** A server of the seed's kind, which signs what it answers to a JWT, and shows strangers nothing. */
export function signingServer(map: unknown, token: BootstrapToken = TOKEN): Handler {
  return (request, response) => {
    if (!isGoodJwt(request, token)) return answerStatus(response, 403, "Forbidden");
    answerSigned(response, JSON.stringify(map), { token, jwt: bearerOf(request) ?? "" });
  };
}

function answerSigned(response: ServerResponse, body: string, asked: ReplyKey): void {
  const jws = signDiscoveryAnswer(body, asked);
  response.writeHead(200, { "content-type": "application/json", "x-kubernetes-jws": jws }).end(body);
}

export function bearerOf(request: IncomingMessage): string | undefined {
  return request.headers.authorization?.replace(/^Bearer /, "");
}

function isGoodJwt(request: IncomingMessage, { id, secret }: BootstrapToken): boolean {
  const jwt = parseDiscoveryJwt(bearerOf(request) ?? "");
  if (jwt?.keyId !== id) return false;
  return refuseDiscoveryJwt(jwt, { nowMs: Date.now(), secret, clusterId: CLUSTER_ID }) === undefined;
}

/** Whether an answer carries a signature over its bytes that is bound to the JWT that asked. */
export function isSignedFor(
  { headers, bytes }: { readonly headers: Readonly<Record<string, unknown>>; readonly bytes: Uint8Array },
  asked: ReplyKey,
): boolean {
  const jws = headers[JWS_HEADER];
  return typeof jws === "string" && verifyDiscoveryAnswer(parseDetachedHs256(jws), bytes, asked);
}
