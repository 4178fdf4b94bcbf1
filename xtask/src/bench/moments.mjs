// A person's moments with a stopwatch, on a phone's screen: moments.mjs LINK WAITS GOES_ON TASKS; prints one line of JSON.
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.BENCH_BROWSER_MODULES, "none.js"));
const { chromium } = require("playwright-core");
const [link, waits, goesOn, tasks] = process.argv.slice(2);
const origin = new URL(link).origin;
const profile = mkdtempSync(join(tmpdir(), "browser-"));
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: quiet, viewport: { width: 390, height: 844 }, hasTouch: true });
const page = context.pages()[0] ?? await context.newPage();
await page.goto(link);
await page.waitForSelector(".brand");

let taps = 0, began = 0;
const start = () => { taps = 0; began = performance.now(); };
const told = () => ({ taps, ms: performance.now() - began });
// A notification's tap: the browser opens its link.
const follow = async (path) => { taps++; await page.goto(origin + path); };
const tap = async (one) => { taps++; await one.tap(); };
// On the first screen, without scrolling.
const seen = async (selector) => {
  const box = await page.locator(selector).first().boundingBox();
  if (!box || box.y + box.height > 844) throw new Error(`${selector} is not on the first screen: ${JSON.stringify(box)}`);
};

const moments = {};
start();
await follow(`/r/${goesOn}`);
await page.waitForSelector(".at-work li");
if (!/Bash for \d.*silent \d/.test(await page.textContent(".at-work"))) throw new Error("neither tool nor silence is said");
await seen(".at-work");
moments.stuck = told();

start();
await follow(`/r/${waits}`);
await page.waitForSelector(".needs.yes .why");
for (const part of [".needs.yes .why", ".needs.yes .evidence", "#head .buttons button:nth-of-type(2)"]) await seen(part);
moments.know = told();
await tap(page.getByRole("button", { name: "More iterations" }));
await tap(page.locator("#ask-value"));
await page.locator("#ask-value").fill("6");
await tap(page.getByRole("button", { name: "Do it" }));
await page.waitForFunction(() => document.querySelector("#said").textContent.includes("It goes on"), null, { timeout: 60000 });
// The tap that led here was to know.
moments.act = { ...told(), taps: taps - 1 };

start();
await page.goto(`${origin}/r/${tasks}/report`);
for (const part of ["#outcome", "#right"]) await seen(part);
moments.report = told();
start();
await tap(page.locator("section[aria-labelledby=merge] a[href$='/changes']").first());
await page.waitForSelector("pre.diff");
moments.diff = told();

console.log(JSON.stringify(moments));
await context.close();
rmSync(profile, { recursive: true, force: true });
