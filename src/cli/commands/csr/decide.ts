// How `csr approve` and `csr deny` decide: a condition with a reason on each object.

import { type CertificateSigningRequest, type CsrCondition, findCondition } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import { verdictOn } from "../../../controller/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Command, CommandOption } from "../../command.ts";
import { connectToCluster } from "../../connect.ts";
import { flagOption, outputForm, textOption } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";

interface Decision {
  readonly type: "Approved" | "Denied";
  readonly opposite: "Approved" | "Denied";
  readonly reason: string;
  readonly done: string;
}

export const APPROVE: Decision = {
  type: "Approved",
  opposite: "Denied",
  reason: "CountersignApprove",
  done: "approved",
};
export const DENY: Decision = { type: "Denied", opposite: "Approved", reason: "CountersignDeny", done: "denied" };

export const NAMES_ARGUMENT = [{ name: "<names...>", description: "the requests' names, as csr list shows them" }];
export const MESSAGE_OPTION: CommandOption = {
  flags: "--message <text>",
  description: "why, for the condition on the object",
};

export async function decideAll(
  context: Parameters<Command["run"]>[0],
  { options, args }: Parameters<Command["run"]>[1],
  decision: Decision,
): Promise<number> {
  if (args.length === 0) throw new Fault("bad-config", "the name of a request is missing");
  const form = outputForm(options);
  const client = await connectToCluster(context, options);
  const message =
    textOption(options, "message") ??
    `by hand, with countersign csr ${decision.done === "approved" ? "approve" : "deny"}`;
  const wish = { decision, message, isForced: flagOption(options, "anyway"), signal: context.stop };
  const rows: Row[] = [];
  try {
    for (const name of args) {
      const row = { name, decision: decision.type, isNew: await decide(client, name, wish) };
      rows.push(row);
      if (form === "text") context.terminal.out(`${plainText(name)}   ${decision.done}\n`);
    }
    return 0;
  } finally {
    // Also when one of them could not be decided: those before it are.
    if (form === "json") context.terminal.out(`${JSON.stringify(rows)}\n`);
    await client.close();
  }
}

interface Row {
  readonly name: string;
  readonly decision: Decision["type"];
  /** False: it was decided that way before. */
  readonly isNew: boolean;
}

interface Wish {
  readonly decision: Decision;
  readonly message: string;
  readonly isForced: boolean;
  readonly signal: AbortSignal;
}

/** The controller writes its verdict to the same object: a lost race is tried again. */
const MAX_TRIES = 10;

/** False when the request was decided that way before. */
async function decide(client: KubeClient, name: string, wish: Wish): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const csr = await client.get<CertificateSigningRequest>(CSRS, { name }, { signal: wish.signal });
    if (findCondition(csr, wish.decision.type) !== undefined) return false;
    requireOpen(csr, wish);
    try {
      await client.update(CSRS, withCondition(csr, wish), { subresource: "approval", signal: wish.signal });
      return true;
    } catch (error) {
      if (!isFault(error, "conflict") || tries === MAX_TRIES) throw error;
    }
  }
}

function requireOpen(csr: CertificateSigningRequest, { decision, isForced }: Wish): void {
  const { name = "" } = csr.metadata;
  if (findCondition(csr, decision.opposite) !== undefined) {
    throw new Fault(
      "conflict",
      `request ${name} is already ${decision.opposite.toLowerCase()}, and that cannot be taken back`,
      {
        retryable: false,
      },
    );
  }
  const verdict = verdictOn(csr);
  if (decision.type !== "Approved" || isForced || verdict?.verdict !== "Deny") return;
  throw new Fault(
    "denied",
    `request ${name} is refused by ${verdict.rule}: ${verdict.message}; --anyway approves it all the same`,
  );
}

function withCondition(csr: CertificateSigningRequest, { decision, message }: Wish): CertificateSigningRequest {
  const condition: CsrCondition = { type: decision.type, status: "True", reason: decision.reason, message };
  return { ...csr, status: { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] } };
}
