// How a loop of this process reads and writes. Reads come from storage, which is memory. Writes pass the chain of every
// request, from audit on: the same authorization, admission and validation, as the user whose rights Kubernetes gives
// that controller. A loop can do no more than its role says, and the audit log names it.

import type { UserInfo } from "../../api/access/index.ts";
import { type KubeObject, type ObjectPath, type Resource, resourcePath } from "../../api/meta/index.ts";
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { HttpRequest } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import { INNER_STAGES, type Parts, runChain } from "../chain.ts";
import { parseRequestInfo } from "../entry/request-info.ts";
import { parseTarget } from "../entry/target.ts";
import { newCall } from "../new-call.ts";
import { randomUid } from "../random.ts";
import { keyOf, prefixOf } from "../storage/key.ts";

interface Place {
  readonly namespace?: string | undefined;
  readonly name: string;
}

interface DeleteChoices {
  /** Only the object with this uid, not a successor of the same name. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

export interface InsideClient {
  get<T extends KubeObject>(resource: Resource, place: Place): T | undefined;
  list<T extends KubeObject>(resource: Resource, namespace?: string): readonly T[];
  create(resource: Resource, object: KubeObject): Promise<void>;
  /** PUT, to the subresource if one is named. */
  update(resource: Resource, object: KubeObject, subresource?: string): Promise<void>;
  /** A merge patch. */
  patch(resource: Resource, target: Place & { readonly subresource?: string }, patch: object): Promise<void>;
  remove(resource: Resource, place: Place, choices?: DeleteChoices): Promise<void>;
}

/** The service account of kube-system that the controller's role is bound to (authorization/policy). */
export function controllerUser(name: string): UserInfo {
  const groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"];
  return { username: `system:serviceaccount:kube-system:${name}`, groups };
}

export function createInsideClient(parts: Parts, user: UserInfo): InsideClient {
  const send = (message: Message) => request(parts, user, message);
  return {
    get: <T extends KubeObject>(resource: Resource, place: Place) =>
      parts.storage.get(keyOf(resource, place))?.object as T | undefined,
    list: <T extends KubeObject>(resource: Resource, namespace?: string) =>
      parts.storage.list({ prefix: prefixOf(resource, namespace) }).items.map(({ object }) => object as T),
    create: (resource, object) =>
      send({ method: "POST", target: resourcePath(resource, { namespace: object.metadata.namespace }), body: object }),
    update: (resource, object, subresource) =>
      send({ method: "PUT", target: resourcePath(resource, { ...placeOf(object), subresource }), body: object }),
    patch: (resource, { namespace, name, subresource }, patch) =>
      send({
        method: "PATCH",
        target: resourcePath(resource, { namespace, name, subresource }),
        body: patch,
        type: "application/merge-patch+json",
      }),
    remove: (resource, place, { uid, resourceVersion, propagationPolicy = "Background" } = {}) => {
      const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
      return send({
        method: "DELETE",
        target: resourcePath(resource, place),
        body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy, preconditions },
      });
    },
  };
}

function placeOf({ metadata }: KubeObject): ObjectPath {
  return { namespace: metadata.namespace, name: metadata.name ?? "" };
}

interface Message {
  readonly method: string;
  readonly target: string;
  readonly body: object;
  readonly type?: string;
}

async function request(parts: Parts, user: UserInfo, message: Message): Promise<void> {
  const beginning = { receivedMs: parts.clock.now(), auditId: randomUid(parts) };
  const call: Call = newCall(asHttp(message), beginning);
  const { segments, query } = parseTarget(message.target);
  call.query = query;
  call.info = parseRequestInfo(message.method, segments, query);
  call.caller = user;
  call.user = user;
  const answer: Answer = await runChain(call, parts, INNER_STAGES);
  assert(answer.kind === "object" || answer.kind === "document", "a write is answered with an object or a Status");
}

/** There is no client that could disconnect. */
const NEVER = new AbortController().signal;

function asHttp({ method, target, body, type = "application/json" }: Message): HttpRequest {
  return {
    method,
    target,
    headers: { "content-type": type, accept: "application/json", "user-agent": "countersign/loops" },
    peerCertificates: [],
    remoteAddress: "127.0.0.1",
    signal: NEVER,
    readBody: async () => encodeUtf8(JSON.stringify(body)),
  };
}
