// Service. Addresses and node ports that it needs and does not name are allocated from the cluster's ranges.

import type { Service, ServicePort } from "../../../../api/core/index.ts";
import { SERVICES } from "../../../../api/meta/index.ts";
import { dnsLabel } from "../../names.ts";
import { defineStrategy, SUBRESOURCE_VERBS, type WriteFacts } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../../table.ts";
import { allocated, allocationErrors } from "./service-addresses.ts";
import { carriedOver, statusOf, withFamilies, withServiceDefaults, writtenStatusOf } from "./service-defaults.ts";
import { serviceChangeErrors, serviceErrors } from "./service-errors.ts";

function servicesOf(facts: WriteFacts): readonly Service[] {
  return facts.list(SERVICES) as readonly Service[];
}

/** An address given alone is the first of the addresses. */
function normalized(service: Service): Service {
  const spec = withServiceDefaults(service.spec ?? {});
  const { clusterIP = "", clusterIPs = [] } = spec;
  const plural = clusterIP !== "" && clusterIPs.length === 0 ? { clusterIPs: [clusterIP] } : {};
  return { ...service, spec: { ...spec, ...plural } };
}

export const serviceStrategy = defineStrategy<Service>({
  resource: SERVICES,
  shortNames: ["svc"],
  categories: ["all"],
  nameRule: dnsLabel,
  createsOnUpdate: true,
  answersDeleteWithObject: true,
  writesInTurn: true,
  filledIn: ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"],
  prepareCreate: (sent, facts) => {
    const service = normalized(sent);
    const spec = withFamilies(service.spec ?? {});
    return allocated({ ...service, spec, status: { loadBalancer: {} } }, servicesOf(facts));
  },
  validateCreate: ({ spec = {} }) => serviceErrors(spec),
  prepareUpdate: (sent, current, facts) => {
    const spec = withFamilies(carriedOver(withServiceDefaults(sent.spec ?? {}), current.spec ?? {}));
    const status = spec.type === "LoadBalancer" ? statusOf(current) : { ...statusOf(current), loadBalancer: {} };
    return allocated({ ...sent, spec, status }, servicesOf(facts));
  },
  validateUpdate: ({ spec = {} }, current) => [
    ...serviceChangeErrors(spec, current.spec ?? {}),
    ...serviceErrors(spec),
  ],
  conflicts: (next, facts) => allocationErrors(next, servicesOf(facts)),
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => {
        const { spec = {} } = current;
        return { ...sent, spec, status: writtenStatusOf(sent, spec) };
      },
      validateUpdate: () => [],
    },
  ],
  selectableFields: ({ spec = {} }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
  table: serviceTable(),
});

function serviceTable(): TableLayout<Service> {
  return {
    columns: [
      NAME_COLUMN,
      column("Type"),
      column("Cluster-IP"),
      column("External-IP"),
      column("Port(s)"),
      column("Age"),
      column("Selector", 1),
    ],
    cells: (service, nowMs) => {
      const { spec = {} } = service;
      return [
        nameOf(service),
        spec.type ?? "",
        spec.clusterIPs?.[0] ?? "<none>",
        externalCell(service),
        (spec.ports ?? []).map(portCell).join(",") || "<none>",
        ageCell(service, nowMs),
        selectorCell(spec.selector ?? {}),
      ];
    },
  };
}

function externalCell(service: Service): string {
  const { type = "", externalIPs = [], externalName = "" } = service.spec ?? {};
  if (type === "ExternalName") return externalName;
  if (type !== "LoadBalancer") return externalIPs.join(",") || "<none>";
  const ingress = (statusOf(service).loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  const known = [...new Set(ingress.filter((one) => one !== ""))].sort();
  return [...known, ...externalIPs].join(",") || "<pending>";
}

function portCell({ port = 0, nodePort = 0, protocol = "" }: ServicePort): string {
  return nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function selectorCell(selector: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(",") || "<none>";
}
