// By which bindings kube-controller-manager approves past our rules: subjects that may create
// certificatesigningrequests/nodeclient or /selfnodeclient gets a certificate from its csrapproving loop, evidence or
// not. kubeadm makes two such bindings. Pure.

import { type ClusterRole, type RoleBinding, ruleAllows, type Subject } from "../../api/access/index.ts";

export interface Bypass {
  readonly binding: string;
  readonly role: string;
  readonly subjects: readonly string[];
  readonly right: "nodeclient" | "selfnodeclient";
}

const RIGHTS: readonly Bypass["right"][] = ["nodeclient", "selfnodeclient"];
/** May do everything anyway; a rule against them would be against the administrator. */
const ADMINISTRATORS: ReadonlySet<string> = new Set(["Group system:masters", "Group kubeadm:cluster-admins"]);

export function findBypasses(roles: readonly ClusterRole[], bindings: readonly RoleBinding[]): readonly Bypass[] {
  const byName = new Map(roles.map((role) => [role.metadata.name, role]));
  return bindings.flatMap((binding) => {
    const subjects = (binding.subjects ?? []).map(textOf).filter((subject) => !ADMINISTRATORS.has(subject));
    const role = binding.roleRef.kind === "ClusterRole" ? byName.get(binding.roleRef.name) : undefined;
    if (role === undefined || subjects.length === 0) return [];
    const { name = "" } = binding.metadata;
    return RIGHTS.filter((right) => grants(role, right)).map((right) => ({
      binding: name,
      role: binding.roleRef.name,
      subjects,
      right,
    }));
  });
}

const QUESTION = {
  user: { username: "", groups: [] },
  verb: "create",
  isResource: true,
  path: "",
  group: "certificates.k8s.io",
  version: "*",
  resource: "certificatesigningrequests",
  namespace: "",
  name: "",
  fieldRequirements: [],
} as const;

function grants({ rules = [] }: ClusterRole, right: Bypass["right"]): boolean {
  return rules.some((rule) => ruleAllows(rule, { ...QUESTION, subresource: right }));
}

function textOf({ kind, namespace, name }: Subject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
