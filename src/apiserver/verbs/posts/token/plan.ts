// A TokenRequest -> the claims of the token, or what is wrong with the request. Pure.
// Behaviour of kubernetes/pkg/registry/core/serviceaccount/storage/token.go.

import { type KubeObject, NODES, PODS, type Resource, SECRETS, TOKEN_REQUESTS } from "../../../../api/meta/index.ts";
import type { Fault } from "../../../../kernel/outcome/index.ts";
import type { BoundClaims, Reference } from "../../../authentication/service-account/claims.ts";
import { type FieldError, invalid } from "../../../resources/field-error.ts";
import { badRequest, conflict, invalidObject, notFound } from "../../../status/status.ts";

export interface TokenRequest extends KubeObject {
  spec?: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: {
      readonly kind?: string;
      readonly apiVersion?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

/** Everything the plan may know: the stored objects were read before. */
export interface TokenFacts {
  readonly request: TokenRequest;
  readonly serviceAccount: KubeObject;
  /** The object that the request names; undefined when it names none or it is not stored. */
  readonly bound: KubeObject | undefined;
  /** The Node that a bound Pod runs on. */
  readonly node: KubeObject | undefined;
  readonly audiences: readonly string[];
  readonly id: string;
  readonly nowMs: number;
}

export interface TokenPlan {
  readonly claims: BoundClaims;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

const DEFAULT_SECONDS = 3_600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The client library asks for this number by default: such tokens are valid for a year, for old clients. */
const LIBRARY_SECONDS = 3_607;
const EXTENDED_SECONDS = 365 * 24 * 3_600;

export function planToken(facts: TokenFacts): TokenPlan | { readonly refusal: Fault } {
  const { request, serviceAccount, nowMs } = facts;
  const refusal = requestRefusal(request, serviceAccount) ?? bindingRefusal(facts);
  if (refusal !== undefined) return { refusal };
  const { audiences: asked = [], expirationSeconds = DEFAULT_SECONDS } = request.spec ?? {};
  const audiences = asked.length === 0 ? facts.audiences : asked;
  const issuedAt = Math.floor(nowMs / 1_000);
  const bindings = bindingsOf(facts);
  const isLibrary = expirationSeconds === LIBRARY_SECONDS && bindings.pod !== undefined;
  const isExtended = isLibrary && audiences.every((one) => facts.audiences.includes(one));
  const claims: BoundClaims = {
    kind: "bound",
    namespace: serviceAccount.metadata.namespace ?? "",
    serviceAccount: referenceTo(serviceAccount),
    ...bindings,
    audiences,
    issuedAt,
    notBefore: issuedAt,
    expires: issuedAt + (isExtended ? EXTENDED_SECONDS : expirationSeconds),
    id: facts.id,
    ...(isExtended ? { warnAfter: issuedAt + expirationSeconds } : {}),
  };
  return { claims, audiences, expirationSeconds };
}

function requestRefusal({ metadata, spec }: TokenRequest, account: KubeObject): Fault | undefined {
  const { name = "", namespace, uid = "" } = account.metadata;
  const lifetime = lifetimeErrors(spec?.expirationSeconds ?? DEFAULT_SECONDS);
  if (lifetime.length > 0) return invalidObject(TOKEN_REQUESTS, "", lifetime);
  const errors: FieldError[] = [];
  if (metadata.name && metadata.name !== name) {
    errors.push(invalid("metadata.name", metadata.name, "must match the service account name if specified"));
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    const text = "must match the service account namespace if specified";
    errors.push(invalid("metadata.namespace", metadata.namespace, text));
  }
  if (errors.length > 0) return invalidObject(TOKEN_REQUESTS, name, errors);
  if (!metadata.uid || metadata.uid === uid) return undefined;
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
  return conflict(named(TOKEN_REQUESTS), name, why);
}

function lifetimeErrors(seconds: number): readonly FieldError[] {
  const field = "spec.expirationSeconds";
  if (seconds < MIN_SECONDS) return [invalid(field, seconds, "may not specify a duration less than 10 minutes")];
  return seconds > MAX_SECONDS ? [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")] : [];
}

/** A conflict names the kind where only the kind is known, as upstream. */
function named(resource: Resource): Resource {
  return { ...resource, plural: resource.kind };
}

const BINDABLE: readonly Resource[] = [PODS, NODES, SECRETS];

function bindingRefusal({ request, bound, serviceAccount }: TokenFacts): Fault | undefined {
  const { kind = "", apiVersion = "", name = "", uid } = request.spec?.boundObjectRef ?? {};
  if (request.spec?.boundObjectRef === undefined) return undefined;
  const resource = BINDABLE.find((one) => one.kind === kind && one.version === apiVersion);
  if (resource === undefined) {
    const group = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    return badRequest(`cannot bind token to object of type ${group}, Kind=${kind}`);
  }
  if (bound === undefined) return notFound(resource, name);
  if (resource === PODS && podAccount(bound) !== serviceAccount.metadata.name) {
    const account = JSON.stringify(serviceAccount.metadata.name);
    return badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  if (!uid || uid === bound.metadata.uid) return undefined;
  const what = `the UID in the bound object reference (${uid}) does not match the UID in record`;
  const why = `${what}. The object might have been deleted and then recreated`;
  return conflict(named(resource), name, why);
}

function podAccount(pod: KubeObject): string {
  return (pod as KubeObject & { spec?: { serviceAccountName?: string } }).spec?.serviceAccountName ?? "";
}

/** A pod's token also names the pod's node, if it has one; the uid is missing when the Node is. */
function bindingsOf({ bound, node }: TokenFacts): Pick<BoundClaims, "pod" | "secret" | "node"> {
  switch (bound?.kind) {
    case "Pod": {
      const nodeName = (bound as KubeObject & { spec?: { nodeName?: string } }).spec?.nodeName ?? "";
      const on = nodeName === "" ? {} : { node: { name: nodeName, uid: node?.metadata.uid ?? "" } };
      return { pod: referenceTo(bound), ...on };
    }
    case "Secret":
      return { secret: referenceTo(bound) };
    case "Node":
      return { node: referenceTo(bound) };
    default:
      return {};
  }
}

function referenceTo({ metadata }: KubeObject): Reference {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" };
}
