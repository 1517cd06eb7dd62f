// Step 3, authorize: may this user make this request? The texts are those of kube-apiserver, for which people search
// the web.

import { type Attributes, type Authorizer, type Decision, MASTERS_GROUP } from "../../api/access/index.ts";
import { allow, noOpinion } from "../../kernel/outcome/index.ts";
import type { Answer, Call, Next } from "../call.ts";
import type { RequestInfo } from "../entry/request-info.ts";
import { forbidden, forbiddenPath } from "../status/status.ts";

export interface AuthorizationParts {
  readonly authorizer: Authorizer;
}

export async function runAuthorization(call: Call, next: Next, parts: AuthorizationParts): Promise<Answer> {
  const asked = attributesOf(call);
  const decision = parts.authorizer.authorize(asked);
  call.annotations["authorization.k8s.io/decision"] = decision.kind === "Allow" ? "allow" : "forbid";
  call.annotations["authorization.k8s.io/reason"] = decision.message;
  if (decision.kind === "Allow") return next();
  throw refusalOf(asked, decision, call.info);
}

export function attributesOf({ info, user }: Pick<Call, "info" | "user">): Attributes {
  return {
    user,
    verb: info.verb,
    isResource: info.isResource,
    path: info.path,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    fieldRequirements: info.fieldRequirements,
  };
}

export function refusalOf(asked: Attributes, decision: Decision, info: Pick<RequestInfo, "name">) {
  const reason = decision.message === "" ? "" : `: ${decision.message}`;
  const why = `${describeQuestion(asked)}${reason}`;
  if (!asked.isResource) return forbiddenPath(why);
  const { group, version, resource } = asked;
  return forbidden({ group, version, plural: resource, kind: "", namespaced: asked.namespace !== "" }, info.name, why);
}

function describeQuestion(asked: Attributes): string {
  const user = JSON.stringify(asked.user.username);
  if (!asked.isResource) return escapeHtml(`User ${user} cannot ${asked.verb} path ${JSON.stringify(asked.path)}`);
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const where = asked.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(asked.namespace)}`;
  const what = `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(asked.group)}`;
  return escapeHtml(`User ${user} cannot ${asked.verb} ${what} ${where}`);
}

/** The message repeats what the client sent, and a browser may show it. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// Several authorizers as one: the first that allows or denies decides; the reasons of those without an opinion are kept
// for the refusal. Group system:masters comes first and is always allowed, as in Kubernetes.

export const privilegedAuthorizer: Authorizer = {
  authorize: ({ user }) =>
    user.groups.includes(MASTERS_GROUP)
      ? allow({ rule: "masters", reason: "GroupIsPrivileged", message: "" })
      : noOpinion({ rule: "masters", reason: "GroupIsNotPrivileged", message: "" }),
};

export function createAuthorizerChain(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (asked) => {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.authorize(asked);
        if (decision.kind !== "NoOpinion") return decision;
        if (decision.message !== "") reasons.push(decision.message);
      }
      return noOpinion({ rule: "chain", reason: "NobodyAllows", message: reasons.join("\n") });
    },
  };
}
