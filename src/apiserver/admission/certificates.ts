// CertificateApproval, CertificateSigning, CertificateSubjectRestriction: the right to decide about a signer's requests
// is granted per signer, beside the right to write the subresource.

import type { UserInfo } from "../../api/access/index.ts";
import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../api/pem/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { type Deny, isFault } from "../../kernel/outcome/index.ts";
import { type CertificateRequest, parseCertificateRequest } from "../../kernel/x509/index.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

type Csr = CertificateSigningRequest;

/** Undefined when the request does not parse; validation refuses it with its own message. */
export function parseRequestOf(csr: Csr): CertificateRequest | undefined {
  try {
    const [block] = parsePemField(csr.spec.request).blocks;
    return block?.label === REQUEST_LABEL ? parseCertificateRequest(block.bytes) : undefined;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function isUpdateOf(attempt: Attempt, subresource: string): boolean {
  return attempt.resource === CSRS && attempt.operation === "UPDATE" && attempt.subresource === subresource;
}

/** For the signer by name, or for all signers of its domain: `example.com/*`. */
function mayUseSigner(verb: string, user: UserInfo, signer: string, questions: Questions): boolean {
  const [domain = ""] = signer.split("/");
  return [signer, `${domain}/*`].some((name) => {
    const decision = questions.authorize({
      user,
      verb,
      isResource: true,
      path: "",
      group: CSRS.group,
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
      fieldRequirements: [],
    });
    return decision.kind === "Allow";
  });
}

function judgeSigner(verb: string, plugin: string, attempt: Attempt, questions: Questions): Deny | undefined {
  const signer = (attempt.current as Csr).spec.signerName;
  if (mayUseSigner(verb, attempt.user, signer, questions)) return undefined;
  const text = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  return refuse(plugin, "SignerNotPermitted", text);
}

export const certificateApproval: Plugin = {
  name: "CertificateApproval",
  phase: "after",
  judge: (attempt, questions) =>
    isUpdateOf(attempt, "approval") ? judgeSigner("approve", "CertificateApproval", attempt, questions) : undefined,
};

export const certificateSigning: Plugin = {
  name: "CertificateSigning",
  phase: "after",
  judge: (attempt, questions) => {
    if (!isUpdateOf(attempt, "status")) return undefined;
    const [next, current] = [(attempt.object as Csr).status ?? {}, (attempt.current as Csr).status ?? {}];
    const isUnchanged =
      (next.certificate ?? "") === (current.certificate ?? "") &&
      isSameJson(next.conditions ?? [], current.conditions ?? []);
    return isUnchanged ? undefined : judgeSigner("sign", "CertificateSigning", attempt, questions);
  },
};

const MASTERS_TEXT = "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed";

/** A certificate for group system:masters could not be restricted by any authorization: no request may ask for one. */
export const certificateSubjectRestriction: Plugin = {
  name: "CertificateSubjectRestriction",
  phase: "after",
  judge: ({ resource, operation, object }) => {
    if (resource !== CSRS || operation !== "CREATE") return undefined;
    const csr = object as Csr;
    if (csr.spec.signerName !== "kubernetes.io/kube-apiserver-client") return undefined;
    const isMaster = parseRequestOf(csr)?.subject.organizations.includes("system:masters") === true;
    return isMaster ? refuse("CertificateSubjectRestriction", "SubjectIsPrivileged", MASTERS_TEXT) : undefined;
  },
};
