// What the pods of a node mount and use: claims, volumes, attachments, devices. A node gets each by name; it also writes the
// status of a claim whose file system it has grown.

import { mayGetRelated, mustBeRelated, type NodeRule } from "./rule.ts";

export const persistentVolumeClaims: NodeRule = (question) => {
  const { verb, subresource } = question.asked;
  if (subresource !== "status") return mayGetRelated(question, "persistentvolumeclaims");
  if (verb !== "update" && verb !== "patch") return "can only get/update/patch this type";
  return mustBeRelated(question, "persistentvolumeclaims");
};

export const persistentVolumes: NodeRule = (question) => mayGetRelated(question, "persistentvolumes");

export const volumeAttachments: NodeRule = (question) => mayGetRelated(question, "volumeattachments");

export const resourceClaims: NodeRule = (question) => mayGetRelated(question, "resourceclaims");
