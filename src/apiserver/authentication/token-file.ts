// A file of static tokens: one line each, `token,user,uid[,"group1,group2"]`. They are valid as long as the server
// runs, for machines that start before anything else. Behaviour of k8s.io/apiserver/pkg/authentication/token/tokenfile;
// tokens of the form `<id>.<secret>` are found by their id and can be used for discovery, too (super simple discovery
// API).

import type { UserInfo } from "../../api/access/index.ts";
import { isToken, parseToken } from "../../api/bootstrap/index.ts";
import { encodeHex, encodeUtf8, equalBytes } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type Authenticator, NOT_MINE } from "./authenticator.ts";

/** Far more static tokens than are written by hand. */
const MAX_LINES = 10_000;
const FIELDS = /(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gy;

interface TokenFile extends Authenticator {
  /** Of the token `<id>.<secret>`; undefined when the file has none of that id. */
  secretOf(id: string): string | undefined;
}

interface Known {
  readonly secret: string;
  readonly user: UserInfo;
}

/** Fault `bad-config` that names the line, never its content. */
export function createTokenFileAuthenticator(csv: string): TokenFile {
  const byId = new Map<string, Known>();
  const byDigest = new Map<string, UserInfo>();
  const lines = csv.split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new Fault("bad-config", `the token file has more than ${MAX_LINES} lines`);
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [token, user] = parseLine(line, at + 1);
    if (!isToken(token)) byDigest.set(digestOf(token), user);
    else addById(byId, { token, user, line: at + 1 });
  }
  // An id is public, and its secret is compared in constant time. Other tokens are looked up by digest: the time of the
  // search reveals nothing about them.
  const find = (token: string) => (isToken(token) ? findById(byId, token) : byDigest.get(digestOf(token)));
  return {
    name: "token-file",
    authenticate: ({ bearerToken }) => {
      const user = bearerToken === undefined ? undefined : find(bearerToken);
      return user === undefined ? NOT_MINE : { kind: "user", user };
    },
    secretOf: (id) => byId.get(id)?.secret,
  };
}

function addById(
  byId: Map<string, Known>,
  { token, user, line }: { readonly token: string; readonly user: UserInfo; readonly line: number },
): void {
  const { id, secret } = parseToken(token);
  const before = byId.get(id);
  if (before !== undefined && before.secret !== secret) {
    throw new Fault("bad-config", `line ${line} of the token file has the id of an earlier token and another secret`);
  }
  byId.set(id, { secret, user });
}

function findById(byId: ReadonlyMap<string, Known>, token: string): UserInfo | undefined {
  const { id, secret } = parseToken(token);
  const known = byId.get(id);
  return known !== undefined && equalBytes(encodeUtf8(known.secret), encodeUtf8(secret)) ? known.user : undefined;
}

function digestOf(token: string): string {
  return encodeHex(sha256(encodeUtf8(token)));
}

function parseLine(line: string, number: number): readonly [string, UserInfo] {
  const [token = "", username = "", uid = "", groups = ""] = splitFields(line, number);
  if (token === "" || username === "") {
    throw new Fault("bad-config", `line ${number} of the token file must be token,user,uid[,"group1,group2"]`);
  }
  const list = groups.split(",").filter((group) => group !== "");
  return [token, { username, ...(uid === "" ? {} : { uid }), groups: list }];
}

/** RFC 4180: a field in quotes may hold commas, and a doubled quote for a quote. */
function splitFields(line: string, number: number): readonly string[] {
  const fields: string[] = [];
  let end = 0;
  for (const match of line.matchAll(FIELDS)) {
    fields.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? "").trim());
    end = match.index + match[0].length;
  }
  if (end !== line.length) throw new Fault("bad-config", `line ${number} of the token file is not CSV`);
  return fields;
}
