// Rules about who asks, with what, and whether a policy or the node's identity lets it. Pure.

import { AUTHENTICATED_GROUP } from "../../../api/access/index.ts";
import { NODE_USER_PREFIX, NODES_GROUP } from "../../../api/certificates/index.ts";
import { judgeStanding, STANDING_REASONS, unprovenOf } from "../../../attestation/rules/index.ts";
import type { ApprovalFacts, Claim, MachinesOfProvider } from "../facts.ts";
import { bootstrapTokenId, credentialOf, isRenewal } from "../facts.ts";
import {
  notMine,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "./rule.ts";

// The first rule: a request for a signer that is not served here is not touched, not annotated, not even refused.
export const signerIsServed: Rule<ApprovalFacts> = {
  id: "signer-is-served",
  sentence: "the request is for a signer that this controller serves",
  reasons: ["SignerIsNotServed"],
  judge: ({ signerName, servedSigners }) =>
    servedSigners.includes(signerName)
      ? pass(signerName)
      : notMine("SignerIsNotServed", `signer ${signerName} is not served here`),
};

// A policy that cannot be read may be the one that would refuse: until it is corrected, nothing is approved. Falling
// back to the rules without a policy would turn a typing mistake into an open door.
export const policiesAreReadable: Rule<ApprovalFacts> = {
  id: "policies-are-readable",
  sentence: "every JoinPolicy that may cover the request can be read",
  reasons: ["PolicyIsUnreadable"],
  judge: ({ brokenPolicies, policy }) => {
    if (brokenPolicies.length > 0) return notYet("PolicyIsUnreadable", brokenPolicies.join("; "), RETRY_SLOWLY_MS);
    return policy === undefined ? pass("no policy covers it") : pass(`${policy.name}, ${policy.mode}`);
  },
};

// What was proven binds, under every signer and policy. Without this rule a bootstrap token alone would become a
// machine that an operator enrolled by its TPM, and a node would trade the certificate that it proved for by one that
// asks for no proof. No policy covers it and no flag switches it off; its refusal is written as a denial even where a
// policy only records.
export const identityPermitsIt: Rule<ApprovalFacts> = {
  id: "identity-permits-it",
  sentence: "the node's identity is not revoked, and asks for no proof that the request lacks",
  reasons: ["IdentityNotRead", ...STANDING_REASONS],
  isBinding: true,
  judge: ({ identity, requester, signerName }) => {
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (identity.kind === "Absent") return pass("the node has no identity");
    return judgeStanding(identity.value, unprovenOf(signerName, requester));
  },
};

// One requester's flood must not stand in the way of the others, nor stop everything: the oldest of its pending
// requests are judged, the rest wait their turn, and are told so.
// differs from upstream: machine-approver counts all requests of the cluster together and stops approving altogether.
export const requesterIsWithinItsLimit: Rule<ApprovalFacts> = {
  id: "requester-is-within-its-limit",
  sentence: "the requester has fewer older requests pending than its limit",
  reasons: ["PendingIsNotCounted", "TooManyPending"],
  judge: ({ standing, requester }) => {
    if (standing.kind === "NotRead") return notYet("PendingIsNotCounted", standing.why, RETRY_UNREAD_MS);
    if (standing.kind === "Absent") return pass();
    const { older, limit } = standing.value;
    // Without the number: it changes all the time, and with it everything that is written about the request would.
    if (older < limit) return pass();
    return notYet(
      "TooManyPending",
      `${requester.username} has ${older} older requests pending, which is its limit; only its own requests wait`,
      RETRY_SLOWLY_MS,
    );
  },
};

// Who may ask at all: the holder of a bootstrap token or a bootstrap user of the policy for a first certificate, the
// node itself for the next one. Username and groups are the API server's word, so they are trusted; the name in the
// subject is the requester's word. NodeRestriction holds a node to its own CN under the kubelet client signer only:
// under ours a node may send any CN.
export const requesterMayAsk: Rule<ApprovalFacts> = {
  id: "requester-may-ask",
  sentence:
    "the requester is a bootstrap token, a bootstrap user of the policy, or the very node whose name it asks for",
  reasons: [
    ...UNREADABLE_REASONS,
    "BootstrapTokensAreRefused",
    "RequesterIsNeitherTokenNorNode",
    "RequesterIsAnotherNode",
  ],
  judge: withRequest((request, { requester, policy }) => {
    const tokenId = bootstrapTokenId(requester);
    const isListed = policy?.client.requesters.includes(requester.username) === true;
    if (tokenId !== undefined) {
      return policy?.client.bootstrapTokens === "Refuse" && !isListed
        ? refuse("BootstrapTokensAreRefused", `policy ${policy.name} admits no holder of a bootstrap token`)
        : pass(`bootstrap token ${tokenId}`);
    }
    const isNode = requester.username.startsWith(NODE_USER_PREFIX) && requester.groups.includes(NODES_GROUP);
    if (!isNode) {
      if (isListed) return pass(`bootstrap user ${requester.username}`);
      return refuse(
        "RequesterIsNeitherTokenNorNode",
        `requester ${JSON.stringify(requester.username)} is neither a bootstrap token nor a node`,
      );
    }
    if (requester.username !== request.subject.commonName) {
      return refuse(
        "RequesterIsAnotherNode",
        `requester ${requester.username} asks for ${JSON.stringify(request.subject.commonName ?? "")}, not for itself`,
      );
    }
    return pass(`${requester.username} itself`);
  }),
};

// Kubernetes' own recognizers: the cluster's authorizer says whether this user may have a request approved by rule, by
// the virtual rights certificatesigningrequests/nodeclient (a first certificate) and /selfnodeclient (the node's own
// next one). As in kube-controller-manager, a missing right is no refusal: it may be granted later.
export const requesterHasAccess: Rule<ApprovalFacts> = {
  id: "requester-has-access",
  sentence: "the requester may create certificatesigningrequests/nodeclient, or /selfnodeclient for its own name",
  reasons: ["AccessIsNotRead", "AccessIsNotGranted"],
  judge: ({ access, requester }) => {
    if (access.kind === "NotRead") return notYet("AccessIsNotRead", access.why, RETRY_UNREAD_MS);
    if (access.kind === "Present" && access.value.isAllowed) return pass(access.value.right);
    const right = access.kind === "Present" ? access.value.right : "nodeclient";
    return notYet(
      "AccessIsNotGranted",
      `${requester.username} may not create certificatesigningrequests/${right}; grant it, or approve by hand`,
      RETRY_SLOWLY_MS,
    );
  },
};

// A serving certificate is asked for by the node that will serve with it, under its own name.
export const requesterIsTheNode: Rule<ApprovalFacts> = {
  id: "requester-is-the-node",
  sentence: "the requester is a node, in the groups of nodes, and the common name is its user name",
  reasons: [...UNREADABLE_REASONS, "RequesterIsNoNode", "RequesterIsAnotherNode"],
  judge: withRequest((request, { requester: { username, groups } }) => {
    const isNode = username.startsWith(NODE_USER_PREFIX) && username.length > NODE_USER_PREFIX.length;
    if (!isNode || !groups.includes(NODES_GROUP) || !groups.includes(AUTHENTICATED_GROUP)) {
      return refuse(
        "RequesterIsNoNode",
        `requester ${JSON.stringify(username)} is not a node in the group ${NODES_GROUP}`,
      );
    }
    if (username !== request.subject.commonName) {
      return refuse(
        "RequesterIsAnotherNode",
        `requester ${username} asks for ${JSON.stringify(request.subject.commonName ?? "")}, not for itself`,
      );
    }
    return pass(username);
  }),
};

// The machine proves what it is. The verifier of its provider says what became of that, in words of its own; a request
// without evidence is refused, because a requester without evidence shows no more than a stolen token does.
export const evidenceHolds: Rule<ApprovalFacts> = {
  id: "evidence-holds",
  sentence: "the request carries evidence of what the machine is, and the evidence holds",
  reasons: ["EvidenceIsNotRead", "EvidenceRequired"],
  judge: ({ evidence, signerName, policy }) => {
    if (evidence.kind === "NotRead") return notYet("EvidenceIsNotRead", evidence.why, RETRY_UNREAD_MS);
    if (evidence.kind === "Present") return evidence.value;
    const asks = policy === undefined ? `signer ${signerName}` : `policy ${policy.name}`;
    return refuse("EvidenceRequired", `the request carries no evidence, and ${asks} asks for it`);
  },
};

/**
 * A serving request needs evidence of its own only where the policy says so: the client certificate it came with was
 * attested.
 */
export const servingEvidenceHolds: Rule<ApprovalFacts> = {
  ...evidenceHolds,
  judge: (facts) => {
    // What is known of the client certificate it came with counts in any case.
    const isAsked = facts.policy?.serving.evidence === "Required" || facts.evidence.kind === "Present";
    return isAsked ? evidenceHolds.judge(facts) : pass("not asked for");
  },
};

// A certificate outlives the trust in its machine: an operator deletes the Node, another machine joins under the name,
// and the first one's certificate is still good. It must not buy the next one. The API server says with which
// certificate the requester came; the claims say which certificates hold the name. Where no claim is known any more
// (requests are cleaned away after an hour) the certificate itself is believed, as kube-controller-manager believes it.
//
// An approval whose certificate is not known is waited for, and not for ever. Both ways an attacker may gain by it:
// who may approve for the name, by mistake or not, would shut the honest node out until its certificate is over, if no
// end were;
//   a machine that lost its name to another could outwait that one's approval, if the end came before the signer did.
// So it is waited for as long as an issued request stays (an hour): a signer signs within seconds, a kubelet waits a
// quarter of an hour and asks anew. After that no holder of the name is known, as when the request was cleaned away;
// the node that has a living certificate of it goes on, and a node that gets one later holds the name beside it.
// Approvals for unknown signers are no claims before a certificate of the cluster's CA comes of them (claims.ts).
// differs from upstream: kube-controller-manager lets any living certificate of the name renew.
export const renewalIsByTheHolder: Rule<ApprovalFacts> = {
  id: "renewal-is-by-the-holder",
  sentence: "a node renews with a certificate that holds its name, or with the one that asked for it",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["ClaimsAreNotRead", "CredentialIsUnknown", "HolderIsNotKnownYet", "RequesterIsNotTheHolder"],
  ],
  isStricter: true,
  judge: withRequest((request, facts) => {
    if (!isRenewal(request, facts.requester)) return pass("a first certificate");
    if (facts.claims.kind === "NotRead") return notYet("ClaimsAreNotRead", facts.claims.why, RETRY_UNREAD_MS);
    const claims = facts.claims.kind === "Present" ? facts.claims.value.filter(isStanding(facts)) : [];
    const [first] = claims;
    if (first === undefined) return pass("no other claim on the name is known");
    const own = credentialOf(facts.requester.extra);
    if (own === undefined) {
      return refuse("CredentialIsUnknown", "the API server does not say with which certificate the requester came");
    }
    if (claims.some(({ credential, requesterCredential }) => credential === own || requesterCredential === own)) {
      return pass("the holder of the name");
    }
    const unissued = claims.find(({ credential }) => credential === undefined);
    if (unissued !== undefined) {
      const text = `${unissued.csrName} was approved for the name, and its certificate is not known yet`;
      return notYet("HolderIsNotKnownYet", text, RETRY_UNREAD_MS);
    }
    return refuse(
      "RequesterIsNotTheHolder",
      `the name is held by another certificate, issued for ${first.csrName}; delete that request to give the name free`,
    );
  }),
};

