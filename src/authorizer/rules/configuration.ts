// Secrets and ConfigMaps: a node reads those that its pods refer to, one at a time.

import { mayReadRelated, type NodeRule } from "./rule.ts";

export const secrets: NodeRule = (question) => mayReadRelated(question, "secrets");

export const configMaps: NodeRule = (question) => mayReadRelated(question, "configmaps");
