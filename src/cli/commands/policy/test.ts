// `countersign policy test FILE --against live|FILE`: judges the requests of a cluster, or of a file, by a policy that
// is not applied, and shows what would change. Nothing is written.

import { parseAllDocuments } from "yaml";
import {
  API_CLIENT_SIGNER,
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../../../api/certificates/index.ts";
import type { Node } from "../../../api/core/index.ts";
import { JOIN_POLICIES, type JoinPolicy, NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import { MACHINE_RESOURCES } from "../../../api/foreign/index.ts";
import { CSRS, type KubeObject, NODES, type Resource } from "../../../api/meta/index.ts";
import { parseClusterName, readPolicy, rehearse, type Snapshot } from "../../../controller/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../../platform/kube/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION, outputForm, requiredText, textOption } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";

export const policyTest: Command = {
  arguments: [{ name: "<policy>", description: "a file with a JoinPolicy, YAML or JSON" }],
  options: [
    {
      flags: "--against <where>",
      description: "live, or a file: kubectl get csr,nodes,machines,joinpolicies -A -o yaml",
      default: "live",
    },
    { flags: "--all", description: "also the requests for which nothing would change" },
    KUBECONFIG_OPTION,
    { flags: "--management-kubeconfig <file>", description: "where the Machines are, if in another cluster" },
    { flags: "--cluster-name <name>", description: "[namespace/]name: only Machines of this cluster count" },
    OUTPUT_OPTION,
  ],
  examples: ["countersign policy test policy.yaml --against live"],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const proposed = await loadPolicy(args[0]);
    const rows = (await replayAgainst(context, options, proposed)).map(rowOf);
    const shown = flagOption(options, "all") ? rows : rows.filter(({ isChange }) => isChange);
    if (form === "json") context.terminal.out(`${JSON.stringify(shown)}\n`);
    else print(context, shown, rows);
    return 0;
  },
};

/** Read before anything else, so that a mistake in it is reported first. */
async function loadPolicy(path: string | undefined): Promise<JoinPolicy> {
  if (path === undefined) throw new Fault("bad-config", "the file with the policy is missing");
  const [policy, ...others] = (await loadObjects(path)).filter(({ kind }) => kind === "JoinPolicy") as JoinPolicy[];
  if (policy === undefined || others.length > 0)
    throw new Fault(
      "bad-config",
      `${path} holds ${others.length + (policy === undefined ? 0 : 1)} JoinPolicies, expected one`,
    );
  readPolicy(policy);
  return policy;
}

async function loadObjects(path: string): Promise<readonly KubeObject[]> {
  return parseAllDocuments(await loadText(path)).flatMap((document) => {
    if (document.errors.length > 0)
      throw new Fault("malformed", `${path} is not YAML: ${document.errors[0]?.message ?? ""}`);
    const object = document.toJS() as (KubeObject & { readonly items?: readonly KubeObject[] }) | null;
    return object === null ? [] : (object.items ?? [object]);
  });
}

const SERVED = [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, API_CLIENT_SIGNER];

async function replayAgainst(context: CommandContext, options: OptionValues, proposed: JoinPolicy) {
  const where = requiredText(options, "against");
  const signal = context.stop;
  const name = textOption(options, "clusterName");
  const cluster = name === undefined ? undefined : parseClusterName("--cluster-name", name);
  if (where !== "live") {
    const snapshot = snapshotOf(await loadObjects(where), proposed);
    return await rehearse(snapshot, { cluster, servedSigners: signersOf(snapshot), signal });
  }
  const management = await connectToManagement(options);
  const client = await connectToCluster(context, options);
  try {
    const snapshot = snapshotOf(await listAll(client, management ?? client, signal), proposed);
    return await rehearse(snapshot, { client, cluster, servedSigners: signersOf(snapshot), signal });
  } finally {
    await Promise.all([client.close(), management?.close()]);
  }
}

async function connectToManagement(options: OptionValues): Promise<KubeClient | undefined> {
  const path = textOption(options, "managementKubeconfig");
  if (path === undefined) return undefined;
  requiredText(options, "clusterName");
  return await loadKubeconfigClient(path);
}

/** Kubernetes' own, and whatever of ours is asked for. */
function signersOf({ csrs }: Snapshot): readonly string[] {
  return [
    ...new Set([
      ...SERVED,
      ...csrs.map(({ spec }) => spec.signerName).filter((name) => name.startsWith("cluster.x-k8s.io/")),
    ]),
  ];
}

async function listAll(
  client: KubeClient,
  management: KubeClient,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const lists = await Promise.all([
    ...[CSRS, NODES, JOIN_POLICIES].map((resource) => listIfServed(client, resource, signal)),
    ...[NODE_IDENTITIES, ...MACHINE_RESOURCES].map((resource) => listIfServed(management, resource, signal)),
  ]);
  const byUid = new Map(lists.flat().map((object) => [object.metadata.uid, object]));
  return [...byUid.values()];
}

async function listIfServed(
  client: KubeClient,
  resource: Resource,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    const { items } = await client.list(resource, { signal });
    return items.map((item) => ({
      ...item,
      kind: resource.kind,
      apiVersion: item.apiVersion ?? `${resource.group}/${resource.version}`,
    }));
  } catch (error) {
    if (isFault(error, "not-found")) return [];
    throw error;
  }
}

function snapshotOf(objects: readonly KubeObject[], proposed: JoinPolicy): Snapshot {
  const of = <T extends KubeObject>(kind: string) => objects.filter((object) => object.kind === kind) as T[];
  const others = of<JoinPolicy>("JoinPolicy").filter(({ metadata }) => metadata.name !== proposed.metadata.name);
  return {
    csrs: of<CertificateSigningRequest>("CertificateSigningRequest"),
    nodes: of<Node>("Node"),
    machines: of("Machine"),
    identities: of<NodeIdentity>("NodeIdentity"),
    policies: [...others, proposed],
  };
}

/** A rehearsal has no evidence, which only a running controller checks. Such a request does not count as changed. */
const NOT_LOOKED_AT = "EvidenceIsNotRead";

type Replayed = Awaited<ReturnType<typeof rehearse>>[number];

function rowOf({ csr, before, after: { verdict, policy }, isChange }: Replayed) {
  const { kind, rule, reason, message } = verdict;
  return {
    name: csr.metadata.name ?? "",
    requester: csr.spec.username ?? "",
    before,
    after: kind,
    policy: policy?.name,
    rule,
    reason,
    message,
    isChange: isChange && reason !== NOT_LOOKED_AT,
  };
}

type Row = ReturnType<typeof rowOf>;

function print({ terminal }: CommandContext, rows: readonly Row[], all: readonly Row[]): void {
  for (const { name, requester, before, after, rule, reason, message } of rows) {
    const tone = after === "Allow" ? "good" : after === "Deny" ? "bad" : "strong";
    terminal.out(
      `${plainText(name)}   by ${plainText(requester)}   ${before ?? "unjudged"} -> ${terminal.paint(tone, after)}   ${plainText(rule)}   ${plainText(reason)}\n`,
    );
    terminal.out(`    ${plainText(message)}\n`);
  }
  const changed = rows.filter(({ isChange }) => isChange).length;
  terminal.out(`${all.length} requests judged, ${changed} would change\n`);
  const unseen = all.filter(({ reason }) => reason === NOT_LOOKED_AT).length;
  if (unseen > 0)
    terminal.out(`${unseen} of them only as far as their evidence, which a running controller looks at\n`);
}
