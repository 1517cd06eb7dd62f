// ServiceAccount: who a pod is. Its tokens are made by POST to /token (verbs/posts).

import type { ServiceAccount } from "../../../api/core/index.ts";
import { SERVICE_ACCOUNTS, TOKEN_REQUESTS } from "../../../api/meta/index.ts";
import { META_SHAPE } from "../shape.ts";
import { type CreateSubresource, defineStrategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

/** What may be asked for is decided where the token is made: that needs the objects it is bound to. */
const tokenSubresource: CreateSubresource = {
  name: "token",
  resource: TOKEN_REQUESTS,
  shape: {
    metadata: META_SHAPE,
    spec: {
      audiences: ["string"],
      expirationSeconds: "integer",
      boundObjectRef: { kind: "string", apiVersion: "string", name: "string", uid: "string" },
    },
  },
  validate: () => [],
};

const REFERENCE = { name: "string" } as const;

export const serviceAccountStrategy = defineStrategy<ServiceAccount>({
  resource: SERVICE_ACCOUNTS,
  shortNames: ["sa"],
  answersDeleteWithObject: true,
  creates: [tokenSubresource],
  shape: {
    metadata: META_SHAPE,
    secrets: [REFERENCE],
    imagePullSecrets: [REFERENCE],
    automountServiceAccountToken: "boolean",
  },
  table: {
    columns: [NAME_COLUMN, column("Age")],
    cells: (account, nowMs) => [nameOf(account), ageCell(account, nowMs)],
  },
});
