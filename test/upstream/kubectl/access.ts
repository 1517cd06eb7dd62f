// Journeys about who one is and what one may do: certificates, tokens, reviews, impersonation.

import { aCsr, forNode } from "../../builders/csr.ts";
import { type Journey, manifests } from "./journey.ts";

/** A signer that no controller serves, so that nothing happens but what the journey does. */
const SIGNER = "example.com/journey";

function request(name: string): string {
  const { apiVersion, kind, spec } = aCsr(forNode("n1"));
  return manifests({
    apiVersion,
    kind,
    metadata: { name },
    spec: { request: spec.request, signerName: SIGNER, usages: spec.usages, expirationSeconds: 3600 },
  });
}

export const ACCESS: readonly Journey[] = [
  {
    title: "certificate approve and deny; describe csr; wait for it",
    steps: [
      { run: "create -f -", input: request("j-yes") },
      { run: "create -f -", input: request("j-no") },
      {
        run: "get csr j-yes",
        says: /j-yes <age> example\.com\/journey kubernetes-admin|j-yes <age> example\.com\/journey/,
        differs: ["name of the administrator"],
      },
      {
        run: "describe csr j-yes",
        says: [/Status: Pending/, /Signer: example\.com\/journey/, /Common Name: system:node:n1/],
        differs: ["name of the administrator"],
      },
      {
        run: "wait csr/j-yes --for=condition=Approved --timeout=20s",
        says: /condition met/,
        during: [
          {
            run: "certificate approve j-yes",
            says: /certificatesigningrequest\.certificates\.k8s\.io\/j-yes approved/,
          },
        ],
      },
      { run: "certificate deny j-no", says: /j-no denied/ },
      { run: "certificate approve j-no", code: 1, says: /"j-no" is already Denied/ },
      { run: "certificate approve j-yes", says: /approved/ },
      { run: "get csr j-yes j-no", says: [/Approved/, /Denied/], differs: ["name of the administrator"] },
      {
        run: "get csr j-yes -o yaml",
        says: [/reason: KubectlApprove/, /message: This CSR was approved by kubectl certificate approve\./],
        differs: ["name of the administrator"],
      },
      { run: "get csr --field-selector spec.signerName=example.com/journey -o name", says: /j-no\n.*j-yes/ },
      { run: "delete csr j-yes j-no", says: /deleted/ },
    ],
  },
  {
    title: "auth can-i, --list, whoami, impersonation",
    steps: [
      { run: "create role reader --verb=get,list --resource=pods" },
      { run: "create rolebinding jane --role=reader --user=jane" },
      { run: "auth can-i create csr", says: /^yes$/m },
      { run: "auth can-i list pods --as=jane", says: /^yes$/m },
      { run: "auth can-i delete pods --as=jane", code: 1, says: /^no$/m },
      { run: "auth can-i get pods --subresource=log --as=jane", code: 1, says: /^no$/m },
      { run: "auth can-i get /healthz --as=jane", says: /^yes$/m },
      { run: "auth can-i list pods --as=jane --as-group=g -n kube-system", code: 1 },
      {
        run: "auth can-i --list --as=jane",
        says: [/pods \[\] \[\] \[get list\]/, /selfsubjectaccessreviews\.authorization\.k8s\.io/],
        differs: ["order of rules"],
      },
      { run: "auth whoami -o json", says: /"groups"/, differs: ["name of the administrator", "id of the credential"] },
      {
        run: "auth whoami --as=jane --as-group=a --as-group=b",
        says: [/Username jane/, /Groups \[a b system:authenticated\]/],
      },
      {
        run: "get secrets --as=jane",
        code: 1,
        says: /Forbidden\): secrets is forbidden: User "jane" cannot list resource "secrets" in API group ""/,
      },
      { run: "get pods --as=jane", says: /No resources found/ },
      {
        run: "auth reconcile -f -",
        input: manifests({
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: { name: "reader", namespace: "$name" },
          rules: [{ verbs: ["watch"], apiGroups: [""], resources: ["pods"] }],
        }),
        says: /reconciled/,
      },
      { run: "auth can-i watch pods --as=jane", says: /^yes$/m },
      { run: "create role grown --verb=get --resource=secrets --as=jane", code: 1, says: /Forbidden/ },
    ],
  },
  {
    title: "create token, and log in with it",
    steps: [
      { run: "create serviceaccount robot" },
      { run: "create token robot --duration=1h", keepAs: "token", says: /^<jwt>$/ },
      {
        run: "auth whoami --kubeconfig=/dev/null --server=$server --insecure-skip-tls-verify --token=$token",
        says: [/Username system:serviceaccount:$|Username system:serviceaccount:/, /system:serviceaccounts:/],
        differs: ["id of the credential"],
      },
      {
        run: "get cm --kubeconfig=/dev/null --server=$server --insecure-skip-tls-verify --token=$token",
        code: 1,
        says: /Forbidden/,
      },
      { run: "create token robot --audience=someone-else", keepAs: "foreign", says: /^<jwt>$/ },
      {
        run: "auth whoami --kubeconfig=/dev/null --server=$server --insecure-skip-tls-verify --token=$foreign",
        code: 1,
        says: /Unauthorized|logged in/,
      },
      { run: "create token nobody", code: 1, says: /serviceaccounts "nobody" not found/ },
      { run: "create token robot --duration=1m", code: 1, says: /may not specify a duration less than 10 minutes/ },
      { run: "delete serviceaccount robot" },
      {
        run: "auth whoami --kubeconfig=/dev/null --server=$server --insecure-skip-tls-verify --token=$token",
        code: 1,
        patiently: true,
        says: /Unauthorized|logged in/,
      },
    ],
  },
];
