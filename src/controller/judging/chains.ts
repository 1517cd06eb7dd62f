// Which rules, in which order: chosen by what the signer's certificates are for, and by the policy that covers the
// request. The rules about the request alone come first, because they cost nothing and hold for the signer too.
//
// node client no policy, Kubernetes' signer the request · access · registered · holder (as kube-controller-manager)
//                 no policy, the insecure signer  the request · requester · registered · holder
//                 no policy, our other signers    the request · requester · evidence · registered · holder
// a policy, by `client.admit` the request · lifetime · limit · requester or access · evidence or Machine · …
//   node serving  with or without a policy        the request · the node itself · the policy · the names
//   API client    never approved by rule
//
// Between the request and everything else stands what the node's identity says, in every chain of a node.
//
// Pure.

import { INSECURE_CLIENT_SIGNER, purposeOf, type SignerPurpose } from "../../api/certificates/index.ts";
import type { Admission, Policy } from "../../api/countersign/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import type { ApprovalFacts, RequestFacts } from "./facts.ts";
import {
  machineExists,
  machineHasNoOtherNode,
  machineIsReady,
  nodeIsNotRegisteredYet,
  requestIsInTheJoiningWindow,
} from "./rules/machine.ts";
import {
  keyIsStrongEnough,
  lifetimeIsAllowed,
  namesAreDnsOrIp,
  nodeNameIsValid,
  noForeignExtensions,
  noNamesBesideTheSubject,
  requestParsesAndIsSigned,
  requestStandsAlone,
  subjectHasNothingElse,
  subjectIsANode,
  usagesAreClientOnly,
  usagesAreServingOnly,
  usagesFitAClient,
} from "./rules/request.ts";
import {
  evidenceHolds,
  identityPermitsIt,
  policiesAreReadable,
  providerIdIsItsOwn,
  renewalIsByTheHolder,
  requesterHasAccess,
  requesterIsTheNode,
  requesterIsWithinItsLimit,
  requesterMayAsk,
  servingEvidenceHolds,
  signerIsServed,
} from "./rules/requester.ts";
import type { Rule } from "./rules/rule.ts";
import {
  namesAreNotTheApiServers,
  namesAreOfNoOtherNode,
  namesArePlain,
  namesBelongToTheNode,
  servingIsCovered,
} from "./rules/serving.ts";

type Chain = readonly Rule<ApprovalFacts>[];

/**
 * What a signer promises of every certificate, by whichever way the request was approved: the rules about the request
 * alone.
 */
const SIGNER_RULES: Readonly<Record<SignerPurpose, readonly Rule<RequestFacts>[]>> = {
  NodeClient: [
    requestParsesAndIsSigned,
    requestStandsAlone,
    subjectIsANode,
    nodeNameIsValid,
    subjectHasNothingElse,
    usagesAreClientOnly,
    noNamesBesideTheSubject,
    noForeignExtensions,
    keyIsStrongEnough,
  ],
  NodeServing: [
    requestParsesAndIsSigned,
    requestStandsAlone,
    subjectIsANode,
    nodeNameIsValid,
    subjectHasNothingElse,
    usagesAreServingOnly,
    namesAreDnsOrIp,
    noForeignExtensions,
    keyIsStrongEnough,
  ],
  ApiClient: [requestParsesAndIsSigned, requestStandsAlone, usagesFitAClient, noForeignExtensions, keyIsStrongEnough],
};

/** A signer of unknown purpose gets the strictest rules. */
export function signerRulesOf(signerName: string): readonly Rule<RequestFacts>[] {
  return SIGNER_RULES[purposeOf(signerName) ?? "NodeClient"];
}

const FIRST: Chain = [signerIsServed, policiesAreReadable];
const NAME_IS_FREE: Chain = [nodeIsNotRegisteredYet, renewalIsByTheHolder, providerIdIsItsOwn];

const ADMITTED_BY: Readonly<Record<Admission, Chain>> = {
  Evidence: [requesterMayAsk, evidenceHolds, ...NAME_IS_FREE],
  Machine: [
    requesterMayAsk,
    ...NAME_IS_FREE,
    machineExists,
    machineIsReady,
    machineHasNoOtherNode,
    requestIsInTheJoiningWindow,
  ],
  Access: [requesterHasAccess, ...NAME_IS_FREE],
};

/** What no node has, by whatever it is known. */
export const NAME_RULES: Chain = [namesArePlain, namesAreNotTheApiServers];

const SERVING: Chain = [
  requesterIsTheNode,
  servingIsCovered,
  lifetimeIsAllowed,
  servingEvidenceHolds,
  ...NAME_RULES,
  namesAreOfNoOtherNode,
  namesBelongToTheNode,
];

/** Undefined: requests of this signer are approved by people only. */
export function chainOf(signerName: string, policy: Policy | undefined): Chain | undefined {
  const shape: Chain = signerRulesOf(signerName);
  switch (purposeOf(signerName)) {
    case "NodeServing":
      return [
        ...FIRST,
        ...shape,
        identityPermitsIt,
        ...SERVING,
        ...(policy === undefined ? [] : [requesterIsWithinItsLimit]),
      ];
    case "ApiClient":
      return undefined;
    default:
      return policy === undefined
        ? [...FIRST, ...shape, identityPermitsIt, ...withoutPolicy(signerName)]
        : [
            ...[...FIRST, ...shape, identityPermitsIt, lifetimeIsAllowed, requesterIsWithinItsLimit],
            ...ADMITTED_BY[policy.client.admit],
          ];
  }
}

function withoutPolicy(signerName: string): Chain {
  if (isBuiltInSigner(signerName)) return ADMITTED_BY.Access;
  return signerName === INSECURE_CLIENT_SIGNER ? [requesterMayAsk, ...NAME_IS_FREE] : ADMITTED_BY.Evidence;
}

/** Each once, in the order in which requests meet them. */
export const ALL_RULES: readonly Rule<ApprovalFacts>[] = [
  ...new Map(
    [
      ...FIRST,
      ...SIGNER_RULES.NodeClient,
      ...SIGNER_RULES.NodeServing,
      ...SIGNER_RULES.ApiClient,
      identityPermitsIt,
      lifetimeIsAllowed,
      requesterIsWithinItsLimit,
      requesterHasAccess,
      ...ADMITTED_BY.Evidence,
      ...ADMITTED_BY.Machine,
      ...SERVING,
    ].map((rule: Rule<ApprovalFacts>) => [rule.id, rule] as const),
  ).values(),
];

/** The rules that an operator may switch off: where kube-controller-manager is more lenient. */
export const STRICTER_RULES: readonly string[] = ALL_RULES.flatMap(({ id, isStricter }) => (isStricter ? [id] : []));

/** The rules whose refusal is a denial under every signer and policy. */
export const BINDING_RULES: readonly string[] = ALL_RULES.flatMap(({ id, isBinding }) => (isBinding ? [id] : []));

/** Fault `bad-config` for a rule that cannot be switched off, or that there is not. */
export function requireStricter(ids: readonly string[]): readonly string[] {
  const unknown = ids.find((id) => !STRICTER_RULES.includes(id));
  if (unknown === undefined) return ids;
  throw new Fault(
    "bad-config",
    `rule ${JSON.stringify(unknown)} cannot be switched off; ${STRICTER_RULES.join(", ")} can`,
  );
}
