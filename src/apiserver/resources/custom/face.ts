// Objects are stored in one version and shown in any. Conversion None: only apiVersion changes, and fields that the
// other version does not know are pruned. Stored objects also get defaults that their definition gained later.

import type { KubeObject } from "../../../api/meta/index.ts";
import type { Face } from "../strategy.ts";
import { type Definition, storageVersionOf } from "./definition.ts";
import { type CustomSchema, pruneObject, withDefaultsAsFarAsPossible } from "./schema/index.ts";

export interface Versions {
  /** Of every version, served or not: objects may still be stored in one that is no longer served. */
  readonly schemas: ReadonlyMap<string, CustomSchema>;
  readonly storage: string;
}

export function faceOf(definition: Definition, version: string, { schemas, storage }: Versions): Face {
  const { spec } = definition;
  const group = spec.group ?? "";
  const plural = spec.names?.plural ?? "";
  const namespaced = spec.scope === "Namespaced";
  const as = (object: KubeObject, name: string): KubeObject => {
    const schema = schemas.get(name);
    const converted = { ...object, apiVersion: `${group}/${name}` };
    return schema === undefined ? converted : pruneObject(converted, schema).value;
  };
  return {
    of: { group, version: storage, plural, kind: spec.names?.kind ?? "", namespaced },
    show: (kept) => {
      const stored = versionOf(kept);
      const schema = schemas.get(stored);
      const whole = schema === undefined ? kept : withDefaultsAsFarAsPossible(pruneObject(kept, schema).value, schema);
      return stored === version ? whole : as(whole, version);
    },
    keep: (shown) => (version === storage ? shown : as(shown, storage)),
  };
}

function versionOf({ apiVersion }: KubeObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

export function versionsOf(definition: Definition, parse: (version: string) => CustomSchema): Versions {
  const names = (definition.spec.versions ?? []).map(({ name = "" }) => name);
  return {
    schemas: new Map(names.map((name) => [name, parse(name)])),
    storage: storageVersionOf(definition)?.name ?? "",
  };
}
