// A real disk that is full, and one that is read-only: a small tmpfs in a mount namespace of its own, and the built
// program on it. Nothing that was there is lost, the message names the reason, and the next run succeeds.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeKubeconfigFile } from "../builders/kubeconfig-file.ts";
import { type JoinableCluster, startJoinableCluster } from "../fakes/joinable-cluster.ts";
import { notRun } from "../not-run.ts";
import { programPath } from "./program.ts";

const noDisks = process.getuid?.() === 0 ? undefined : "only root mounts disks";

/** $1 is the mount point; the rest is the renewal. After each: its exit code, and what the link leads to. */
const SCRIPT = `
set -u
dir=$1; shift
mount -t tmpfs -o size=64k tmpfs "$dir" || exit 99
look() { echo "$1 code=$2 target=$(readlink "$dir/pki/kubelet-client-current.pem")"; }
"$@" >&2; look first $?
dd if=/dev/zero of="$dir/filler" bs=4k 2>/dev/null
"$@" 2>"$dir.full" >&2; look full $?
echo "said $(cat "$dir.full")" | tr '\\n' ' '; echo
rm "$dir/filler"
"$@" >&2; look freed $?
mount -o remount,ro "$dir"
"$@" 2>"$dir.readonly" >&2; look readonly $?
echo "said $(cat "$dir.readonly")" | tr '\\n' ' '; echo
mount -o remount,rw "$dir"
"$@" >&2; look writable $?
ls -A "$dir/pki"
`;

describe.skipIf(notRun("real full and read-only disks", noDisks))("countersign node renew on a real disk", () => {
  const root = mkdtempSync(join(tmpdir(), "node-disk-"));
  let cluster: JoinableCluster;
  beforeAll(async () => {
    cluster = await startJoinableCluster();
    writeKubeconfigFile(join(root, "bootstrap"), cluster.api, { token: cluster.token });
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(root, { recursive: true, force: true });
  });

  it("that is full or read-only keeps what it has, says why and goes on afterwards", async () => {
    const mountPoint = mkdtempSync(join(root, "disk-"));
    const renew = [
      ...[process.execPath, programPath("countersign"), "node", "renew", "--node-name=worker-1"],
      ...[
        `--cert-dir=${mountPoint}/pki`,
        `--kubeconfig=${root}/kubeconfig`,
        `--bootstrap-kubeconfig=${root}/bootstrap`,
      ],
    ];
    const args = ["--mount", "--propagation=private", "sh", "-c", SCRIPT, "sh", mountPoint, ...renew];
    const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const seen = Object.fromEntries(
      [...out.matchAll(/^(\w+) code=(\d+) target=(.*)$/gm)].map(([, step, code, target]) => [step, { code, target }]),
    );
    expect(seen["first"], err).toMatchObject({ code: "0" });
    expect(seen["full"]).toEqual({ code: "74", target: seen["first"]?.target });
    expect(out).toMatch(/said .*no space is left on the device \(ENOSPC\)/);
    expect(seen["freed"]).toMatchObject({ code: "0" });
    expect(seen["freed"]?.target).not.toBe(seen["first"]?.target);
    expect(seen["readonly"]).toEqual({ code: "74", target: seen["freed"]?.target });
    expect(out).toMatch(/said .*the file system is read-only \(EROFS\)/);
    expect(seen["writable"]).toMatchObject({ code: "0" });
    expect(out).not.toMatch(/^\.|damaged|updated|key\.tmp/m);
  });
});
