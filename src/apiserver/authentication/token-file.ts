// A file of static tokens: one line each, `token,user,uid[,"group1,group2"]`. They live as long as the server runs, so they
// are for machines that come before everything else. Behaviour of k8s.io/apiserver/pkg/authentication/token/tokenfile.

import type { UserInfo } from "../../api/access/index.ts";
import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type Authenticator, NOT_MINE } from "./authenticator.ts";

/** Nobody writes more static tokens by hand than this. */
const MAX_LINES = 10_000;
const FIELDS = /(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gy;

/** Fault `bad-config` that names the line, never its content. */
export function createTokenFileAuthenticator(csv: string): Authenticator {
  const users = new Map<string, UserInfo>();
  const lines = csv.split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new Fault("bad-config", `the token file has more than ${MAX_LINES} lines`);
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [token, user] = parseLine(line, at + 1);
    users.set(digestOf(token), user);
  }
  return {
    name: "token-file",
    // Looked up by digest: how long the search takes says nothing about the tokens.
    authenticate: ({ bearerToken }) => {
      const user = bearerToken === undefined ? undefined : users.get(digestOf(bearerToken));
      return user === undefined ? NOT_MINE : { kind: "user", user };
    },
  };
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
