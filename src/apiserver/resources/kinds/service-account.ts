// ServiceAccount: who a pod is. Its tokens are made by POST to /token (verbs/posts).

import type { ServiceAccount } from "../../../api/core/index.ts";
import { SERVICE_ACCOUNTS, TOKEN_REQUESTS } from "../../../api/meta/index.ts";
import { type CreateSubresource, defineStrategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

/** What may be asked for is decided where the token is made: that needs the objects it is bound to. */
const tokenSubresource: CreateSubresource = {
  name: "token",
  resource: TOKEN_REQUESTS,
  validate: () => [],
};

export const serviceAccountStrategy = defineStrategy<ServiceAccount>({
  resource: SERVICE_ACCOUNTS,
  shortNames: ["sa"],
  answersDeleteWithObject: true,
  creates: [tokenSubresource],
  table: {
    columns: [NAME_COLUMN, column("Age")],
    cells: (account, nowMs) => [nameOf(account), ageCell(account, nowMs)],
  },
});
