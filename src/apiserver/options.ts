// The options of a server. Defaults are those of kube-apiserver.

import type { Clock } from "../platform/clock/index.ts";
import type { ServingCertificate } from "../platform/http/index.ts";
import type { AuditPolicy } from "./audit/policy.ts";
import type { LoopTrouble } from "./controllers/index.ts";
import type { RequestLimits } from "./limits/gate.ts";
import type { RequestLine } from "./reply/stage.ts";
import type { Storage } from "./storage/storage.ts";

export interface ApiServerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random?: (count: number) => Uint8Array;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The address that is published in Endpoints. Default: the host, unless other machines cannot reach it. */
  readonly advertiseAddress?: string;
  /** Default: 4,096. */
  readonly connectionsPerAddress?: number;
  /** A connection was refused because its peer has too many. */
  readonly onRefusedConnection?: (peer: string) => void;
  readonly servingCertificate: ServingCertificate;
  /** CA bundles, one or several, whose client certificates are accepted. */
  readonly clientCaPem: string | readonly string[];
  readonly serviceAccounts?: ServiceAccountChoices;
  /** The content of a file of static tokens. */
  readonly tokenFile?: string;
  /** Paths that may be read without a credential: all by default, none when the list is empty. */
  readonly anonymousPaths?: readonly string[];
  readonly audit?: { readonly policy?: AuditPolicy; readonly write: (line: string) => void };
  readonly limits?: Partial<RequestLimits>;
  /**
   * Enforce the rules of deploy/guard.yaml on certificate requests. Default: off, as on a server without that policy.
   */
  readonly guardRequests?: boolean;
  /**
   * The loops of kube-controller-manager that a cluster without one needs. Absent: only those that finish deletions
   * run.
   */
  readonly controllers?: ControllerChoices;
  /** How long /readyz fails before connections are refused. */
  readonly shutdownDelayMs?: number;
  readonly log?: (line: RequestLine) => void;
  /** A loop failed and will try again. */
  readonly onLoopTrouble?: (trouble: LoopTrouble) => void;
}

interface ServiceAccountChoices {
  /** EC or RSA-2048 private key. Without one, tokens are valid until the process ends. */
  readonly signingKeyPem: string;
  /** Keys whose tokens are still accepted. */
  readonly formerKeysPem?: readonly string[];
  readonly issuer?: string;
}

interface ControllerChoices {
  /** The CA bundle by which pods verify this server; published in every namespace. */
  readonly rootCaPem: string;
}
