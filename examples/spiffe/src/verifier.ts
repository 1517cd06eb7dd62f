// The controller's end: an SVID of our trust domain, with exactly the path of this node, whose key signed this
// exchange. A workload's SVID of the same trust domain is refused.
//
// Settings: `trustDomain`; `bundleFile`, the trust domain's authorities as PEM, read for every question because they
// rotate; `path`, the path of a node's SPIFFE ID, where {node} stands for its name (default: /node/{node}).
import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type Answer,
  bytesOf,
  exactly,
  type JsonObject,
  optionalText,
  type Question,
  textSetting,
  type Verifier,
} from "@countersign/sdk";
import { statementOf, verifyStatement } from "./signature.ts";
import { chainProblem, parseChain, parsePemCertificates, spiffeIdOf } from "./svid.ts";

type Bundle = readonly X509Certificate[];

const GATHER_LIMIT_MS = 2_000;

export function createVerifier(settings: JsonObject): Verifier<Bundle> {
  const trustDomain = textSetting(settings, "trustDomain");
  const bundleFile = textSetting(settings, "bundleFile");
  const path = optionalText(settings, "path", "/node/{node}");
  const idFor = ({ request }: Question) => `spiffe://${trustDomain}${path.replaceAll("{node}", request.nodeName)}`;
  const judge = (question: Question, bundle: Bundle) => judgeSvid(question, bundle, idFor(question));
  return {
    name: "spiffe",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: GATHER_LIMIT_MS,
    gather: async (_, { signal }) => parsePemCertificates(await readFile(bundleFile, { encoding: "utf8", signal })),
    verifyClient: judge,
    verifyServing: (question, bundle) => judgeNames(question) ?? judge(question, bundle),
  };
}

function judgeSvid(question: Question, bundle: Bundle, expectedId: string): Answer {
  const read = readEvidence(question);
  if (read === undefined)
    return refused("EvidenceMalformed", "evidence must be a chain of certificates and a signature");
  const { chain, leaf, signature } = read;
  const problem = chainProblem(chain, bundle, question.nowMs);
  if (problem !== undefined) return refused("SvidUntrusted", problem);
  const id = spiffeIdOf(leaf)?.text;
  if (id !== expectedId) return refused("SvidOfAnother", `the SVID must be of ${expectedId}`);
  if (question.request.providerId !== id)
    return refused("SvidOfAnother", "the provider ID must be the SVID's SPIFFE ID");
  if (!verifyStatement(leaf.publicKey, statementOf(question.request.digest), signature))
    return refused("SignatureInvalid", "the SVID's key did not sign this exchange");
  const { pins } = question;
  if (pins !== undefined && pins["spiffeId"] !== id)
    return refused("IdentityConflict", "the node has another SPIFFE ID");
  return { kind: "Attested", level: "Svid", pins: { spiffeId: id } };
}

/** A SPIFFE ID says nothing of addresses: the Machine does. */
function judgeNames({ names, machine }: Question): Answer | undefined {
  const own = machine?.addresses.map(({ address }) => address) ?? [];
  const foreign = names.find((name) => !own.includes(name));
  return foreign === undefined ? undefined : refused("SanNotAllowed", `the Machine does not have the name ${foreign}`);
}

function readEvidence({ evidence }: Question) {
  const { chain, signature } = exactly(evidence, ["chain", "signature"]) ?? {};
  const signed = bytesOf(signature);
  if (!Array.isArray(chain) || signed === undefined) return undefined;
  const ders = chain.map(bytesOf).filter((der) => der !== undefined);
  const certificates = ders.length === chain.length ? parseChain(ders) : undefined;
  const leaf = certificates?.[0];
  return certificates === undefined || leaf === undefined
    ? undefined
    : { chain: certificates, leaf, signature: signed };
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
