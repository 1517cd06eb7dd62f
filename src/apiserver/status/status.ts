// Status bodies: how this server refuses. Message forms of k8s.io/apimachinery/pkg/api/errors. A refusal travels as a
// Fault whose cause is the finished Status, so that a stage deep inside can refuse and reply need not guess.

import {
  qualifiedName,
  type Resource,
  type Status,
  type StatusCause,
  type StatusDetails,
} from "../../api/meta/index.ts";
import { Fault, type FaultCode } from "../../kernel/outcome/index.ts";
import { CAUSE_REASONS, describeError, type FieldError } from "../resources/field-error.ts";

interface StatusInput {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
}

export function failure(input: StatusInput): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: input.message,
    ...(input.reason === "" ? {} : { reason: input.reason }),
    ...(input.details === undefined ? {} : { details: input.details }),
    code: input.code,
  };
}

function refusal(code: FaultCode, status: Status): Fault {
  return new Fault(code, status.message ?? "", { cause: status });
}

/** The name part is left out of the details when there is none, as in an error about a list. */
function detailsOf(resource: Resource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
  };
}

export function notFound(resource: Resource, name: string): Fault {
  const message = `${qualifiedName(resource)} ${JSON.stringify(name)} not found`;
  return refusal("not-found", failure({ code: 404, reason: "NotFound", message, details: detailsOf(resource, name) }));
}

export function alreadyExists(resource: Resource, name: string, options: { deleting?: boolean } = {}): Fault {
  const prefix = options.deleting === true ? "object is being deleted: " : "";
  const message = `${prefix}${qualifiedName(resource)} ${JSON.stringify(name)} already exists`;
  const details = detailsOf(resource, name);
  return refusal("already-exists", failure({ code: 409, reason: "AlreadyExists", message, details }));
}

/** Every suffix that was tried for a generateName was taken. */
export function noUniqueName(resource: Resource, name: string): Fault {
  const taken = `${qualifiedName(resource)} ${JSON.stringify(name)} already exists`;
  const message = `${taken}, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(resource, name), retryAfterSeconds: 1 };
  return refusal("already-exists", failure({ code: 409, reason: "AlreadyExists", message, details }));
}

const STALE = "the object has been modified; please apply your changes to the latest version and try again";

export function conflict(resource: Resource, name: string, why: string = STALE): Fault {
  const message = `Operation cannot be fulfilled on ${qualifiedName(resource)} ${JSON.stringify(name)}: ${why}`;
  const details = detailsOf(resource, name);
  return refusal("conflict", failure({ code: 409, reason: "Conflict", message, details }));
}

export function forbidden(resource: Resource, name: string, why: string, causes?: readonly StatusCause[]): Fault {
  const subject = name === "" ? qualifiedName(resource) : `${qualifiedName(resource)} ${JSON.stringify(name)}`;
  const message = `${subject} is forbidden: ${why}`;
  const details = { ...detailsOf(resource, name), ...(causes === undefined ? {} : { causes }) };
  return refusal("forbidden", failure({ code: 403, reason: "Forbidden", message, details }));
}

export function forbiddenPath(why: string): Fault {
  return refusal("forbidden", failure({ code: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: {} }));
}

/**
 * A body of 3 MiB can hold hundreds of thousands of mistakes, and a refusal that lists all of them is an amplifier.
 * differs from upstream: all are listed there.
 */
const MAX_SHOWN_ERRORS = 64;

export function invalidObject(resource: Resource, name: string, errors: readonly FieldError[]): Fault {
  const kind = resource.group === "" ? resource.kind : `${resource.kind}.${resource.group}`;
  const shown = errors.slice(0, MAX_SHOWN_ERRORS);
  const texts = shown.map((error) => `${error.field}: ${describeError(error)}`);
  if (errors.length > shown.length) texts.push(`and ${errors.length - shown.length} more`);
  const list = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
  const message = `${kind} ${JSON.stringify(name)} is invalid: ${list}`;
  const causes = shown.map((error) => ({
    reason: error.reason ?? CAUSE_REASONS[error.type],
    message: describeError(error),
    field: error.field,
  }));
  const group = resource.group === "" ? {} : { group: resource.group };
  const details = { ...(name === "" ? {} : { name }), ...group, kind: resource.kind, causes };
  return refusal("invalid", failure({ code: 422, reason: "Invalid", message, details }));
}

export function badRequest(message: string): Fault {
  return refusal("malformed", failure({ code: 400, reason: "BadRequest", message }));
}

export function methodNotAllowed(): Fault {
  const message = "the server does not allow this method on the requested resource";
  return refusal("unsupported", failure({ code: 405, reason: "MethodNotAllowed", message, details: {} }));
}

/** The group and version are served, the resource is not. */
export function unknownResource(): Fault {
  const message = "the server could not find the requested resource";
  return refusal("not-found", failure({ code: 404, reason: "NotFound", message, details: {} }));
}

/** A client asked for a revision that does not exist yet. */
export function tooLargeResourceVersion(wanted: number, current: number): Fault {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
  const details = { causes: [cause], retryAfterSeconds: 1 };
  return refusal("timeout", failure({ code: 504, reason: "Timeout", message, details }));
}

/** With a continue token the client may go on with what is stored now. */
export function expiredVersion(message: string, continueToken?: string): Fault {
  const status = failure({ code: 410, reason: "Expired", message });
  return refusal(
    "expired",
    continueToken === undefined ? status : { ...status, metadata: { continue: continueToken } },
  );
}

/** The request took too long. Whether it was carried out is not known. */
export function requestTimeout(): Fault {
  const message = "Timeout: request did not complete within the allotted timeout";
  return refusal("timeout", failure({ code: 504, reason: "Timeout", message, details: {} }));
}

/** Too many other requests are running. */
export function tooManyRequests(
  retryAfterSeconds: number,
  message = "Too many requests, please try again later.",
): Fault {
  const details = { retryAfterSeconds };
  return refusal("too-many-requests", failure({ code: 429, reason: "TooManyRequests", message, details }));
}

/** Other managers own what an apply would change. The message names them; it is about no single object. */
export function applyConflict(message: string, causes: readonly StatusCause[]): Fault {
  return refusal("conflict", failure({ code: 409, reason: "Conflict", message, details: { causes } }));
}
