// A container image of one static program, as an OCI archive that containerd imports: no registry, nothing pulled.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import { runCommand } from "./command.ts";

/** The name by which manifests call it. */
export const PAUSE_IMAGE = "countersign.test/pause:1";

/** `/pause [FILE]`: writes the file, then waits. Returns the path of the archive. */
export async function buildPauseImage(dir: string): Promise<string> {
  const home = join(dir, "image");
  await mkdir(join(home, "root"), { recursive: true });
  await mkdir(join(home, "oci", "blobs", "sha256"), { recursive: true });
  await copyFile(locateBinary("pause").path, join(home, "root", "pause"));
  const layerPath = join(home, "layer.tar");
  await tar(layerPath, join(home, "root"));
  const put = async (bytes: Buffer, mediaType: string) => {
    const hex = createHash("sha256").update(bytes).digest("hex");
    await writeFile(join(home, "oci", "blobs", "sha256", hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  };
  const putJson = (value: object, type: string) =>
    put(Buffer.from(JSON.stringify(value)), `application/vnd.oci.image.${type}.v1+json`);
  const layer = await put(await readFile(layerPath), "application/vnd.oci.image.layer.v1.tar");
  const config = await putJson(
    {
      architecture: process.arch === "arm64" ? "arm64" : "amd64",
      os: "linux",
      config: { Entrypoint: ["/pause"] },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    },
    "config",
  );
  const manifest = await putJson({ schemaVersion: 2, config, layers: [layer] }, "manifest");
  // The annotations name the image when it is imported.
  const annotations = { "io.containerd.image.name": PAUSE_IMAGE, "org.opencontainers.image.ref.name": "1" };
  await writeFile(
    join(home, "oci", "index.json"),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  );
  await writeFile(join(home, "oci", "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
  const archive = join(home, "pause.tar");
  await tar(archive, join(home, "oci"));
  return archive;
}

async function tar(archive: string, folder: string): Promise<void> {
  const { code, stderr } = await runCommand("tar", ["-cf", archive, "--owner=0", "--group=0", "-C", folder, "."]);
  if (code !== 0) throw new Error(`tar: ${stderr}`);
}
