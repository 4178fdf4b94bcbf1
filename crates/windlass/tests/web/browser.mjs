// Drives a real browser over the page: browser.mjs WHAT ORIGIN CODE PATH…
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = process.env.WINDLASS_BROWSER_MODULES;
const require = createRequire(join(modules, "none.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [what, origin, code, ...paths] = process.argv.slice(2);
const pictures = process.env.WINDLASS_BROWSER_PICTURES;
mkdirSync(pictures, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), "browser-"));
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: quiet, bypassCSP: false });
let wrong = [];
const fail = (text) => { wrong.push(text); };

async function comeIn() {
  const page = await context.newPage();
  page.on("dialog", (dialog) => { fail(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("console", (message) => { if (message.type() === "error" && !/40[0-9]|503/.test(message.text())) fail(`console: ${message.text()}`); });
  page.on("pageerror", (error) => fail(`error: ${error.message}`));
  await page.goto(`${origin}/#code=${code}`);
  await page.waitForSelector(".brand");
  if (page.url().includes("code")) fail(`the code is still in the address: ${page.url()}`);
  return page;
}

async function judged(page, name) {
  const title = await page.title();
  if (/owned/.test(title) && !/</.test(title)) fail(`${name}: a title was set: ${title}`);
  if (await page.locator("img, iframe, object, svg[onload]").count()) fail(`${name}: foreign elements`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) fail(`${name}: ${wide} pixels wider than the screen`);
  // Through the debugger, as the policy of the page forbids it otherwise.
  const session = await context.newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = await session.send("Runtime.evaluate", {
    expression: "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((r) => JSON.stringify((r.passes.length > 9 ? [] : ['axe looked at nothing']).concat(r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 2).map((n) => n.html + ' ' + n.failureSummary).join(' | ')}`))))",
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  for (const violation of JSON.parse(found.result.value ?? "[\"axe did not run\"]")) fail(`${name}: ${violation}`);
}

if (what === "look") {
  const page = await comeIn();
  for (const width of [390, 1280]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme });
      for (const path of paths) {
        await page.goto(origin + path);
        const name = `${path} at ${width} ${colorScheme}`;
        await judged(page, name);
        const file = `${path.replace(/r-[0-9a-z]+/, "run").replace(/\W+/g, "-")}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(pictures, file), fullPage: false });
      }
    }
  }
} else if (what === "raise") {
  const page = await comeIn();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(origin + paths[0]);
  const began = Date.now();
  await page.getByRole("button", { name: "More iterations" }).click();
  await judged(page, "the dialog");
  await page.screenshot({ path: join(pictures, "dialog-390.png") });
  await page.fill("#ask-value", "2");
  // Whoever typed an amount and Enter wants it.
  await page.press("#ask-value", "Enter");
  await page.waitForFunction(() => document.querySelector("#said").textContent.includes("It goes on"), null, { timeout: 60000 });
  await page.waitForFunction(() => document.querySelector("#rest").textContent.includes("2 worked"), null, { timeout: 60000 });
  console.log(`raised in 3 taps and ${Date.now() - began} ms`);
} else if (what === "notified") {
  const page = await comeIn();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [path, words] of [[paths[0], "More iterations"], [paths[1], "Stop after this iteration"]]) {
    await page.goto("about:blank");
    await page.goto(origin + path);
    await page.waitForSelector("dialog[open]");
    const title = await page.textContent("#ask-title");
    if (!title.includes(words)) fail(`${path} asks ${title}`);
    if (page.url().includes("#")) fail(`a reload asks again: ${page.url()}`);
    await judged(page, path);
    await page.getByRole("button", { name: "Leave it" }).click();
    await page.waitForSelector("dialog", { state: "hidden" });
    if (await page.textContent("#said")) fail(`${path}: something was done: ${await page.textContent("#said")}`);
  }
  // The same notification again, in the tab where its page is open already.
  await page.goto(origin + paths[1]);
  await page.waitForSelector("dialog[open]", { timeout: 10000 });
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "hidden" });
  if (await page.textContent("#said")) fail(`something was done: ${await page.textContent("#said")}`);
} else if (what === "stop") {
  const page = await comeIn();
  await page.goto(origin + paths[0]);
  await page.waitForFunction(() => document.body.dataset.on === "yes");
  await page.getByRole("button", { name: "Stop after this iteration" }).click();
  await page.getByRole("button", { name: "Do it" }).click();
  await page.waitForFunction(() => document.querySelector("#head").textContent.includes("stopping"), null, { timeout: 60000 });
  await judged(page, "a run that is live");
  await page.screenshot({ path: join(pictures, "live-1280.png") });
}
await context.close();
rmSync(profile, { recursive: true, force: true });
if (wrong.length) { console.error([...new Set(wrong)].join("\n")); process.exit(1); }
