import { describe, expect, it } from "vitest";
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../../../api/core/index.ts";
import type { KubeObject } from "../../../../api/meta/index.ts";
import { describeError, type FieldError } from "../../field-error.ts";
import { storageClassStrategy, volumeAttachmentStrategy } from "./attachment.ts";
import { csiNodeStrategy } from "./csi.ts";
import { persistentVolumeStrategy } from "./persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "./persistent-volume-claim.ts";

const FACTS = { user: { username: "jane", groups: [] }, nowMs: 0, list: () => [] };
const texts = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${describeError(error)}`);
const base = <T extends KubeObject>(more: object): T =>
  ({ kind: "", apiVersion: "", metadata: { name: "x" }, ...more }) as unknown as T;

describe("a PersistentVolume", () => {
  const aVolume = (more: object = {}) =>
    persistentVolumeStrategy.prepareCreate(
      base<PersistentVolume>({
        spec: { capacity: { storage: "1024Mi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, ...more },
      }),
      FACTS,
    );

  it("is kept, in filesystem mode, with its size in one form", () => {
    expect(aVolume()).toMatchObject({
      spec: { capacity: { storage: "1Gi" }, persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
    expect(persistentVolumeStrategy.validateCreate(aVolume())).toEqual([]);
  });

  it("has exactly one place where its bytes are", () => {
    expect(texts(persistentVolumeStrategy.validateCreate(aVolume({ nfs: {} })))).toEqual([
      "spec.nfs: Forbidden: may not specify more than 1 volume type",
    ]);
    const [error] = texts(persistentVolumeStrategy.validateUpdate(aVolume({ hostPath: { path: "/y" } }), aVolume()));
    expect(error).toMatch(/^spec.persistentvolumesource: Forbidden: .* is immutable after creation/);
  });

  it("shows who has it", () => {
    const claimed = aVolume({ claimRef: { namespace: "n", name: "c" } });
    expect(persistentVolumeStrategy.table.cells(claimed, 0).slice(1, 6)).toEqual([
      "1Gi",
      "RWO",
      "Retain",
      "Pending",
      "n/c",
    ]);
  });
});

describe("a PersistentVolumeClaim", () => {
  const aClaim = (spec: object = {}, status: object = { phase: "Pending" }) =>
    base<PersistentVolumeClaim>({
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        volumeMode: "Filesystem",
        ...spec,
      },
      status,
    });
  const size = (storage: string) => ({ resources: { requests: { storage } } });
  const bound = aClaim({ volumeName: "v" }, { phase: "Bound", capacity: { storage: "1Gi" } });
  const change = (next: PersistentVolumeClaim, current: PersistentVolumeClaim) =>
    texts(persistentVolumeClaimStrategy.validateUpdate(next, current));

  it("is bound once", () => {
    expect(change(aClaim({ volumeName: "v" }), aClaim())).toEqual([]);
    expect(change(aClaim({ volumeName: "w" }), bound)[0]).toMatch(/^spec: Forbidden: spec is immutable after creation/);
  });

  it("grows only when it is bound, and never shrinks below what it has", () => {
    expect(change({ ...bound, spec: { ...bound.spec, ...size("2Gi") } }, bound)).toEqual([]);
    expect(change(aClaim(size("2Gi")), aClaim())[0]).toMatch(/^spec: Forbidden: spec is immutable/);
    expect(change({ ...bound, spec: { ...bound.spec, ...size("512Mi") } }, bound)).toEqual([
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
    ]);
  });
});

describe("a CSINode", () => {
  const aNode = (...drivers: readonly object[]) =>
    csiNodeStrategy.prepareCreate(base<CsiNode>({ spec: { drivers } }), FACTS);
  const driver = { name: "d.example.com", nodeID: "i" };

  it("keeps what a driver said about itself, but for the number of volumes", () => {
    const current = aNode({ ...driver, allocatable: { count: 1 } });
    expect(csiNodeStrategy.validateUpdate(aNode({ ...driver, allocatable: { count: 2 } }), current)).toEqual([]);
    expect(csiNodeStrategy.validateUpdate(aNode(), current)).toEqual([]);
    const [error] = texts(csiNodeStrategy.validateUpdate(aNode({ ...driver, nodeID: "j" }), current));
    expect(error).toMatch(/^spec.drivers: Invalid value: .*: field is immutable$/);
  });

  it("names each driver once", () => {
    expect(texts(csiNodeStrategy.validateCreate(aNode(driver, driver)))).toEqual([
      'spec.drivers[1].name: Duplicate value: "d.example.com"',
    ]);
  });
});

describe("the other storage kinds", () => {
  it("a VolumeAttachment is as it was made", () => {
    const spec = { attacher: "d.example.com", nodeName: "n1", source: { persistentVolumeName: "v" } };
    const current = volumeAttachmentStrategy.prepareCreate(
      base<VolumeAttachment>({ spec, status: { attached: true } }),
      FACTS,
    );
    expect(current.status).toEqual({ attached: false });
    expect(volumeAttachmentStrategy.validateCreate(current)).toEqual([]);
    const moved = { ...current, spec: { ...spec, nodeName: "n2" } };
    expect(texts(volumeAttachmentStrategy.validateUpdate(moved, current))).toEqual([
      expect.stringMatching(/^spec: Invalid value: .*: field is immutable$/),
    ]);
  });

  it("a StorageClass says which is the default", () => {
    const named = base<StorageClass>({
      metadata: { name: "fast", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "p",
    });
    expect(storageClassStrategy.table.cells(storageClassStrategy.prepareCreate(named, FACTS), 0).slice(0, 5)).toEqual([
      "fast (default)",
      "p",
      "Delete",
      "Immediate",
      false,
    ]);
  });
});
