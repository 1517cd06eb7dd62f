// The user of a kubeconfig whose credentials come from a plugin (client.authentication.k8s.io v1 and v1beta1). The
// answer is kept until it expires or the server refuses it; requests that come together share one run. Upstream:
// client-go's plugin/pkg/client/auth/exec. differs from upstream: a credential is renewed a little before its end, so
// that no request leaves with one that ends on the way.

import {
  EXEC_INFO_VARIABLE,
  type ExecCluster,
  encodeExecInfo,
  type IssuedCredential,
  parseExecCredential,
  requireExecVersion,
} from "../../../api/clientauth/index.ts";
import type { ExecUser } from "../../../api/kubeconfig/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { commandOf, runPlugin } from "./run-plugin.ts";

/** As much as a request may take to be read by the server. */
const RENEW_BEFORE_MS = 10_000;

interface ExecOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the kubeconfig: a command with a slash in it is relative to it. */
  readonly directory: string;
  /** Told to the plugin where the user wants that. */
  readonly cluster: ExecCluster;
}

interface ExecCredentials {
  readonly credentials: CredentialSource;
  /** The server refused this credential: the plugin is asked again, unless that has happened since. */
  refused(credential: Credentials): void;
}

export function createExecCredentials(user: ExecUser, options: ExecOptions): ExecCredentials {
  const version = requireExecVersion(user.apiVersion);
  requireRunnable(user);
  const question = encodeExecInfo(version, user.provideClusterInfo === true ? options.cluster : undefined);
  let kept: IssuedCredential | undefined;
  let running: Promise<IssuedCredential> | undefined;

  async function ask(): Promise<IssuedCredential> {
    const answer = await runPlugin({
      command: commandOf(user.command, options.directory),
      args: user.args ?? [],
      env: { ...options.env, ...envOf(user), [EXEC_INFO_VARIABLE]: question },
      installHint: user.installHint,
    });
    kept = parseExecCredential(answer, version);
    return kept;
  }

  return {
    credentials: async () => {
      const isFresh = kept !== undefined && options.clock.now() < kept.expiresMs - RENEW_BEFORE_MS;
      if (kept !== undefined && isFresh) return kept;
      running ??= ask().finally(() => {
        running = undefined;
      });
      return running;
    },
    refused: ({ token, certPem }) => {
      if (kept?.token === token && kept?.certPem === certPem) kept = undefined;
    },
  };
}

function envOf({ env }: ExecUser): Record<string, string> {
  return Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
}

const MODES: readonly (string | undefined)[] = ["Never", "IfAvailable", "Always"];

function requireRunnable({ command, env, interactiveMode, apiVersion }: ExecUser): void {
  if (!command) throw new Fault("bad-config", "kubeconfig user has an exec plugin without a command");
  if ((env ?? []).some(({ name }) => !name)) {
    throw new Fault("bad-config", `kubeconfig user gives the plugin ${command} a variable without a name`);
  }
  const mode = interactiveMode ?? (apiVersion.endsWith("/v1beta1") ? "IfAvailable" : undefined);
  if (!MODES.includes(mode)) {
    throw new Fault(
      "bad-config",
      `the plugin ${command} has interactiveMode ${mode ?? "missing"}, expected Never, IfAvailable or Always`,
    );
  }
  if (mode === "Always") {
    throw new Fault("bad-config", `the plugin ${command} wants a terminal (interactiveMode Always), and there is none`);
  }
}
