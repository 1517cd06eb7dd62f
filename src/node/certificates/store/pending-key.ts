// The key of a request that nobody has answered yet. It is on disk before the request goes out, because a certificate for a
// key that was lost is of no use to anybody, and it stays until its certificate is stored.

import { isFault } from "../../../kernel/outcome/index.ts";
import { parsePrivateKey } from "../../../platform/keys/index.ts";
import { entryAt, moveAside, type Place } from "./place.ts";

/** Unreadable, it is moved aside and the node makes a new one (differs from upstream: kubelet stops until it is removed). */
export async function loadPendingKey(place: Place): Promise<string | undefined> {
  const { layout, fileSystem } = place;
  const path = layout.pendingKeyPath;
  if ((await entryAt(place, path)) === "link") {
    await moveAside(place, path, "it is a link, and a key is never stored behind one");
    return undefined;
  }
  try {
    const pem = (await fileSystem.read(path)).toString("utf8");
    parsePrivateKey(pem);
    return pem;
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    if (!isFault(error) || error.code === "io-failed") throw error;
    await moveAside(place, path, error.message);
    return undefined;
  }
}