/** How long after its approval the certificate of a request is waited for. */
const UNISSUED_MS = 3_600_000;

/** Of another request, approved, and not over. */
function isStanding({ csrUid, nowMs }: ApprovalFacts): (claim: Claim) => boolean {
  return (claim) => claim.csrUid !== csrUid && claim.standing === "Approved" && !isOver(claim, nowMs);
}

/**
 * A certificate that is there and cannot be read has no known end, and none that can be waited for: its approval ends
 * it.
 */
function isOver({ notAfterMs, approvedMs = Number.POSITIVE_INFINITY }: Claim, nowMs: number): boolean {
  return notAfterMs === undefined ? nowMs - approvedMs > UNISSUED_MS : notAfterMs <= nowMs;
}

// A node that is in gets its next certificate by its name; what it writes as provider ID is its own word. It must be
// the word of its Node, and of no other: a certificate that names another Machine's instance would be believed where it
// is read. Where that Machine does not state it, it also binds no Machine (gather/machine.ts). A Machine that is
// another node counts before the Node, which registered itself with the ID. Where the Machines are not read, the Node's
// word is enough for the ID that it carries, and for no other: a node that is in has that ID in its certificate
// already, a management cluster that is away must not end every node's certificate, and the next renewal is held to the
// Machines again.
// differs from upstream: kube-controller-manager does not read the extension.
const NONE: MachinesOfProvider = { taken: [], waiting: [] };

export const providerIdIsItsOwn: Rule<ApprovalFacts> = {
  id: "provider-id-is-its-own",
  sentence: "a node that renews says no provider ID, or that of its Node, and none that another Node or Machine has",
  reasons: ["ProviderIdIsNotRead", "ProviderIdIsNotItsOwn"],
  isStricter: true,
  judge: ({ providerId }) => {
    if (providerId.kind === "NotRead") return notYet("ProviderIdIsNotRead", providerId.why, RETRY_UNREAD_MS);
    if (providerId.kind === "Absent") return pass();
    const { asked, ofNode, nodes, machines } = providerId.value;
    const { taken, waiting } = machines.kind === "Present" ? machines.value : NONE;
    const said = `the request says provider ID ${JSON.stringify(asked)}`;
    const [holder] = taken;
    if (holder !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, which is that of ${holder}`);
    if (ofNode === asked) return pass("the Node's own");
    if (ofNode !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, and its Node ${JSON.stringify(ofNode)}`);
    const [other] = [...nodes, ...waiting];
    if (other !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, which is that of ${other}`);
    return machines.kind === "NotRead"
      ? notYet("ProviderIdIsNotRead", machines.why, RETRY_UNREAD_MS)
      : pass("nobody else's");
  },
};
