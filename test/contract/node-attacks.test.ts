import { startTestApiServer } from "../fakes/api-server.ts";
import { describeNodeAttacks } from "./node-attacks.ts";

describeNodeAttacks("the embedded server", async () => {
  const server = await startTestApiServer();
  return { server, issueClientCertificate: server.issueClientCertificate, close: server.close };
});
