// Follows one request from its user to its answer and writes what the policy wants of it.

import { isStatus, type KubeObject, type Status } from "../../api/meta/index.ts";
import { parseJson } from "../../kernel/json/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { headerValue } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import { parseProtobuf } from "../encoding/index.ts";
import { mediaTypeOf, PROTOBUF_TYPE, YAML_TYPE } from "../entry/body.ts";
import { parseYaml } from "../entry/yaml.ts";
import { statusOfError } from "../status/fault-status.ts";
import { type Audited, auditEvent, type StageFacts } from "./event.ts";
import { type AuditPolicy, type Decided, decide, type Level } from "./policy.ts";
import { mayShowBodies, redactBody } from "./redact.ts";

interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly clock: Clock;
  /** One line, with its newline. */
  readonly write: (line: string) => void;
}

/** Records requests and how they ended. */
export interface Audit {
  /** Undefined when the policy wants no record of this call. */
  begin(call: Call): Recording | undefined;
  /** A request whose credential was refused: it has no user. */
  refused(call: Call, error: unknown): void;
}

interface Recording {
  answered(answer: Answer): void;
  failed(error: unknown): void;
}

export const NO_AUDIT: Audit = { begin: () => undefined, refused: () => undefined };

export function createAudit(options: AuditOptions): Audit {
  return {
    begin: (call) => {
      const decided = decide(options.policy, call.caller, call.info);
      if (decided.level === "None") return undefined;
      const say = speaker(call, decided, options);
      say({ stage: "RequestReceived" });
      return recordingOf(call, decided, say);
    },
    refused: (call, error) => {
      const decided = decide(options.policy, call.caller, call.info);
      if (decided.level === "None") return;
      const failure = statusOfError(error);
      speaker(call, decided, options)({ stage: "ResponseComplete", status: { code: failure.code ?? 401, failure } });
    },
  };
}

type Say = (facts: Omit<StageFacts, "nowMs">) => void;

function speaker(call: Call, decided: Decided, { write, clock }: AuditOptions): Say {
  return (facts) => {
    if (decided.omitStages.includes(facts.stage)) return;
    const event = auditEvent(auditedOf(call, decided.level), { ...facts, nowMs: clock.now() });
    write(`${JSON.stringify(event)}\n`);
  };
}

/** Read again at each stage: the impersonated user and the annotations come later than the request. */
function auditedOf(call: Call, level: Level): Audited {
  const { request, auditId, receivedMs, info, caller, user, annotations } = call;
  return {
    auditId,
    level: mayShowBodies(info) || level === "None" ? level : "Metadata",
    target: request.target,
    remoteAddress: request.remoteAddress,
    userAgent: headerValue(request.headers, "user-agent") ?? "",
    receivedMs,
    info,
    caller,
    user,
    annotations,
  };
}

function recordingOf(call: Call, decided: Decided, say: Say): Recording {
  const bodies = bodiesOf(call, decided);
  return {
    answered: (answer) => {
      if (answer.kind === "events") return follow(call, say);
      const object = answer.kind === "object" ? answer.content.object : undefined;
      say({ stage: "ResponseComplete", status: { code: codeOf(answer) }, object, ...bodies(() => contentOf(answer)) });
    },
    failed: (error) => {
      const failure: Status = statusOfError(error);
      say({ stage: "ResponseComplete", status: { code: failure.code ?? 500, failure }, ...bodies(() => failure) });
    },
  };
}

/** A watch is answered at once and ends much later: when its reader leaves or its time has run out. */
function follow({ request }: Call, say: Say): void {
  const status = { code: 200 };
  say({ stage: "ResponseStarted", status });
  request.signal.addEventListener("abort", () => say({ stage: "ResponseComplete", status }), { once: true });
}

type Bodies = Pick<StageFacts, "requestObject" | "responseObject">;

function bodiesOf(call: Call, { level, omitManagedFields }: Decided): (response: () => unknown) => Bodies {
  const { info } = call;
  if (level === "Metadata" || !mayShowBodies(info)) return () => ({});
  const shown = (body: unknown) => {
    const redacted = redactBody(info, body);
    return omitManagedFields ? withoutManagedFields(redacted) : redacted;
  };
  return (answered) => {
    const response = level === "RequestResponse" ? answered() : undefined;
    return {
      requestObject: shown(sentObject(call)),
      ...(response === undefined ? {} : { responseObject: shown(response) }),
    };
  };
}

/** What the client sent, in any of the forms of a body: JSON, a patch in JSON, YAML or protobuf. */
function sentObject(call: Call): unknown {
  const bytes = call.sentBody();
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    switch (mediaTypeOf(call.request)) {
      case PROTOBUF_TYPE:
        return parseProtobuf(bytes, { apiVersion: "", kind: "" });
      case YAML_TYPE:
      case "application/apply-patch+yaml":
        return parseYaml(bytes);
      default:
        return parseJson(bytes);
    }
  } catch (error) {
    // A body that was refused as malformed is not recorded.
    if (isFault(error)) return undefined;
    throw error;
  }
}

function withoutManagedFields(body: unknown): unknown {
  const metadata = (body as Partial<KubeObject> | undefined)?.metadata;
  if (metadata?.managedFields === undefined) return body;
  const { managedFields: _fields, ...kept } = metadata;
  return { ...(body as KubeObject), metadata: kept };
}

function codeOf(answer: Answer): number {
  switch (answer.kind) {
    case "list":
    case "events":
      return 200;
    case "sent":
      return answer.http.status;
    default:
      return answer.status;
  }
}

function contentOf(answer: Answer): unknown {
  if (answer.kind === "object") return answer.content.object;
  if (answer.kind === "list") return { metadata: answer.meta, items: answer.items.map(({ object }) => object) };
  return answer.kind === "document" && isStatus(answer.body) ? answer.body : undefined;
}
