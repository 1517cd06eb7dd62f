export { type PemField, parsePemField, REQUEST_LABEL } from "./pem-field.ts";
