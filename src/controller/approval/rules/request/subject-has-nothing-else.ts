// Readers of names differ in what they make of a second common name, and some read attributes that others drop.
// differs from upstream: kube-controller-manager takes the last common name and copies what Go knows of the rest.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const subjectHasNothingElse: Rule<RequestFacts> = {
  id: "subject-has-nothing-else",
  sentence: "the subject has one organization and one common name, and no other attribute",
  reasons: [...UNREADABLE_REASONS, "SubjectHasForeignAttributes"],
  isStricter: true,
  judge: withRequest(({ subject: { attributes, organizations, commonName } }) => {
    const isPlain = attributes.length === 2 && organizations.length === 1 && commonName !== undefined;
    if (isPlain) return pass();
    return refuse(
      "SubjectHasForeignAttributes",
      `subject has ${attributes.length} attributes, expected one organization and one common name`,
    );
  }),
};
