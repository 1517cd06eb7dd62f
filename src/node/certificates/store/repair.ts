// Repairs what a crash, a kubelet or an editor left behind. The caller holds the lock. In order:
//   an interrupted switch is finished · left-overs of unfinished writes are removed · a current file that no kubelet
//   could start with, or of another node, is moved aside · a regular current file becomes a link, because a kubelet
//   never rotates a regular file.

import { removeLeftovers } from "../../../platform/files/index.ts";
import { encodePair, keyBlockOf } from "../../../platform/pair/index.ts";
import { type CurrentPair, loadCurrentPair } from "../current.ts";
import { entryAt, moveAside, type Place } from "./place.ts";
import { clearUpdated, writePair } from "./write-pair.ts";

/** `owner` is the common name that the pair must have; left out, any name will do. */
export async function repairStore(place: Place, owner?: string): Promise<void> {
  const { layout, fileSystem } = place;
  await finishSwitch(place);
  const { currentPath, pendingKeyPath, lockPath, exchangePath, pacePath } = layout;
  for (const path of [currentPath, pendingKeyPath, lockPath, exchangePath, pacePath]) {
    await removeLeftovers(path, fileSystem);
  }
  const current = look(place);
  const why =
    current.kind === "present" ? foreign(current, owner) : current.kind === "damaged" ? current.why : undefined;
  if (why !== undefined) return moveAside(place, layout.currentPath, why);
  if (current.kind === "present" && (await entryAt(place, layout.currentPath)) === "other") {
    await writePair(place, encodePair(current.pair.certificatePem, keyBlockOf(current.pair)));
  }
}

/** The link of an interrupted switch becomes the current one only if there is none; otherwise it is removed. */
async function finishSwitch(place: Place): Promise<void> {
  const { layout, fileSystem } = place;
  const isNeeded = look(place).kind === "absent" && (await entryAt(place, layout.updatedPath)) === "link";
  if (!isNeeded) return clearUpdated(place);
  await fileSystem.rename(layout.updatedPath, layout.currentPath);
  await fileSystem.sync(layout.directory);
}

function look({ layout, purpose }: Place): CurrentPair {
  return loadCurrentPair(layout.directory, purpose);
}

function foreign({ pair }: CurrentPair & { kind: "present" }, owner: string | undefined): string | undefined {
  if (owner === undefined || pair.commonName === owner) return undefined;
  return `it is the certificate of ${JSON.stringify(pair.commonName)}, expected ${JSON.stringify(owner)}`;
}
