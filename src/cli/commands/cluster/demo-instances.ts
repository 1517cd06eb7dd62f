// The machines of the demonstration without TPMs: instances of a small platform. Provider and verifier are the example
// in examples/instance-identity, bundled with the build (tools/bundle.mjs) and loaded as any provider's package is.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createSdkProvider,
  createSdkVerifier,
  makeProvider,
  makeVerifier,
  type NodeAttestationProvider,
} from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { shippedPath } from "../../../plane/index.ts";
import { atomicWriteFile } from "../../../platform/files/index.ts";
import { type DemoMachines, type DemoWorld, MEMBERS, STRANGER } from "./demo-machines.ts";

const EXAMPLE = "instance-identity";
/** Of the platform below. */
const [ACCOUNT, REGION] = ["1234", "north-1"];

/** The example's small platform (testing/metadata-server.ts): only the instance itself reaches its metadata server. */
interface Platforms {
  aPlatform(): { readonly keysFile: string };
  startMetadataServer(instance: object): Promise<MetadataServer>;
}

interface MetadataServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startInstances({ directory, signal }: DemoWorld): Promise<DemoMachines> {
  const { aPlatform, startMetadataServer } = (await load("platform")) as Platforms;
  const platform = aPlatform();
  const keysFile = join(directory, "platform-keys.json");
  await atomicWriteFile(keysFile, platform.keysFile, { mode: 0o600 });
  const settings = { keysFile, accounts: [ACCOUNT], regions: [REGION] };
  const verifier = await makeVerifier(() => load("verifier"), EXAMPLE, settings);
  const servers: MetadataServer[] = [];
  const close = async () => {
    for (const server of servers) await server.close();
  };
  const providers = new Map<string, NodeAttestationProvider>();
  try {
    for (const machine of [...MEMBERS, STRANGER]) {
      const instanceId = `i-${machine}`;
      const server = await startMetadataServer({ platform, instanceId, accountId: ACCOUNT, region: REGION });
      servers.push(server);
      const provider = await makeProvider(() => load("node"), EXAMPLE, { metadataUrl: server.url });
      providers.set(machine, createSdkProvider(provider));
    }
  } catch (failure) {
    await close();
    throw failure;
  }
  const providerOf = (machine: string) => providers.get(machine) ?? missing(`machine ${machine}`);
  return {
    providerOf,
    identityOf: async (machine) => {
      const providerId = await providerOf(machine).providerId?.(machine, signal);
      return { providerId: providerId ?? missing("provider ID") };
    },
    verifiers: [createSdkVerifier(verifier)],
    mayServe: false,
    words: [`${MEMBERS.join(", ")} enrolled by their instance ids`, "ready"],
    hint:
      "swtpm is not installed, so the machines were instances of a small platform (examples/instance-identity);\n" +
      "  to see them prove themselves with TPMs: apt install swtpm, or dnf install swtpm",
    close,
  };
}

/** A single file has nothing beside it, as tools/single-file.mjs says. */
async function load(module: "node" | "verifier" | "platform"): Promise<unknown> {
  try {
    return await import(pathToFileURL(shippedPath(`examples/${EXAMPLE}/${module}.js`)).href);
  } catch (cause) {
    const todo = "use the npm installation of countersign, or npm run build in a clone";
    throw new Fault("unsupported", `the example provider ${EXAMPLE} is not beside this program`, {
      cause,
      detail: { todo },
    });
  }
}

function missing(what: string): never {
  throw new Fault("internal", `the demonstration has no ${what}`);
}
