// Policies by name, and the order in which they are asked: Enforce before Shadow, a policy for named nodes before one
// for all, then by name. The first that covers a request is the one by which it is judged: one request, one policy, one
// reason.

import {
  type JoinPolicy,
  matchesName,
  POLICY_MODES,
  type Policy,
  type PolicyMode,
  readJoinPolicy,
} from "../../api/countersign/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { STRICTER_RULES } from "../judging/chains.ts";

export interface PolicyBook {
  put(object: JoinPolicy): void;
  forget(object: JoinPolicy): void;
  of(signerName: string, nodeName: string | undefined): Policy | undefined;
  hasShadow(): boolean;
  broken(): readonly string[];
  /** Why this policy cannot be read. */
  faultOf(name: string): string | undefined;
  list(): readonly Policy[];
}

export function createPolicyBook(): PolicyBook {
  const policies = new Map<string, Policy>();
  const faults = new Map<string, { readonly mode: PolicyMode; readonly message: string }>();
  let inOrder: readonly Policy[] = [];

  function change(name: string, apply: () => void): void {
    policies.delete(name);
    faults.delete(name);
    apply();
    inOrder = [...policies.values()].sort(comparePolicies);
  }

  return {
    put: (object) => {
      const name = object.metadata.name ?? "";
      change(name, () => {
        try {
          policies.set(name, readPolicy(object));
        } catch (error) {
          if (!isFault(error)) throw error;
          faults.set(name, { mode: modeOf(object), message: error.message });
        }
      });
    },
    forget: (object) => change(object.metadata.name ?? "", () => undefined),
    of: (signerName, nodeName) => inOrder.find((policy) => covers(policy, signerName, nodeName)),
    hasShadow: () => inOrder.some(({ mode }) => mode === "Shadow"),
    // A policy that only records decides nothing, broken or not.
    broken: () =>
      [...faults].flatMap(([name, { mode, message }]) =>
        mode === "Enforce" ? [`JoinPolicy ${name} cannot be read: ${message}`] : [],
      ),
    faultOf: (name) => faults.get(name)?.message,
    list: () => inOrder,
  };
}

/** With the one check that needs the rules: only a stricter rule can be left out. */
export function readPolicy(object: unknown): Policy {
  const policy = readJoinPolicy(object);
  const unknown = policy.disabledRules.find((id) => !STRICTER_RULES.includes(id));
  if (unknown === undefined) return policy;
  throw new Fault(
    "invalid",
    `spec.disabledRules names ${JSON.stringify(unknown)}, expected some of ${STRICTER_RULES.join(", ")}`,
  );
}

/** What cannot be read at all is taken for the stricter of the two. */
function modeOf({ spec }: JoinPolicy): PolicyMode {
  return POLICY_MODES.find((mode) => mode === spec?.mode) ?? "Enforce";
}

function covers({ signers, nodeNames }: Policy, signerName: string, nodeName: string | undefined): boolean {
  if (signers !== undefined && !signers.includes(signerName)) return false;
  return nodeNames === undefined || (nodeName !== undefined && matchesName(nodeNames, nodeName));
}

function comparePolicies(one: Policy, other: Policy): number {
  return orderOf(one) < orderOf(other) ? -1 : 1;
}

function orderOf({ mode, nodeNames, name }: Policy): string {
  return `${mode === "Enforce" ? 0 : 1}${nodeNames === undefined ? 1 : 0}${name}`;
}
