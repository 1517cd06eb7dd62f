// One client of a server that is going to be killed: it writes one ConfigMap over and over, by every verb, and
// remembers what was answered and what was still on its way. Afterwards it can say whether what is stored is one of the
// two.

import { expect } from "vitest";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS } from "../../src/api/meta/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";

/** What a write makes of the object: a step's content, or nothing. */
type Content = number | "absent";

export interface CrashWriter {
  readonly name: string;
  /** Newest resourceVersion that was answered. */
  newest(): number;
  /** Writes until the server is gone. Any other failure is thrown. */
  write(client: KubeClient): Promise<void>;
  /** `found` is what the server that came back has under the name. */
  judge(found: ConfigMap | undefined): void;
}

/** Some pages of the database, repeating the step, so that a half-written object would show. */
const fillerOf = (step: Content) => `${step},`.repeat(500);

export function createCrashWriter(name: string): CrashWriter {
  let step = 0;
  let newest = 0;
  let stored: ConfigMap | undefined;
  let acknowledged: Content = "absent";
  let onItsWay: Content = "absent";

  const content = (): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { step: String(step), filler: fillerOf(step) },
  });
  const versionOf = (object: ConfigMap | undefined) => Number(object?.metadata.resourceVersion);

  /** In turn: create, replace, patch, replace, patch, …, delete. */
  async function writeOnce(client: KubeClient): Promise<ConfigMap | undefined> {
    const target = { namespace: "default", name };
    if (stored === undefined) return client.create(CONFIG_MAPS, content());
    if (onItsWay === "absent") return client.delete(CONFIG_MAPS, target).then(() => undefined);
    if (step % 2 === 0) return client.patch(CONFIG_MAPS, target, { data: content().data });
    const { resourceVersion = "" } = stored.metadata;
    const object = content();
    return client.update(CONFIG_MAPS, { ...object, metadata: { ...object.metadata, resourceVersion } });
  }

  /** False once the server is gone. */
  async function tryWrite(client: KubeClient): Promise<boolean> {
    try {
      stored = await writeOnce(client);
    } catch (failure) {
      if (isFault(failure, "unavailable") || isFault(failure, "aborted")) return false;
      throw failure;
    }
    acknowledge();
    return true;
  }

  async function write(client: KubeClient): Promise<void> {
    do {
      step += 1;
      onItsWay = step % 7 === 0 && stored !== undefined ? "absent" : step;
    } while (await tryWrite(client));
  }

  function acknowledge(): void {
    acknowledged = onItsWay;
    if (stored === undefined) return;
    expect(versionOf(stored), `resourceVersion of ${name}`).toBeGreaterThan(newest);
    newest = versionOf(stored);
  }

  function judge(found: ConfigMap | undefined): void {
    const seen: Content = found === undefined ? "absent" : Number(found.data?.["step"]);
    expect([acknowledged, onItsWay], `${name} after the crash`).toContain(seen);
    if (found !== undefined) {
      expect(found.data?.["filler"]).toBe(fillerOf(seen));
      if (seen === acknowledged) expect(versionOf(found)).toBe(newest);
      else expect(versionOf(found)).toBeGreaterThan(newest);
      newest = versionOf(found);
    }
    stored = found;
    acknowledged = seen;
  }

  return { name, newest: () => newest, write, judge };
}
