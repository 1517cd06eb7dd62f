// What a server is made of and how it behaves: the choices of whoever starts one. What is left out is as kube-apiserver has it.

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
  /** What others are told that the server is reached at. Default: the host, where that is one of the machine's own to others. */
  readonly advertiseAddress?: string;
  /** Default: 4,096. */
  readonly connectionsPerAddress?: number;
  /** A connection was refused, because its peer has too many. */
  readonly onRefusedConnection?: (peer: string) => void;
  readonly servingCertificate: ServingCertificate;
  /** Whose client certificates are believed: one bundle or several. */
  readonly clientCaPem: string | readonly string[];
  readonly serviceAccounts?: ServiceAccountChoices;
  /** The content of a file of static tokens. */
  readonly tokenFile?: string;
  /** Which paths may be asked for without a credential: all when left out, none when the list is empty. */
  readonly anonymousPaths?: readonly string[];
  readonly audit?: { readonly policy?: AuditPolicy; readonly write: (line: string) => void };
  readonly limits?: Partial<RequestLimits>;
  /** The rules of deploy/guard.yaml on certificate requests. Default: off, as on a server where nobody applied them. */
  readonly guardRequests?: boolean;
  /** The loops of kube-controller-manager that a cluster without one needs. Left out: only those that finish deletions run. */
  readonly controllers?: ControllerChoices;
  /** How long /readyz fails before connections are turned away. */
  readonly shutdownDelayMs?: number;
  readonly log?: (line: RequestLine) => void;
  /** Something in a loop went wrong and will be tried again. */
  readonly onLoopTrouble?: (trouble: LoopTrouble) => void;
}

interface ServiceAccountChoices {
  /** EC or RSA-2048 private key. Without one, tokens end with the process. */
  readonly signingKeyPem: string;
  /** Keys whose tokens are still believed. */
  readonly formerKeysPem?: readonly string[];
  readonly issuer?: string;
}

interface ControllerChoices {
  /** The bundle that pods verify this server with, told in every namespace. */
  readonly rootCaPem: string;
}
