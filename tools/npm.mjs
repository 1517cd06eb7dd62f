// npm tells its scripts where it is itself; a plain `node tools/….mjs` finds it in PATH.

/** @returns {{ command: string, before: string[] }} */
export function npm() {
  const path = process.env["npm_execpath"];
  return path === undefined ? { command: "npm", before: [] } : { command: process.execPath, before: [path] };
}
