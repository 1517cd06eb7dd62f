// What is wrong with this node and what to do about it. Pure: facts -> one finding per check, in the order in which an
// operator would look: directory · name · API server · clock · CA · certificate · identity · plugin · bootstrap ·
// rights · pending request.

import type { HealthFacts, PendingRequest } from "./facts.ts";

/** `none`: there is nothing to check, and that is no fault by itself. `unknown`: it could not be found out. */
export type FindingState = "ok" | "failed" | "none" | "unknown";

export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly text: string;
  /** Of every failure, of a certificate that has not come yet, and of a plugin that some kubelet might call. */
  readonly todo?: string;
}

/** Certificates are dated back by five minutes at most, so a clock that is further off sees them as not valid yet. */
const CLOCK_TOLERANCE_MS = 60_000;
/** KEP-266's objective: a certificate with less of its life left was not renewed when it should have been. */
const LAST_SHARE = 0.05;

export function judgeHealth(facts: HealthFacts): readonly Finding[] {
  return CHECKS.map((check) => check(facts));
}

/** All is well when nothing has failed, nothing is unknown, and there is a certificate that the cluster knows. */
export function isWell(findings: readonly Finding[]): boolean {
  const needed = new Set(["certificate", "identity"]);
  return findings.every(({ check, state }) => state === "ok" || (state === "none" && !needed.has(check)));
}

type Check = (facts: HealthFacts) => Finding;

const directory: Check = ({ directory: path, permissions }) => {
  const check = "directory";
  if (permissions === undefined) {
    return failed(check, `${path} is not there`, "join this machine: countersign node join, or name its --directory");
  }
  if (permissions.length === 0) return ok(check, `${path}, its owner's alone`);
  return failed(
    check,
    permissions.join("; "),
    "let it belong to one user: chmod go-rwx, chown; keys may have been read",
  );
};

const name: Check = ({ reach, server }) => {
  const check = "name";
  if (server === undefined) return none(check, "no cluster is known");
  if (reach.kind !== "no-name") return ok(check, new URL(server).hostname);
  return failed(
    check,
    `${reach.host} cannot be found: ${reach.why}`,
    "look at the machine's DNS servers and search list",
  );
};

const apiServer: Check = ({ reach, server }) => {
  const check = "API server";
  if (server === undefined) return none(check, "no cluster is known");
  if (reach.kind === "no-name" || reach.kind === "unread") return unknown(check, "was not asked");
  if (reach.kind !== "unreachable") return ok(check, `${server} answers`);
  return failed(check, `${server} does not answer: ${reach.why}`, "look at the network, the port, and that server");
};

const clock: Check = ({ reach, nowMs }) => {
  const check = "clock";
  const serverMs = reach.kind === "answers" || reach.kind === "untrusted" ? reach.serverMs : undefined;
  if (serverMs === undefined) return unknown(check, "the API server did not tell its time");
  const offMs = nowMs - serverMs;
  if (Math.abs(offMs) <= CLOCK_TOLERANCE_MS) return ok(check, `${span(Math.abs(offMs))} from the API server`);
  const where = offMs > 0 ? "ahead of" : "behind";
  return failed(
    check,
    `${span(Math.abs(offMs))} ${where} the API server: certificates look expired or not valid yet`,
    "set the clock: chronyc makestep, or timedatectl set-ntp true",
  );
};

const ca: Check = ({ reach, server, usesSystemRoots = false }) => {
  const check = "CA";
  if (server === undefined) return none(check, "no cluster is known");
  const who = usesSystemRoots ? "a root of this machine" : "the CA in the kubeconfig";
  if (reach.kind === "answers") return ok(check, `${who} vouches for the API server`);
  if (reach.kind !== "untrusted") return unknown(check, "the API server was not reached");
  if (usesSystemRoots) {
    return failed(
      check,
      `no root of this machine vouches for ${server}: ${reach.why}`,
      "install the CA of the API server's certificate among the machine's roots, or point SSL_CERT_FILE at it; a join by " +
        "token writes the cluster's own CA into the kubeconfig",
    );
  }
  return failed(
    check,
    `the CA in the kubeconfig does not vouch for ${server}: ${reach.why}`,
    "countersign discovery verify; if the cluster's CA was replaced, countersign node join again with a live token",
  );
};

const certificate: Check = ({ certificate: found, hasBootstrap, nowMs, directory: path }) => {
  const check = "certificate";
  if (found.kind === "absent")
    return { ...none(check, "none yet"), todo: hasBootstrap ? resume(path) : "countersign node join" };
  if (found.kind === "damaged") {
    return failed(check, `the current file is unusable: ${found.why}`, `${resume(path)} moves it aside`);
  }
  const leftMs = found.notAfterMs - nowMs;
  if (leftMs <= 0) {
    return failed(
      check,
      `of ${found.nodeUser}, ended ${span(-leftMs)} ago`,
      "countersign token create on a control-plane machine, then countersign node join",
    );
  }
  const text = `of ${found.nodeUser}, ends in ${span(leftMs)}${found.isSealed ? ", key sealed by the TPM" : ""}`;
  if (leftMs / (found.notAfterMs - found.notBeforeMs) >= LAST_SHARE) return ok(check, text);
  return failed(check, `${text} and was not renewed`, "look at the pending request below, then countersign node renew");
};

