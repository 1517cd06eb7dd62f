import { describe, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import type { ChangeHandler } from "../../platform/kube/index.ts";
import { fixedAuthority } from "./authorities.ts";
import { clusterCaSecret, onlyOwnCa, TRUST_CONFIG_MAP } from "./cluster-authority.ts";

const own = anAuthority();
const other = anAuthority();
const csr = aCsr();

/** The CA of `own`, and what the API server says of the CAs that it takes. */
function stage({ hasSynced = true } = {}) {
  const handlers: ChangeHandler<ConfigMap>[] = [];
  const trust = {
    hasSynced: () => hasSynced,
    onChange: (handler: ChangeHandler<ConfigMap>) => {
      handlers.push(handler);
      return () => undefined;
    },
  };
  const publish = (bundle: string | undefined, type: "ADDED" | "MODIFIED" | "DELETED" = "MODIFIED") => {
    const data: Record<string, string> = bundle === undefined ? {} : { "client-ca-file": bundle };
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: TRUST_CONFIG_MAP, data };
    for (const handler of handlers) handler({ type, object });
  };
  return { authorities: onlyOwnCa({ authorities: fixedAuthority(own), trust }), publish };
}

describe("the CA of a workload cluster", () => {
  it("is in the Secret that Cluster API keeps beside the Cluster", () => {
    expect(clusterCaSecret({ namespace: "fleet", name: "east" })).toEqual({ namespace: "fleet", name: "east-ca" });
  });

  it.each<[string, string]>([
    ["alone", own.certPem],
    ["beside another, while a CA is exchanged", `${other.certPem}${own.certPem}`],
    [
      "beside something that cannot be read",
      `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${own.certPem}`,
    ],
  ])("signs where the API server takes client certificates of it, %s", (_, bundle) => {
    const { authorities, publish } = stage();
    publish(bundle, "ADDED");
    expect(authorities.of(csr)).toBe(authorities.of(csr));
    expect(authorities.standing?.()).toEqual({ canSign: true, says: "usable" });
  });

  it.each<[string, string | undefined]>([
    ["takes those of another CA", other.certPem],
    ["takes none", undefined],
  ])("does not sign where the API server %s", (_, bundle) => {
    const { authorities, publish } = stage();
    publish(bundle, "ADDED");
    expect(() => authorities.of(csr)).toThrow(/the CA is that of another cluster/);
    expect(authorities.standing?.()).toMatchObject({
      canSign: false,
      says: expect.stringContaining("another cluster"),
    });
  });

  it("does not sign before it is known what the API server takes, and stops when that changes", () => {
    const early = stage({ hasSynced: false });
    expect(() => early.authorities.of(csr)).toThrow(/not known yet/);
    const { authorities, publish } = stage();
    const told: string[] = [];
    authorities.onChange?.(() => told.push("changed"));
    publish(own.certPem, "ADDED");
    expect(authorities.of(csr)).toBeDefined();
    publish(other.certPem);
    expect(() => authorities.of(csr)).toThrow(/another cluster/);
    expect(told).toHaveLength(2);
  });

  it("signs where the API server publishes nothing to compare with", () => {
    const { authorities } = stage();
    expect(authorities.of(csr)).toBeDefined();
  });

  it("does not forget what the API server takes when that is deleted", () => {
    const { authorities, publish } = stage();
    publish(other.certPem, "ADDED");
    publish(undefined, "DELETED");
    expect(() => authorities.of(csr)).toThrow(/another cluster/);
  });
});
