// How long people wait for the explorer, in milliseconds: the median, and the shortest and longest of some rounds.
//
//   node times.mjs SQASP CHROMIUM [ROUNDS]
//
// Run by `scripts/browser-test --times`. Each round has a new server and a new context of the browser, with nothing in its caches.

import { explore, launch } from "./setting.mjs";

const [sqasp, chromium, rounds = "15"] = process.argv.slice(2);

/** In the page: notes when values of moves are shown first, and, after a click, when the next position has them. */
function watch() {
  const times = {};
  window.times = times;
  const look = () => {
    const status = document.getElementById("status")?.textContent || "";
    const isValued = document.querySelector("button.move.best") !== null;
    if (isValued && status.startsWith("Step 0")) times.opened ??= performance.now();
    if (isValued && status.startsWith("Step 1")) times.answered ??= performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

const browser = await launch(chromium);
const [opening, click] = [[], []];
for (let round = 0; round < Number(rounds); round += 1) {
  const server = await explore(sqasp, "stochastic_ttt.gdl");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto(server.address);
  await page.waitForFunction(() => window.times.opened);
  // Opponents and chance are picked, so that the click is all there is to wait for.
  await page.locator("#to-play").click();
  await page.locator("select[data-player=random]").selectOption("pick");
  await page.locator("#to-moves").click();
  await page.locator('button.move[data-move="(mark 2 2)"]').click();
  const keep = page.locator('button.move[data-move="(keep 1)"]');
  await keep.waitFor();
  await page.waitForTimeout(500);
  await keep.evaluate((button) => {
    window.times.clicked = performance.now();
    button.click();
  });
  await page.waitForFunction(() => window.times.answered);
  const { opened, clicked, answered } = await page.evaluate(() => window.times);
  opening.push(opened);
  click.push(answered - clicked);
  await context.close();
  await server.end();
}
await browser.close();

for (const [what, times] of [["first values after opening", opening], ["values after a click", click]]) {
  const [least, middle, most] = [0, times.length >> 1, times.length - 1].map((place) => Math.round(times.sort((a, b) => a - b)[place]));
  console.log(`${what}: ${middle} ms (${least} to ${most})`);
}
