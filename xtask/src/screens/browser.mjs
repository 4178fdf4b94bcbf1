// Takes pictures: browser.mjs LINK FOLDER REPORT WAITS GOES_ON TASKS
import { createRequire } from "node:module";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.BROWSER_MODULES, "none.js"));
const { chromium } = require("playwright-core");
const [link, folder, report, waits, goesOn, tasks] = process.argv.slice(2);
const origin = new URL(link).origin;
const profile = mkdtempSync(join(tmpdir(), "browser-"));
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"];
const context = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: quiet });
const page = context.pages()[0] ?? await context.newPage();
await page.goto(link);
await page.waitForSelector(".brand");

const pages = {
  night: "/", runs: "/runs", projects: "/projects",
  waits: `/r/${waits}`, "goes-on": `/r/${goesOn}`, tasks: `/r/${tasks}`,
  summary: `/r/${waits}/i/4`, calls: `/r/${waits}/i/4/transcript`, changes: `/r/${waits}/i/4/changes`, gates: `/r/${waits}/i/2/gates`,
  denials: `/r/${waits}/i/4/denials`, prompt: `/r/${waits}/i/1/prompt`, transcript: `/r/${waits}/c/4`, "of-tasks": `/r/${tasks}/tasks`, report: `/r/${waits}/report`,
};
for (const width of [390, 1280]) {
  for (const colorScheme of ["light", "dark"]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
    await page.emulateMedia({ colorScheme });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(origin + path);
      await page.screenshot({ path: join(folder, `page-${name}-${width}-${colorScheme}.png`) });
      await page.screenshot({ path: join(folder, `whole-${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    await page.goto(`${origin}/r/${waits}#do=resume`);
    await page.waitForSelector("dialog[open]");
    await page.screenshot({ path: join(folder, `page-dialog-${width}-${colorScheme}.png`) });
    await page.goto(`file://${report}`);
    await page.screenshot({ path: join(folder, `report-${width}-${colorScheme}.png`) });
    await page.screenshot({ path: join(folder, `whole-report-file-${width}-${colorScheme}.png`), fullPage: true });
  }
}
// What terminals showed, to be looked at by eye as well.
await page.setViewportSize({ width: 1040, height: 792 });
for (const name of readdirSync(folder).filter((name) => name.endsWith(".svg"))) {
  await page.goto(`file://${join(folder, name)}`);
  await page.screenshot({ path: join(folder, name.replace(".svg", ".png")) });
}
await context.close();
rmSync(profile, { recursive: true, force: true });
