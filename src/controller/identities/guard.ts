// Whether the platform's annotation on a request can be believed (Pins). The creator of a request may write annotations
// too, so the one with the endorsement key counts only where the shipped admission guard (deploy/guard.yaml) keeps
// creators from it: in place, unchanged, and older than the request.

import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import { GUARD_RULES } from "../../api/countersign/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { EK_ANNOTATED_BY, type EndorsementSource } from "../../attestation/tpm/verifier.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { EventRecorder, KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { ReadRequest } from "../judging/reading.ts";

const { right, reserved, reservedPrefix } = GUARD_RULES;

function admission(plural: string, kind: string): Resource {
  return { group: "admissionregistration.k8s.io", version: "v1", plural, kind, namespaced: false };
}

export const GUARD_POLICIES = admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy");
export const GUARD_BINDINGS = admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding");

/** A guard that is removed is missed within this time. */
const LOOK_AGAIN_MS = 30_000;

export interface Guard {
  /** What the platform says about the request's machine; empty where it says nothing, or cannot be believed. */
  annotationOf(request: Pick<ReadRequest, "csr" | "object">): Promise<readonly EndorsementSource[]>;
}

interface GuardOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: Pick<EventRecorder, "record">;
  /** The API server has the guard built in. */
  readonly isBuiltIn?: boolean | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const { clock, log } = options;
  let known: { readonly sinceMs: number; readonly atMs: number } | undefined;

  /** Since when it stands; Infinity: it does not. */
  async function standsSince(): Promise<number> {
    if (options.isBuiltIn === true) return 0;
    if (known === undefined || clock.now() - known.atMs > LOOK_AGAIN_MS)
      known = { sinceMs: await findGuard(options.client), atMs: clock.now() };
    return known.sinceMs;
  }

  return {
    annotationOf: async ({ object, csr }) => {
      const said = reserved.map((name) => object.annotations[name]).find((text) => text !== undefined);
      if (said === undefined || object.annotations[EK_ANNOTATED_BY] !== undefined) return [];
      // Whole seconds: a guard of the same second may have come after.
      if (!((await standsSince()) < object.createdMs)) {
        log.debug("an endorsement key on a request is ignored", { csr: object.name });
        options.events.record(csr, { type: "Warning", reason: "GuardMissing", message: IGNORED });
        return [];
      }
      const hash = readKeyHash(said);
      const statement = hash === undefined ? UNREADABLE : ({ kind: "Present", value: hash } as const);
      return [{ name: "annotation", statement }];
    },
  };
}

const IGNORED =
  "the endorsement key on the request is ignored: the admission guard is not in place, was changed, or is younger than the request";
const UNREADABLE = { kind: "NotRead", why: "the annotation with the endorsement key cannot be read" } as const;

/** PEM `PUBLIC KEY` or `CERTIFICATE`, or `sha256:<hex>`. */
export function readKeyHash(text: string): string | undefined {
  const digest = /^sha256:([0-9a-f]{64})$/.exec(text)?.[1];
  if (digest !== undefined) return digest;
  try {
    const [block] = parsePem(text);
    if (block?.label === "PUBLIC KEY") return encodeHex(sha256(block.bytes));
    if (block?.label === "CERTIFICATE") return encodeHex(sha256(parseCertificate(block.bytes).publicKey.spki));
    return undefined;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

async function findGuard(client: KubeClient): Promise<number> {
  const [policy, binding] = await Promise.all([
    find(client, GUARD_POLICIES, GUARD_POLICY_SPEC),
    find(client, GUARD_BINDINGS, GUARD_BINDING_SPEC),
  ]);
  return Math.max(policy, binding);
}

/** A spec that was ever changed has another generation: then it may have let a request through. */
async function find(client: KubeClient, resource: Resource, spec: unknown): Promise<number> {
  try {
    const object = await client.get<KubeObject & { readonly spec?: unknown }>(resource, { name: GUARD_NAME });
    const isOurs = canonical(object.spec) === canonical(spec) && (object.metadata.generation ?? 1) === 1;
    return isOurs ? Date.parse(object.metadata.creationTimestamp ?? "") : Number.POSITIVE_INFINITY;
  } catch (error) {
    if (isFault(error, "not-found") || isFault(error, "forbidden")) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** JSON with sorted keys and without empty objects, which the API server adds where nothing was said. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).filter(([, one]) => !isEmptyObject(one));
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

// The admission guard as it must be to be believed: deploy/guard.yaml in code. A test holds the two together.
const GUARD_NAME = "countersign-guard";

const MAY_SET = "variables.maySet";

export const GUARD_POLICY_SPEC = {
  failurePolicy: "Fail",
  matchConstraints: {
    matchPolicy: "Equivalent",
    resourceRules: [
      {
        apiGroups: ["certificates.k8s.io"],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["certificatesigningrequests"],
        scope: "*",
      },
    ],
  },
  variables: [
    {
      name: "maySet",
      expression: `authorizer.group('${right.group}').resource('${right.resource}').check('${right.verb}').allowed()`,
    },
    {
      name: "isAttested",
      expression: `object.spec.signerName.startsWith('${ATTESTED_CLIENT_SIGNER_PREFIX}') || object.spec.signerName.startsWith('${ATTESTED_SERVING_SIGNER_PREFIX}')`,
    },
  ],
  validations: [
    {
      expression: `${MAY_SET} || !has(object.metadata.annotations) || object.metadata.annotations.all(key, !key.startsWith('${reservedPrefix}') && key != '${reserved[0]}' && key != '${reserved[1]}')`,
      message: GUARD_RULES.annotations,
      reason: "Forbidden",
    },
    {
      expression: `${MAY_SET} || !has(object.metadata.finalizers) || size(object.metadata.finalizers) == 0`,
      message: GUARD_RULES.finalizers,
      reason: "Forbidden",
    },
    {
      expression: `${MAY_SET} || !has(object.metadata.ownerReferences) || size(object.metadata.ownerReferences) == 0`,
      message: GUARD_RULES.ownerReferences,
      reason: "Forbidden",
    },
    {
      expression: `!variables.isAttested || size(object.spec.request) <= ${GUARD_RULES.maxRequestCharacters}`,
      message: GUARD_RULES.tooLarge,
      reason: "RequestEntityTooLarge",
    },
  ],
} as const;

export const GUARD_BINDING_SPEC = { policyName: GUARD_NAME, validationActions: ["Deny"] } as const;
