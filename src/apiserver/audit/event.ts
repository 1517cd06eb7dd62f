// One request at one stage of its life -> one line of the audit log, an Event of audit.k8s.io/v1. Pure.

import type { UserInfo } from "../../api/access/index.ts";
import type { KubeObject, Status } from "../../api/meta/index.ts";
import type { RequestInfo } from "../entry/request-info.ts";
import type { AuditStage, Level } from "./policy.ts";
import { mayShowMessage } from "./redact.ts";

/** Everything an event may know about its request. */
export interface Audited {
  readonly auditId: string;
  readonly level: Level;
  readonly target: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly receivedMs: number;
  readonly info: RequestInfo;
  /** The authenticated user, and the user it impersonates when that is another one. */
  readonly caller: UserInfo;
  readonly user: UserInfo;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface StageFacts {
  readonly stage: AuditStage;
  readonly nowMs: number;
  readonly status?: { readonly code: number; readonly failure?: Status | undefined } | undefined;
  /** Already redacted. */
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** The object that was created: a create does not name it in the URL. */
  readonly object?: KubeObject | undefined;
}

/** A longer user agent is an attempt to fill the disk. */
const MAX_USER_AGENT = 1_024;

export function auditEvent(audited: Audited, facts: StageFacts): Readonly<Record<string, unknown>> {
  const { info, caller, user } = audited;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: audited.level,
    auditID: audited.auditId,
    stage: facts.stage,
    requestURI: audited.target,
    verb: info.verb,
    user: caller,
    ...(user === caller ? {} : { impersonatedUser: user }),
    sourceIPs: [audited.remoteAddress],
    userAgent: audited.userAgent.slice(0, MAX_USER_AGENT),
    ...(info.isResource ? { objectRef: objectRef(info, facts.object) } : {}),
    ...(facts.status === undefined ? {} : { responseStatus: responseStatus(info, facts.status) }),
    ...(facts.requestObject === undefined ? {} : { requestObject: facts.requestObject }),
    ...(facts.responseObject === undefined ? {} : { responseObject: facts.responseObject }),
    requestReceivedTimestamp: microTime(audited.receivedMs),
    stageTimestamp: microTime(facts.nowMs),
    ...(Object.keys(audited.annotations).length === 0 ? {} : { annotations: audited.annotations }),
  };
}

function objectRef(info: RequestInfo, object: KubeObject | undefined): Readonly<Record<string, string>> {
  const said = {
    resource: info.resource,
    namespace: info.namespace,
    name: info.name === "" ? (object?.metadata.name ?? "") : info.name,
    uid: object?.metadata.uid ?? "",
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: object?.metadata.resourceVersion ?? "",
    subresource: info.subresource,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ""));
}

function responseStatus(info: RequestInfo, { code, failure }: NonNullable<StageFacts["status"]>) {
  if (failure === undefined) return { metadata: {}, code };
  const { status, reason, message, details } = failure;
  const told = mayShowMessage(info) ? { message, details } : {};
  return { metadata: {}, status, ...(reason === undefined ? {} : { reason }), ...told, code };
}

/** The form of metav1.MicroTime. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
