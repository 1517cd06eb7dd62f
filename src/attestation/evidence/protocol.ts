// Which protocol a piece of evidence speaks: `<provider>/<version>`, the content of the second PEM block.
import { Fault } from "../../kernel/outcome/index.ts";

export interface Protocol {
  readonly provider: string;
  /** 1 to 999; zero only for the seed's form without a provider block. */
  readonly version: number;
}

const PROTOCOL = /^([a-z][a-z0-9-]{0,31})\/([1-9][0-9]{0,2})$/;
const PROVIDER = /^[a-z][a-z0-9-]{0,31}$/;

export function parseProtocol(text: string): Protocol {
  const match = PROTOCOL.exec(text);
  if (match === null) throw new Fault("malformed", "protocol must be a provider, a slash and a version from 1 to 999");
  return { provider: match[1] ?? "", version: Number(match[2]) };
}

export function encodeProtocol({ provider, version }: Protocol): string {
  return `${provider}/${version}`;
}

export function isProviderName(text: string): boolean {
  return PROVIDER.test(text);
}
