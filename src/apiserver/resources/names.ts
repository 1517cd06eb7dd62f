// Rules for names, with the texts of k8s.io/apimachinery/pkg/util/validation.

export type NameRule = (name: string) => readonly string[];

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

const LABEL_1035 = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const FINE: readonly string[] = [];

function atMost(text: string, max: number): readonly string[] {
  return text.length > max ? [`must be no more than ${max} bytes`] : [];
}

export const dnsLabel: NameRule = (name) => [...atMost(name, 63), ...(LABEL.test(name) ? [] : [LABEL_TEXT])];

/** A label that starts with a letter: Services, resource names, versions. */
export const rfc1035Label: NameRule = (name) => [
  ...atMost(name, 63),
  ...(LABEL_1035.test(name) ? [] : [LABEL_1035_TEXT]),
];

export const dnsSubdomain: NameRule = (name) => [
  ...atMost(name, 253),
  ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_TEXT]),
];

/**
 * Any path segment: what CSRs and RBAC objects are named by.
 * differs from upstream: control characters are refused too, because a URL that holds one is refused at the entry.
 */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  const forbidden = ["/", "%"].filter((character) => name.includes(character));
  const errors = forbidden.map((character) => `may not contain '${character}'`);
  return /\p{Cc}/u.test(name) ? [...errors, "may not contain control characters"] : errors;
};

/** `[prefix/]name` of label keys, annotation keys and finalizers. */
export const qualifiedKey: NameRule = (key) => {
  if (key.length <= 63 && QUALIFIED.test(key)) return FINE;
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]];
  const prefixErrors =
    prefix === undefined ? [] : prefix === "" ? ["prefix part must be non-empty"] : dnsSubdomain(prefix);
  if (name === undefined || name === "") return [...prefixErrors, "name part must be non-empty", QUALIFIED_TEXT];
  const nameErrors = [
    ...atMost(name, 63).map((text) => `name part ${text}`),
    ...(QUALIFIED.test(name) ? [] : [QUALIFIED_TEXT]),
  ];
  return [...prefixErrors, ...nameErrors];
};

export const labelValue: NameRule = (value) => {
  if (value.length <= 63 && LABEL_VALUE.test(value)) return FINE;
  return [...atMost(value, 63), ...(LABEL_VALUE.test(value) ? [] : [LABEL_VALUE_TEXT])];
};

export const configKey: NameRule = (key) => {
  if (key === "." || key === "..") return [`may not be '${key}'`];
  if (key.startsWith("..")) return ["must not start with '..'"];
  return [...atMost(key, 253), ...(CONFIG_KEY.test(key) ? [] : [CONFIG_KEY_TEXT])];
};

/** A number from 1 to 65535. */
export function portNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** The name of a port, by which a Service finds it. */
export const portName: NameRule = (name) => [
  ...atMost(name, 15),
  ...(/^[-a-z0-9]+$/.test(name) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
  ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(/^-|-$/.test(name) ? ["must not begin or end with a hyphen"] : []),
];
