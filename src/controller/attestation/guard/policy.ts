// The admission guard as it must be to be believed: deploy/guard.yaml in code. A test holds the two together.

import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../../api/certificates/index.ts";

export const GUARD_NAME = "countersign-guard";

const MAY_SET = "variables.maySet";

export const GUARD_POLICY_SPEC = {
  failurePolicy: "Fail",
  matchConstraints: {
    matchPolicy: "Equivalent",
    resourceRules: [
      {
        apiGroups: ["certificates.k8s.io"],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["certificatesigningrequests"],
        scope: "*",
      },
    ],
  },
  variables: [
    {
      name: "maySet",
      expression: "authorizer.group('countersign.dev').resource('csrmetadata').check('set').allowed()",
    },
    {
      name: "isAttested",
      expression: `object.spec.signerName.startsWith('${ATTESTED_CLIENT_SIGNER_PREFIX}') || object.spec.signerName.startsWith('${ATTESTED_SERVING_SIGNER_PREFIX}')`,
    },
  ],
  validations: [
    {
      expression: `${MAY_SET} || !has(object.metadata.annotations) || object.metadata.annotations.all(key, !key.startsWith('countersign.dev/') && key != 'cluster.x-k8s.io/tpm-endorsement-key' && key != 'cluster-x-k8s-io/tpm-endorsement-key')`,
      message: "annotations of countersign.dev and tpm-endorsement-key are not for whoever makes the request",
      reason: "Forbidden",
    },
    {
      expression: `${MAY_SET} || !has(object.metadata.finalizers) || size(object.metadata.finalizers) == 0`,
      message: "a request must not have finalizers",
      reason: "Forbidden",
    },
    {
      expression: `${MAY_SET} || !has(object.metadata.ownerReferences) || size(object.metadata.ownerReferences) == 0`,
      message: "a request must not have owner references",
      reason: "Forbidden",
    },
    {
      expression: "!variables.isAttested || size(object.spec.request) <= 87384",
      message: "a request with evidence must have at most 65536 octets",
      reason: "RequestEntityTooLarge",
    },
  ],
} as const;

export const GUARD_BINDING_SPEC = { policyName: GUARD_NAME, validationActions: ["Deny"] } as const;
