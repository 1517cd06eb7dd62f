// A caller may act as another user when it is allowed to impersonate every part of that identity: the user (or service
// account), each group, the uid and each extra value. Headers of k8s.io/apiserver/pkg/endpoints/filters/impersonation.
// A header that cannot be read is refused, never ignored: a caller that wants fewer rights must not act with its own.

import { ANONYMOUS_USER, type Attributes, UNAUTHENTICATED_GROUP, type UserInfo } from "../../api/access/index.ts";
import type { HttpHeaders, HttpRequest } from "../../platform/http/index.ts";
import { type AuthorizationParts, refusalOf } from "../authorization/stage.ts";
import type { Answer, Call, Next } from "../call.ts";
import { badRequest } from "../status/status.ts";
import { SERVICE_ACCOUNT_PREFIX } from "./service-account/claims.ts";
import { withAuthenticatedGroup } from "./stage.ts";

const PREFIX = "impersonate-";
const EXTRA_PREFIX = "impersonate-extra-";
/** Each value is a question to the authorizer; a real identity has some ten groups. */
const MAX_VALUES = 256;

export async function runImpersonation(call: Call, next: Next, parts: AuthorizationParts): Promise<Answer> {
  const wanted = wantedIdentity(call.request);
  if (wanted === undefined) return next();
  for (const part of partsOf(wanted)) {
    const asked = attributesFor(call.caller, part);
    const decision = parts.authorizer.authorize(asked);
    if (decision.kind !== "Allow") throw refusalOf(asked, decision, asked);
  }
  call.user = asUser(wanted);
  return next();
}

interface Wanted {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Undefined when no impersonation is requested. */
function wantedIdentity({ headers }: Pick<HttpRequest, "headers">): Wanted | undefined {
  const names = Object.keys(headers).filter((name) => name.startsWith(PREFIX));
  if (names.length === 0) return undefined;
  const users = valuesOf(headers, "impersonate-user");
  const uids = valuesOf(headers, "impersonate-uid");
  const groups = valuesOf(headers, "impersonate-group");
  const extra: [string, readonly string[]][] = [];
  for (const name of names) {
    if (name.startsWith(EXTRA_PREFIX)) extra.push([extraKey(name), valuesOf(headers, name)]);
    else if (!KNOWN.includes(name)) throw badRequest(`unknown impersonation header ${JSON.stringify(name)}`);
  }
  const [user = "", ...others] = users;
  if (user === "") throw badRequest("requested to impersonate a group, uid or extra without impersonating a user");
  if (others.length > 0 || uids.length > 1) throw badRequest("requested to impersonate more than one user or uid");
  if (groups.length + extra.flatMap(([, values]) => values).length > MAX_VALUES) {
    throw badRequest(`requested to impersonate more than ${MAX_VALUES} groups and extra values`);
  }
  return { user, groups, uid: uids[0] ?? "", extra: Object.fromEntries(extra) };
}

const KNOWN: readonly string[] = ["impersonate-user", "impersonate-group", "impersonate-uid"];

function valuesOf(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  const values = typeof value === "string" ? [value] : (value ?? []);
  return values.map((one) => one.trim());
}

/** Header names are case-insensitive and allow few characters, so keys come in lower case and percent-encoded. */
function extraKey(header: string): string {
  const encoded = header.slice(EXTRA_PREFIX.length).toLowerCase();
  let key: string;
  try {
    key = decodeURIComponent(encoded);
  } catch {
    // Go keeps a key that does not decode; the authorizer refuses it, because no rule names such a key.
    key = encoded;
  }
  if (key === "" || key === "__proto__") throw badRequest("requested to impersonate an extra value without a key");
  return key;
}

interface Part {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
}

const AUTHENTICATION = "authentication.k8s.io";

function partsOf({ user, groups, uid, extra }: Wanted): readonly Part[] {
  return [
    userPart(user),
    ...groups.map((name) => ({ group: "", resource: "groups", name })),
    ...(uid === "" ? [] : [{ group: AUTHENTICATION, resource: "uids", name: uid }]),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((name) => ({ group: AUTHENTICATION, resource: "userextras", subresource, name })),
    ),
  ];
}

/** A service account is an object of its namespace: the right to impersonate `users` does not cover it. */
function userPart(user: string): Part {
  const account = serviceAccountOf(user);
  if (account === undefined) return { group: "", resource: "users", name: user };
  return { group: "", resource: "serviceaccounts", ...account };
}

function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT_PREFIX)) return undefined;
  const [namespace, name, ...more] = user.slice(SERVICE_ACCOUNT_PREFIX.length).split(":");
  if (namespace === undefined || name === undefined || more.length > 0 || namespace === "" || name === "")
    return undefined;
  return { namespace, name };
}

function attributesFor(user: UserInfo, part: Part): Attributes {
  return {
    user,
    verb: "impersonate",
    isResource: true,
    path: "",
    group: part.group,
    version: "v1",
    resource: part.resource,
    subresource: part.subresource ?? "",
    namespace: part.namespace ?? "",
    name: part.name,
    fieldRequirements: [],
  };
}

function asUser({ user, groups, uid, extra }: Wanted): UserInfo {
  const identity: UserInfo = {
    username: user,
    ...(uid === "" ? {} : { uid }),
    groups: groups.length > 0 ? groups : defaultGroups(user),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return user === ANONYMOUS_USER ? withGroup(identity, UNAUTHENTICATED_GROUP) : withAuthenticatedGroup(identity);
}

/** A service account that is impersonated without groups gets the groups of every service account. */
function defaultGroups(user: string): readonly string[] {
  const account = serviceAccountOf(user);
  return account === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
}

function withGroup(user: UserInfo, group: string): UserInfo {
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}
