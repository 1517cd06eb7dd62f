import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { CSRS, type KubeObject, NODES } from "../api/meta/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import { showOwnAnswers } from "./own-answers.ts";

const answer: KubeObject = { apiVersion: "v1", kind: "Any", metadata: { name: "one", resourceVersion: "2" } };

it("the answers to writes of the kind are shown, after whoever wrote has gone on; those of other kinds are not", async () => {
  const shown: KubeObject[] = [];
  const client = { update: async () => answer, patch: async () => answer } as unknown as KubeClient;
  const showing = showOwnAnswers(client, CSRS, { observe: (object) => void shown.push(object) });
  await showing.update(CSRS, answer);
  await showing.patch(CSRS, { name: "one" }, {});
  expect(shown).toEqual([]);
  await nextTurn();
  expect(shown).toEqual([answer, answer]);
  await showing.update(NODES, answer);
  await nextTurn();
  expect(shown).toHaveLength(2);
});
