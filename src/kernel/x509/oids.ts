// Object identifiers of X.509 and PKCS, in dotted text. A table of data: one line each, grouped by who defined it.

// Attribute types of names (X.520)
export const OID_COMMON_NAME = "2.5.4.3";
export const OID_ORGANIZATION = "2.5.4.10";
export const OID_EMAIL_ADDRESS = "1.2.840.113549.1.9.1";

// Certificate extensions (RFC 5280 §4.2)
export const OID_SUBJECT_KEY_ID = "2.5.29.14";
export const OID_KEY_USAGE = "2.5.29.15";
export const OID_SUBJECT_ALT_NAME = "2.5.29.17";
export const OID_BASIC_CONSTRAINTS = "2.5.29.19";
export const OID_NAME_CONSTRAINTS = "2.5.29.30";
export const OID_CERTIFICATE_POLICIES = "2.5.29.32";
export const OID_AUTHORITY_KEY_ID = "2.5.29.35";
export const OID_POLICY_CONSTRAINTS = "2.5.29.36";
export const OID_EXT_KEY_USAGE = "2.5.29.37";
export const OID_INHIBIT_ANY_POLICY = "2.5.29.54";
export const OID_AUTHORITY_INFO_ACCESS = "1.3.6.1.5.5.7.1.1";
export const OID_SUBJECT_INFO_ACCESS = "1.3.6.1.5.5.7.1.11";

// Extended key usages (RFC 5280 §4.2.1.12)
export const EKU_ANY = "2.5.29.37.0";
export const EKU_SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
export const EKU_CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

// Attributes of certificate requests (PKCS #9)
export const OID_EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

// Public key algorithms and curves (RFC 3279, RFC 5480, RFC 8410)
export const OID_RSA_KEY = "1.2.840.113549.1.1.1";
export const OID_EC_KEY = "1.2.840.10045.2.1";
export const OID_ED25519 = "1.3.101.112";
export const OID_CURVE_P256 = "1.2.840.10045.3.1.7";
export const OID_CURVE_P384 = "1.3.132.0.34";
export const OID_CURVE_P521 = "1.3.132.0.35";

// Signature algorithms (RFC 4055, RFC 5758, RFC 8410)
export const OID_SHA256_WITH_RSA = "1.2.840.113549.1.1.11";
export const OID_SHA384_WITH_RSA = "1.2.840.113549.1.1.12";
export const OID_SHA512_WITH_RSA = "1.2.840.113549.1.1.13";
export const OID_RSA_PSS = "1.2.840.113549.1.1.10";
export const OID_MGF1 = "1.2.840.113549.1.1.8";
export const OID_ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
export const OID_ECDSA_WITH_SHA384 = "1.2.840.10045.4.3.3";
export const OID_ECDSA_WITH_SHA512 = "1.2.840.10045.4.3.4";
export const OID_SHA256 = "2.16.840.1.101.3.4.2.1";
export const OID_SHA384 = "2.16.840.1.101.3.4.2.2";
export const OID_SHA512 = "2.16.840.1.101.3.4.2.3";
