// `countersign node status`: what this machine holds, from its own disk alone. Ends with 0 when a certificate is valid.

import { certificateFact, loadKnownCluster, lookAt, span } from "../../../node/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { readThisNode, THIS_NODE_OPTIONS, type ThisNode } from "./this-node.ts";

const EXIT_NOT_JOINED = 1;

export const nodeStatus: Command = {
  options: [...THIS_NODE_OPTIONS, OUTPUT_OPTION],
  run: async (context, { options }) => {
    const form = outputForm(options);
    const status = await readStatus(context, await readThisNode(options));
    context.terminal.out(form === "json" ? `${JSON.stringify(status)}\n` : statusText(status));
    return status.joined ? 0 : EXIT_NOT_JOINED;
  },
};

async function readStatus({ clock, env }: CommandContext, { directory, nodeName, places }: ThisNode) {
  const certificate = certificateFact(lookAt(places));
  const load = (path: string) => loadKnownCluster(path, env);
  const cluster = (await load(places.kubeconfigPath)) ?? (await load(places.bootstrapPath));
  const leftMs = certificate.kind === "present" ? certificate.notAfterMs - clock.now() : 0;
  return {
    nodeName,
    directory,
    joined: leftMs > 0,
    server: cluster?.server ?? null,
    certificate:
      certificate.kind === "present"
        ? { ...certificate, notAfter: new Date(certificate.notAfterMs).toISOString(), leftMs }
        : certificate,
    kubeconfig: places.kubeconfigPath,
    execKubeconfig: places.execKubeconfigPath,
  };
}

type Status = Awaited<ReturnType<typeof readStatus>>;

function statusText(status: Status): string {
  return [
    `node          ${plainText(status.nodeName)}`,
    `cluster       ${status.server === null ? "none" : plainText(status.server)}`,
    `certificate   ${certificateText(status.certificate)}`,
    ...(status.certificate.kind === "present" && status.certificate.isSealed
      ? ["key           sealed by the TPM"]
      : []),
    `files         ${plainText(status.directory)}`,
    ...(status.joined ? [] : ["do            countersign node doctor says what is missing"]),
    "",
  ].join("\n");
}

function certificateText(certificate: Status["certificate"]): string {
  if (certificate.kind === "absent") return "none";
  if (certificate.kind === "damaged") return `unusable: ${plainText(certificate.why)}`;
  const { nodeUser, notAfter, leftMs } = certificate;
  const when = leftMs > 0 ? `${span(leftMs)} left` : `ended ${span(-leftMs)} ago`;
  return `${plainText(nodeUser)} until ${notAfter} (${when})`;
}
