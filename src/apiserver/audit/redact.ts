// What is never written to the audit log, whatever the policy says: the content of Secrets and ConfigMaps, tokens, and
// what a certificate request carries beside the request itself. differs from upstream: there the policy alone decides,
// and one wrong rule writes every Secret of the cluster into a file. Pure.

import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import type { RequestInfo } from "../entry/request-info.ts";

type About = Pick<RequestInfo, "group" | "resource" | "subresource">;

/** `<group>/<resource>[/<subresource>]` whose bodies are secrets as a whole. */
const SECRET_BODIES: ReadonlySet<string> = new Set([
  "/secrets",
  "/configmaps",
  "/serviceaccounts/token",
  "authentication.k8s.io/tokenreviews",
]);
const CSRS = "certificates.k8s.io/certificatesigningrequests";

/** False: neither body is written, and of a refusal only its code and reason. */
export function mayShowBodies(info: About): boolean {
  return !SECRET_BODIES.has(keyOf(info)) && !SECRET_BODIES.has(`${info.group}/${info.resource}`);
}

/** A refusal repeats what was wrong, which in a certificate request may be its evidence. */
export function mayShowMessage(info: About): boolean {
  return mayShowBodies(info) && `${info.group}/${info.resource}` !== CSRS;
}

function keyOf({ group, resource, subresource }: About): string {
  return subresource === "" ? `${group}/${resource}` : `${group}/${resource}/${subresource}`;
}

/** A body as it may be recorded. */
export function redactBody(info: About, body: unknown): unknown {
  return `${info.group}/${info.resource}` === CSRS ? redactRequests(body) : body;
}

/** Wherever `spec.request` is: in an object, in the items of a list, in a merge patch, in the steps of a JSON patch. */
function redactRequests(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactStep);
  if (!isRecord(value)) return value;
  const { items, spec } = value;
  return {
    ...value,
    ...(Array.isArray(items) ? { items: items.map(redactRequests) } : {}),
    ...(isRecord(spec) && spec["request"] !== undefined
      ? { spec: { ...spec, request: publicPart(spec["request"]) } }
      : {}),
  };
}

/**
 * A step of a JSON patch may write `spec.request` in many ways; its value is left out when it writes below spec or at
 * the root.
 */
function redactStep(step: unknown): unknown {
  if (!isRecord(step)) return step;
  const path = String(step["path"] ?? "");
  const { value: _value, ...rest } = step;
  return path === "" || path === "/spec" || path.startsWith("/spec/") ? rest : step;
}

/** The PKCS#10 request alone, which is public. The blocks after it are evidence, or a key that was sent by mistake. */
function publicPart(request: unknown): string {
  try {
    const [block] = parsePem(parseUtf8(parseBase64(String(request))));
    if (block?.label !== "CERTIFICATE REQUEST") return "";
    return encodeBase64(encodeUtf8(encodePem(block.label, block.bytes)));
  } catch (error) {
    if (isFault(error)) return "";
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
