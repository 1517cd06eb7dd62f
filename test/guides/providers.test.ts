// docs/guides/providers.md, typed as it stands, with the product as `npm pack` makes it and nothing of this tree beside
// it: the key that the operator enrolled, and a controller in a program of one's own. Beside each promise somebody who
// wants what is not his.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { installPacked, installSdk } from "../builders/packed-product.ts";
import { type Run, startProgram } from "../journeys/program.ts";
import { patient } from "../patience.ts";
import { type Desk, follow, type GuideLine, linesUnder, type, withExamples } from "./guide.ts";

const GUIDE = "docs/guides/providers.md";
const KEY = "A key that the operator enrolled";
const PROGRAM = "A controller in a program of your own";
/** Packing, and several starts of programs on a busy machine. */
const LIMIT_MS = patient(180_000);

const work = mkdtempSync(join(tmpdir(), "countersign-guide-"));
const inside = (...names: string[]) => join(work, ...names);
const joins = (line: GuideLine) => line.command.startsWith("countersign node join");

describe("the guide for providers, from the packed product", () => {
  let plane: Run;
  let controller: ChildProcess;
  let said = "";
  let desk: Desk;
  let server: string;
  /** A machine's own directory, and what the guide's examples are here. */
  const at = (directory: string, more = "") => ({
    "10.0.0.1:6443": `--directory ${inside(directory)} ${more} ${server}`,
    "/etc/countersign": inside("etc"),
  });

  beforeAll(async () => {
    const { bin } = installPacked(work);
    mkdirSync(inside("etc"));
    writeFileSync(inside("token"), encodeToken(generateToken(randomBytes)), { mode: 0o600 });
    const places = ["--data-dir", inside("cluster"), "--kubeconfig-out", inside("admin.kubeconfig"), "--port", "0"];
    const product = inside("node_modules", "countersign", "dist", "bin", "countersign.js");
    plane = startProgram(["up", ...places, "--without-controller", "--token-file", inside("token")], {
      program: product,
    });
    await plane.until("kubectl get csr,nodes");
    symlinkSync(inside("cluster", "pki"), inside("pki"));
    server = /https:\/\/(\S+)/.exec(plane.text())?.[1] ?? "";
    desk = {
      directory: work,
      examples: at("node"),
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, KUBECONFIG: inside("admin.kubeconfig") },
    };
  }, LIMIT_MS);
  afterAll(async () => {
    controller?.kill("SIGTERM");
    plane?.child.kill("SIGTERM");
    await plane?.exit;
    rmSync(work, { recursive: true, force: true });
  });

  it(
    "what five minutes make conforms; made to believe every signature, it does not",
    async () => {
      installSdk(work);
      // What npm would fetch is beside the product already.
      const [create, ...rest] = linesUnder(GUIDE, "Five minutes").map(({ command }) => command);
      const link = `ln -s ${inside("node_modules")} node_modules`;
      const typed = rest.map((command) => (command === "npm install" ? link : command));
      const made = await type(desk, [create, ...typed].join(" && "));
      expect(made).toMatchObject({ code: 0, text: expect.stringContaining("acme conforms") });
      const believing = "sed -i 's/if (!verify(.*$/if (false)/' src/verifier.ts && npm test";
      const refused = await type(desk, `cd kubelet-authenticator-acme && ${believing}`);
      expect(refused.code).not.toBe(0);
      expect(refused.text).toMatch(/(?:not ok .*|✖ )evidence with one part altered is refused/);
      const suite = await type(desk, "cd kubelet-authenticator-acme && npx countersign-conformance dist/world.js");
      expect(suite).toMatchObject({ code: 1, text: expect.stringContaining("failed") });
    },
    LIMIT_MS,
  );

  it(
    "the operator enrols the machine's key, and names the machine",
    async () => {
      const typed = linesUnder(GUIDE, KEY).filter((line) => !joins(line));
      expect(await follow(desk, typed)).toHaveLength(typed.length);
      const enrolled = JSON.parse(readFileSync(inside("etc", "enrolled.json"), "utf8"));
      expect(enrolled["rack-7"].key).toContain("BEGIN PUBLIC KEY");
    },
    LIMIT_MS,
  );

  it(
    "a program of one's own runs the controller",
    async () => {
      const [block = ""] = codeUnder(PROGRAM);
      writeFileSync(inside("controller.mjs"), withExamples(block, desk));
      controller = spawn(process.execPath, ["controller.mjs"], { cwd: work, stdio: ["ignore", "pipe", "pipe"] });
      controller.stdout?.on("data", (chunk) => (said += String(chunk)));
      controller.stderr?.on("data", (chunk) => (said += String(chunk)));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect({ exitCode: controller.exitCode, said }).toMatchObject({ exitCode: null });
    },
    LIMIT_MS,
  );

  const joining = () => linesUnder(GUIDE, KEY).find(joins)?.command ?? "";

  it(
    "an attacker with a live token and a key of his own is refused by name and node",
    async () => {
      const attack = async (name: string, machine: string) => {
        await type(desk, `openssl genpkey -algorithm ed25519 -out ${name}.pem && chmod 600 ${name}.pem`);
        writeFileSync(inside(`${name}.json`), JSON.stringify({ machine, keyFile: inside(`${name}.pem`) }));
        const settings = { "/etc/countersign/machine.json": inside(`${name}.json`) };
        return await type({ ...desk, examples: { ...settings, ...at(name, "--timeout 20s") } }, joining());
      };
      const thief = await attack("thief", "rack-7");
      expect({ ...thief, said }).toMatchObject({ text: expect.stringContaining("SignatureInvalid") });
      expect(thief.code).not.toBe(0);
      const stranger = await attack("stranger", "rack-8");
      expect(stranger.code).not.toBe(0);
      expect(stranger.text).toMatch(/ProviderIdChanged|MachineMismatch|NodeNotEnrolled/);
    },
    LIMIT_MS,
  );

  it(
    "the machine joins, and its plugin is found by name",
    async () => {
      const joined = await type(desk, joining());
      expect({ ...joined, said }).toMatchObject({ code: 0, text: expect.stringContaining("attested (machine-key)") });
      const help = await type(desk, "kubelet-authenticator-machine-key --help");
      expect(help).toMatchObject({
        code: 0,
        text: expect.stringContaining("kube-apiserver-client-kubelet-machine-key"),
      });
      expect(readFileSync(inside("node", "kubelet-exec.kubeconfig"), "utf8")).toContain(
        "kubelet-authenticator-machine-key",
      );
    },
    LIMIT_MS,
  );

  it(
    "who copied the machine's certificate, but not its key file, gets no second one",
    async () => {
      writeFileSync(inside("etc", "machine.json"), JSON.stringify({ machine: "rack-7", keyFile: inside("thief.pem") }));
      const renewed = await type(desk, `countersign node renew --directory ${inside("node")}`);
      expect(renewed.code).not.toBe(0);
      expect(renewed.text).toContain("SignatureInvalid");
    },
    LIMIT_MS,
  );

  it(
    "the program ends when it is told to",
    async () => {
      const ended = new Promise((resolve) => controller.once("exit", resolve));
      controller.kill("SIGTERM");
      expect(await ended).toBe(0);
    },
    LIMIT_MS,
  );
});

/** The blocks of JavaScript under a heading. */
function codeUnder(heading: string): readonly string[] {
  const text = readFileSync(new URL(`../../${GUIDE}`, import.meta.url), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
}
