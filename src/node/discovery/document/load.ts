// A cluster-info document that came out of band: from a file, or from standard input. Files that it points to are read
// here: an operator who names a file means what it refers to.

import { dirname, resolve } from "node:path";
import { type Kubeconfig, type KubeconfigUser, parseKubeconfig } from "../../../api/kubeconfig/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../../platform/files/index.ts";
import { type DiscoveredCluster, untrusted } from "../cluster.ts";
import type { FileMethod } from "../method.ts";
import type { DiscoverDeps } from "../wait.ts";
import { DOCUMENT_MAX_CHARACTERS, judgeDocument } from "./judge.ts";

export async function loadDocument(method: FileMethod, deps: DiscoverDeps): Promise<DiscoveredCluster> {
  const { path, caPins, clusterId, withCredentials } = method;
  const isStdin = path === "-";
  const text = isStdin ? await readStdin(deps) : await loadText(path);
  const directory = isStdin ? undefined : dirname(resolve(path));
  const verdict = judgeDocument({
    text,
    what: isStdin ? "the document on standard input" : `the file ${path}`,
    caPins,
    clusterId,
    withCredentials,
    caFilePem: directory === undefined ? undefined : await loadCaFile(text, directory),
  });
  if (verdict.kind === "Deny") throw untrusted(verdict);
  return { ...verdict.cluster, user: withAbsolutePaths(verdict.cluster.user, directory) };
}

async function readStdin({ readStdin: read }: DiscoverDeps): Promise<string> {
  if (read === undefined) throw new Fault("bad-config", "there is no standard input to read the document from");
  return await read();
}

async function loadText(path: string): Promise<string> {
  const bytes = await nodeFileSystem.read(path);
  // Four bytes are the longest that one character takes.
  if (bytes.length > 4 * DOCUMENT_MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `the file ${path} is longer than ${4 * DOCUMENT_MAX_CHARACTERS} bytes`);
  }
  return bytes.toString("utf8");
}

async function loadCaFile(text: string, directory: string): Promise<string | undefined> {
  const paths = parseOrNothing(text)?.clusters.flatMap(({ cluster }) => cluster["certificate-authority"] || []) ?? [];
  const [path] = paths;
  return path === undefined ? undefined : await loadText(resolve(directory, path));
}

/** What cannot be read is refused by the judge, with the reason. */
function parseOrNothing(text: string): Kubeconfig | undefined {
  try {
    return parseKubeconfig(text, { maxCharacters: DOCUMENT_MAX_CHARACTERS });
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function withAbsolutePaths(
  user: KubeconfigUser | undefined,
  directory: string | undefined,
): KubeconfigUser | undefined {
  if (user === undefined || directory === undefined) return user;
  const { "client-certificate": certificate, "client-key": key } = user;
  return {
    ...user,
    ...(certificate ? { "client-certificate": resolve(directory, certificate) } : {}),
    ...(key ? { "client-key": resolve(directory, key) } : {}),
  };
}
