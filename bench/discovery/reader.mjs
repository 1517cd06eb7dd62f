// A client that reads one document, with the token itself or with JWTs of it.
import { Pool } from "undici";
import { encodeToken, JWS_HEADER, signDiscoveryJwt, verifyDiscoveryAnswer } from "../../dist/api/bootstrap/index.js";
import { parseDetachedHs256 } from "../../dist/kernel/jose/index.js";
import { IN_FLIGHT } from "../apiserver/client.mjs";

const PATH = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

/** @param {import("./servers.mjs").Readable} server */
export function createReader({ url, caPem, token }) {
  const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1, connect: { ca: caPem } });
  return {
    /** @param {"plain" | "signed"} kind @param {number} count */
    credentials(kind, count) {
      if (kind === "plain") return Array.from({ length: count }, () => encodeToken(token));
      // Each a millisecond apart, so that no two are alike and none is from the future.
      const nowMs = Date.now() - count;
      return Array.from({ length: count }, (_, index) => signDiscoveryJwt(token, { nowMs: nowMs + index }));
    },
    /** @param {string} credential */
    async get(credential) {
      const headers = { accept: "application/json", authorization: `Bearer ${credential}` };
      const answer = await pool.request({ method: "GET", path: PATH, headers });
      const body = Buffer.from(await answer.body.arrayBuffer());
      if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${body}`);
      return { body, jws: answer.headers[JWS_HEADER] };
    },
    /** @param {Buffer} body @param {string} jws @param {string} jwt */
    verify(body, jws, jwt) {
      if (!verifyDiscoveryAnswer(parseDetachedHs256(jws), body, { token, jwt }))
        throw new Error("a signature is wrong");
    },
    close: () => pool.destroy(),
  };
}
