import { describe, expect, it } from "vitest";
import type { Secret } from "../../api/core/index.ts";
import { Fault, type Seen } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { createTokenMachines, TOKEN_MACHINE_ANNOTATION } from "./token-machine.ts";

const USER = "system:bootstrap:abcdef";

function token(machine?: string): Secret {
  const annotations = machine === undefined ? {} : { [TOKEN_MACHINE_ANNOTATION]: machine };
  const metadata = { name: "bootstrap-token-abcdef", namespace: "kube-system", annotations };
  return { apiVersion: "v1", kind: "Secret", metadata };
}

interface Known {
  readonly hasSynced?: boolean;
  readonly copy?: Secret;
  readonly live?: Secret | Fault;
}

async function ask({ hasSynced = true, copy, live }: Known, username = USER): Promise<Seen<unknown>> {
  const list = async () => {
    if (live instanceof Fault) throw live;
    return { items: live === undefined ? [] : [live] };
  };
  const tokens = { hasSynced: () => hasSynced, get: () => copy };
  return await createTokenMachines({ client: { list } as unknown as KubeClient, tokens })(username);
}

describe("the Machine of a bootstrap token", () => {
  const machine = { kind: "Present", value: { namespace: "default", name: "worker-1" } };
  const rows: Readonly<Record<string, [Known, object]>> = {
    "is the one on its Secret": [{ copy: token("default/worker-1") }, machine],
    "is none where the Secret names none": [{ copy: token() }, { kind: "Absent" }],
    "is asked for where the copy is older than the token": [{ live: token("default/worker-1") }, machine],
    "is unknown, not none, until the tokens are listed": [
      { hasSynced: false, copy: token() },
      { kind: "NotRead", why: expect.stringContaining("not known yet") },
    ],
    "is unknown, not none, where the token is gone": [
      {},
      { kind: "NotRead", why: "bootstrap token abcdef is gone, or may not be read" },
    ],
    "is unknown, not none, where nobody may read it": [
      { live: new Fault("forbidden", "no") },
      { kind: "NotRead", why: expect.stringContaining("abcdef") },
    ],
    "is nobody's where the words are no Machine's": [
      { copy: token("worker-1") },
      { kind: "Present", value: { namespace: "", name: "worker-1" } },
    ],
  };
  it.each(Object.entries(rows))("%s", async (_, [known, expected]) => expect(await ask(known)).toEqual(expected));

  it("is no question for a node", async () => {
    expect(await ask({ hasSynced: false }, "system:node:worker-1")).toEqual({ kind: "Absent" });
  });

  it("is not guessed when the API server fails", async () => {
    await expect(ask({ live: new Fault("unavailable", "down") })).rejects.toMatchObject({ code: "unavailable" });
  });
});
