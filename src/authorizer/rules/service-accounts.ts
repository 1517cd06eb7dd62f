// ServiceAccounts of a node's pods: it reads them (credential providers of the kubelet need their annotations) and asks for
// their tokens. To which pod such a token is bound is checked by admission, which sees the request's body.

import { mayReadRelated, mustBeRelated, type NodeRule } from "./rule.ts";

export const serviceAccounts: NodeRule = (question) => {
  const { verb, subresource, name } = question.asked;
  if (verb === "get" && subresource === "") return mayReadRelated(question, "serviceaccounts");
  if (verb !== "create" || name === "") return "can only create tokens for individual service accounts";
  if (subresource !== "token") return "can only create token subresource of serviceaccount";
  return mustBeRelated(question, "serviceaccounts");
};
