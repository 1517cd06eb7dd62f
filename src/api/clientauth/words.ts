// The words that both sides of an ExecCredential share.

export const EXEC_INFO_VARIABLE = "KUBERNETES_EXEC_INFO";

export const EXEC_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
export type ExecVersion = (typeof EXEC_VERSIONS)[number];

export interface ExecCluster {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly config?: unknown;
}
