// Measures a page in a real browser: browser.mjs WHAT ORIGIN CODE PATH [MORE…]; prints one line of JSON.
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.BENCH_BROWSER_MODULES, "none.js"));
const { chromium } = require("playwright-core");
const [what, origin, code, path, ...more] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "browser-"));
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: quiet });
const page = context.pages()[0] ?? await context.newPage();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function comeIn() {
  await page.goto(`${origin}/#code=${code}`);
  await page.waitForSelector(".brand");
}

async function painted(at = path) {
  await page.goto(origin + at);
  return page.evaluate(() => new Promise((done) => {
    const found = () => performance.getEntriesByName("first-contentful-paint")[0];
    if (found()) done(found().startTime);
    else new PerformanceObserver(() => { if (found()) done(found().startTime); }).observe({ type: "paint", buffered: true });
  }));
}

async function many(times, measure) {
  const values = [];
  for (let go = 0; go < times; go++) values.push(await measure());
  return middle(values);
}

// The longest of some clicks, from the finger to the frame that shows it, as browsers tell it (in steps of 8 ms).
async function interaction() {
  await page.goto(origin + path);
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.interactionId) globalThis.longest = Math.max(globalThis.longest, one.duration); }).observe({ type: "event", durationThreshold: 16 });
  });
  const folded = page.locator("details > summary");
  for (let at = 0; at < Math.min(4, await folded.count()); at++) { await folded.nth(at).click(); await wait(50); }
  await page.locator("button[data-copy]").first().click();
  await wait(300);
  return page.evaluate(() => globalThis.longest);
}

// What the tab's own process holds for itself, and its script's part, in megabytes.
async function held() {
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const system = await context.browser()?.newBrowserCDPSession();
  const mine = [];
  if (system) {
    const { processInfo } = await system.send("SystemInfo.getProcessInfo");
    for (const { type, id } of processInfo) {
      if (type !== "renderer") continue;
      const own = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"));
      if (own) mine.push(Number(own[1]) * 1024 / 1e6);
    }
  }
  return { tab: Math.max(0, ...mine), heap: usedSize / 1e6 };
}

let told;
if (what === "paint") {
  await comeIn();
  const desk = await many(7, () => painted());
  // What the browser needs for a page of this server with nothing on it.
  const empty = await many(7, () => painted("/nothing"));
  const longest = await interaction();
  // A phone in a poor network: a quarter of the processor, 150 ms there and back, 1.6 Mbit/s.
  const session = await context.newCDPSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200000, uploadThroughput: 93750 });
  const phone = await many(5, () => painted());
  const phoneEmpty = await many(5, () => painted("/nothing"));
  const phoneLongest = await interaction();
  told = { desk, empty, phone, phoneEmpty, longest, phoneLongest };
} else if (what === "ticks") {
  const [go, letters] = more;
  await comeIn();
  await page.goto(origin + path);
  await page.waitForFunction(() => document.body.dataset.on === "yes");
  await page.evaluate((letters) => {
    globalThis.seen = {};
    const look = () => {
      const text = document.querySelector("#rows").textContent;
      for (const letter of letters) if (!globalThis.seen[letter] && text.includes(letter.repeat(12))) globalThis.seen[letter] = performance.timeOrigin + performance.now();
    };
    // After the frame that shows it.
    new MutationObserver(() => requestAnimationFrame(() => setTimeout(look, 0))).observe(document.querySelector("#rows"), { childList: true });
  }, letters);
  writeFileSync(go, "");
  await page.waitForFunction((count) => Object.keys(globalThis.seen).length >= count, letters.length, { timeout: 60000 });
  told = await page.evaluate(() => globalThis.seen);
} else if (what === "tab") {
  const [seconds] = more;
  await comeIn();
  const before = await held();
  await page.goto(origin + path);
  await page.waitForFunction(() => document.body.dataset.on === "yes");
  await page.locator("#follow").check();
  await wait(Number(seconds) * 500);
  const half = await held();
  await wait(Number(seconds) * 500);
  told = { before, half, after: await held(), rows: await page.locator("#rows > li").count() };
}
console.log(JSON.stringify(told));
await context.close();
rmSync(profile, { recursive: true, force: true });