/** The join is resumed, which reports what it waits for or why it was refused. */
function resume(path: string): string {
  return `countersign node join --resume --directory ${path}`;
}

const identity: Check = ({ identity: seen, certificate: found, closedKey }) => {
  const check = "identity";
  if (found.kind !== "present") return none(check, "no certificate to show");
  if (closedKey !== undefined) return failed(check, `the key does not open: ${closedKey.why}`, closedKey.todo);
  if (seen.kind === "Present") return ok(check, `the API server knows ${seen.value}`);
  if (seen.kind === "NotRead") return unknown(check, seen.why);
  return failed(
    check,
    "the API server refuses the certificate (401): another CA signed it, or it is over there",
    "countersign token create on a control-plane machine, then countersign node join",
  );
};

const plugin: Check = ({ plugin: seen }) => {
  const check = "plugin";
  if (seen === undefined) return none(check, "no kubeconfig here calls one");
  const { command, path, calledBy, isNeeded } = seen;
  if (path !== undefined) return ok(check, path === command ? path : `${command} is ${path}`);
  const text = `${command} is not on this PATH, and ${calledBy} calls it`;
  const todo = `put ${command} where a kubelet's PATH leads, such as /usr/local/bin`;
  return isNeeded ? failed(check, text, todo) : { ...none(check, text), todo };
};

const bootstrap: Check = ({ bootstrap: seen, hasBootstrap, certificate: found, directory: path }) => {
  const check = "bootstrap token";
  if (!hasBootstrap) return none(check, "none is kept here");
  if (seen.kind === "Present") return ok(check, `the API server knows ${seen.value}`);
  if (seen.kind === "NotRead") return unknown(check, seen.why);
  const todo = `countersign token create on a control-plane machine, then ${resume(path)} --token-file FILE`;
  // With a valid certificate the token is not needed.
  return found.kind === "present"
    ? none(check, "is dead, which is well: the node has its certificate")
    : failed(check, "is dead: it has expired or was deleted", todo);
};

const pending: Check = ({ pending: seen, directory: path }) => {
  const check = "pending CSR";
  if (seen.kind === "Absent") return none(check, "none");
  if (seen.kind === "NotRead") return unknown(check, seen.why);
  return judgePending(check, seen.value, path);
};

function judgePending(check: string, { name: csr, state }: PendingRequest, path: string): Finding {
  switch (state.kind) {
    case "issued":
      return ok(check, `${csr} is signed; ${resume(path)} stores it`);
    case "pending":
      return failed(check, `${csr} waits: ${state.why}`, `countersign csr explain ${csr} on a control-plane machine`);
    case "denied":
      return failed(check, `${csr} was denied: ${state.why}`, `remove the cause, then ${resume(path)}`);
    case "failed":
      return failed(check, `${csr} failed at its signer: ${state.why}`, "correct what it names, then ask again");
  }
}

const rights: Check = ({ mayRequest: seen, server }) => {
  const check = "rights";
  if (server === undefined || seen === undefined) return none(check, "no cluster is known");
  // What keeps us from asking is the finding of another check.
  if (seen.kind !== "Present") return none(check, "nobody was there to ask about");
  const { user, allowed } = seen.value;
  if (allowed) return ok(check, `${user} may create certificate requests`);
  return failed(
    check,
    `${user} may not create certificatesigningrequests, so no certificate can be asked for`,
    "on a control-plane machine bind the ClusterRole system:node-bootstrapper to the token's group, or let the Node authorizer " +
      "judge nodes (--authorization-mode=Node,RBAC)",
  );
};

const CHECKS: readonly Check[] = [
  ...[directory, name, apiServer, clock, ca, certificate, identity],
  ...[plugin, bootstrap, rights, pending],
];

function ok(check: string, text: string): Finding {
  return { check, state: "ok", text };
}

function none(check: string, text: string): Finding {
  return { check, state: "none", text };
}

function unknown(check: string, text: string): Finding {
  return { check, state: "unknown", text };
}

function failed(check: string, text: string, todo: string): Finding {
  return { check, state: "failed", text, todo };
}

const UNITS: readonly (readonly [string, number])[] = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
];

/** The largest unit of which there are two or more, else seconds. */
export function span(ms: number): string {
  for (const [unit, length] of UNITS) {
    if (ms >= 2 * length) return `${Math.floor(ms / length)} ${unit}`;
  }
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
