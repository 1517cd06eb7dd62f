export { createInsecureProvider } from "./providers/insecure/index.ts";
