// What a browser finds in pages; page-lab.sh calls it with their names.
"use strict";
const fs = require("node:fs");
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Labels of tables that are wider than their place, with everything opened. */
function wide() {
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  const all = [...document.querySelectorAll("section.wide")];
  return all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => `${one.getAttribute("aria-label")}: ${one.scrollWidth} px`);
}

/** Sorts the first table that can be sorted, by its last column; null if there is none. */
function sorts() {
  const button = [...document.querySelectorAll("table:has(th button)")][0]?.querySelector("thead tr:last-child th:last-child button");
  if (!button) return null;
  const head = button.closest("th");
  button.click();
  const first = head.getAttribute("aria-sort");
  button.click();
  return first !== null && head.getAttribute("aria-sort") !== first;
}

(async () => {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  let bad = 0;
  const found = (page, what) => {
    bad += 1;
    console.log(`${page}: ${what}`);
  };
  for (const name of process.argv.slice(2)) {
    for (const width of [1280, 390]) {
      const page = await browser.newPage();
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => found(name, `console: ${message.text()}`));
      await page.setViewport({ width, height: 900 });
      await page.goto(`file://${name}`);
      if (asked.length !== 1) found(name, `asks for ${asked.slice(1).join(", ")}`);
      const across = await page.evaluate(() => document.documentElement.scrollWidth);
      if (across > width) found(name, `is ${across} px wide at ${width} px`);
      if ((await page.evaluate(sorts)) === false) found(name, "a table does not sort");
      const tables = await page.evaluate(wide);
      if (width === 1280) tables.forEach((table) => found(name, `scrolls at ${width} px: ${table}`));
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate("axe.run()");
      violations.forEach((one) => found(name, `axe: ${one.id}, ${one.nodes.length} times, ${one.nodes[0].html.slice(0, 120)}`));
      console.log(`${name} at ${width} px: axe ${violations.length} violations, ${passes.length} passes; ${tables.length} tables scroll`);
      await page.close();
    }
  }
  await browser.close();
  process.exit(bad ? 1 : 0);
})();
