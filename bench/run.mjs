// The frame of the benchmarks: `npm run bench` lists the areas, `npm run bench -- x509` runs one, `-- all` runs every
// one. An area is a file beside this one that exports `title` and `run()`, which answers ratios; they are printed last,
// one a line, as `ratio <name> <value>`, bigger always better. Areas import the built product from dist/.
import { readdirSync } from "node:fs";

/**
 * @typedef {{ readonly name: string, readonly value: number, readonly goal?: number }} Ratio
 * @typedef {{ readonly title: string, readonly run: () => Promise<readonly Ratio[]> }} Area
 */

const areas = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".mjs") && file !== "run.mjs")
  .map((file) => file.slice(0, -".mjs".length));

/** @param {string} name @returns {Promise<Area>} */
async function loadArea(name) {
  return await import(`./${name}.mjs`);
}

async function listAreas() {
  console.log("areas:");
  for (const name of areas) console.log(`  ${name.padEnd(12)} ${(await loadArea(name)).title}`);
  console.log("run one with: npm run bench -- <area>, or every one with: npm run bench -- all");
}

/** @param {readonly string[]} names */
async function runAreas(names) {
  /** @type {Ratio[]} */
  const ratios = [];
  for (const name of names) {
    const area = await loadArea(name);
    console.log(`${name}: ${area.title}`);
    ratios.push(...(await area.run()));
  }
  for (const { name, value, goal } of ratios) {
    if (goal !== undefined && value < goal) console.log(`below its goal of ${goal}: ${name}`);
  }
  for (const { name, value } of ratios) console.log(`ratio ${name} ${value.toFixed(2)}`);
}

const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  await listAreas();
} else if (wanted === "all" || areas.includes(wanted)) {
  await runAreas(wanted === "all" ? areas : [wanted]);
} else {
  console.error(`no area ${wanted}; there are: ${areas.join(", ")}`);
  process.exitCode = 2;
}
