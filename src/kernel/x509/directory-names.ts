// The directory names among a certificate's alternative names (RFC 5280 §4.2.1.6). Makers of TPMs write manufacturer, model and version
// of the chip there (TCG EK Credential Profile §3.2.9), and often nothing in the subject.
import { readWholeSequence } from "../der/index.ts";
import { type Extension, findExtension } from "./extensions/extension.ts";
import { readGeneralNames } from "./general-names.ts";
import { type Name, parseName } from "./name.ts";
import { OID_SUBJECT_ALT_NAME } from "./oids.ts";

export function directoryNamesOf({ extensions }: { readonly extensions: readonly Extension[] }): readonly Name[] {
  const extension = findExtension(extensions, OID_SUBJECT_ALT_NAME);
  if (extension === undefined) return [];
  const names = readWholeSequence(extension.value, readGeneralNames);
  return names.flatMap((name) => (name.kind === "directory" ? [parseName(name.name)] : []));
}
