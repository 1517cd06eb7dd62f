// A container runtime for one real kubelet: Debian's containerd with a root, a state directory, a socket and a CNI
// configuration of its own, in a mount namespace of its own. The kubelet joins that namespace: both use paths that no
// option moves, and those must not be the machine's.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CNI_BIN_DIR, missingPackages } from "../assets/packages.mjs";
import { runCommand } from "./command.ts";
import { buildPauseImage, PAUSE_IMAGE } from "./image.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { canConnect, waitFor } from "./wait.ts";

export interface Containerd {
  readonly server: ServerProcess;
  readonly endpoint: string;
  /** Makes PAUSE_IMAGE known; nothing is pulled. */
  importPauseImage(): Promise<void>;
  /** Ends every container and removes it: they outlive the kubelet and containerd otherwise. */
  endContainers(): Promise<void>;
}

/**
 * In the namespace, whatever is written here goes elsewhere: device plugins and log links of the kubelet, shim sockets,
 * and all that kubeadm writes for a node.
 */
const SHADOWED = ["/etc", "/var/lib", "/var/log", "/run"];

/** The kubelet sets these for the whole machine; in the namespace it finds and changes copies. */
const KERNEL_SETTINGS = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "kernel/keys/root_maxbytes",
];

/** Run in the new namespace: $0 is the configuration file, $1 a directory for what is written. */
const NAMESPACE_SCRIPT = `set -e
mkdir "$1"
mount -t tmpfs tmpfs "$1"
for path in ${SHADOWED.join(" ")}; do
  mkdir -p "$1$path/upper" "$1$path/work"
  mount -t overlay overlay -o "lowerdir=$path,upperdir=$1$path/upper,workdir=$1$path/work" "$path"
done
for name in ${KERNEL_SETTINGS.join(" ")}; do
  mkdir -p "$1/\${name%/*}"
  cat "/proc/sys/$name" > "$1/$name"
  mount --bind "$1/$name" "/proc/sys/$name"
done
exec containerd --config "$0"`;

const READY_LIMIT_MS = 30_000;

export async function startContainerd(dir: string): Promise<Containerd> {
  checkHost();
  const home = join(dir, "containerd");
  const cniDir = join(home, "cni");
  const socket = join(dir, "containerd.sock");
  await mkdir(cniDir, { recursive: true });
  await writeFile(join(cniDir, "10-loopback.conflist"), cniConfig());
  const configPath = join(home, "config.toml");
  await writeFile(configPath, containerdConfig({ home, cniDir, socket }));
  const args = ["--mount", "--propagation=private", "sh", "-c", NAMESPACE_SCRIPT, configPath, join(home, "shadow")];
  const server = await startProcess({ name: "containerd", command: "unshare", args, dir });
  try {
    await waitFor({
      what: `containerd to listen on ${socket}`,
      limitMs: READY_LIMIT_MS,
      servers: [server],
      probe: async () => ((await canConnect(socket)) ? true : undefined),
    });
    const ctr = (...args: string[]) => runCtr(server, socket, args);
    return {
      server,
      endpoint: `unix://${socket}`,
      importPauseImage: async () => void (await ctr("images", "import", await buildPauseImage(dir))),
      endContainers: () => endContainers(ctr),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The runtime tidies up beside us, so a task may be gone when it is asked for: what counts is that none is left. */
async function endContainers(ctr: (...args: string[]) => Promise<string>): Promise<void> {
  const list = async () => (await ctr("tasks", "list", "--quiet")).split("\n").filter((id) => id !== "");
  await waitFor({
    what: "the containers to end",
    limitMs: READY_LIMIT_MS,
    probe: async () => {
      for (const id of await list()) await ctr("tasks", "rm", "--force", id).catch(() => "");
      return (await list()).length === 0 ? true : undefined;
    },
  });
}

/** In containerd's mount namespace, where its shims' sockets are. */
async function runCtr(server: ServerProcess, socket: string, args: readonly string[]): Promise<string> {
  const inside = ["--mount", `--target=${server.pid()}`, "--", "ctr", "--address", socket, "--namespace", "k8s.io"];
  const { code, stdout, stderr } = await runCommand("nsenter", [...inside, ...args], { limitMs: 60_000 });
  if (code !== 0) throw new Error(`ctr ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function checkHost(): void {
  if (process.getuid?.() !== 0) {
    throw new Error("a real kubelet needs root (mount namespaces, containerd); run the tests as root");
  }
  const missing = missingPackages();
  if (missing.length > 0) throw new Error(`a real kubelet needs the Debian packages ${missing.join(", ")}`);
}

/** The runtime reports a network as ready as soon as any configuration is there; pods get loopback and nothing else. */
function cniConfig(): string {
  return JSON.stringify({ cniVersion: "1.0.0", name: "loopback-only", plugins: [{ type: "loopback" }] });
}

interface Places {
  readonly home: string;
  readonly cniDir: string;
  readonly socket: string;
}

function containerdConfig({ home, cniDir, socket }: Places): string {
  const quote = (value: string) => JSON.stringify(value);
  return `version = 2
root = ${quote(join(home, "root"))}
state = ${quote(join(home, "state"))}
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = ${quote(socket)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${quote(join(home, "opt"))}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${quote(PAUSE_IMAGE)}
  restrict_oom_score_adj = true # root of a container may lack CAP_SYS_RESOURCE, which a lower score needs
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "native" # needs no overlay support under the temporary directory
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = ${quote(CNI_BIN_DIR)}
  conf_dir = ${quote(cniDir)}
`;
}
