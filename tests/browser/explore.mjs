// The explorer in a real browser: what people do with it, and what must not go wrong.
//
//   node explore.mjs SQASP CHROMIUM [DOCS]
//
// `playwright-core` is found through NODE_PATH's folder, see scripts/browser-test. With a third argument pictures of the page
// are written into that folder's `pictures`.

import assert from "node:assert/strict";
import { join } from "node:path";
import { explore, launch } from "./setting.mjs";

const [sqasp, chromium, docs] = process.argv.slice(2);
const pictures = docs && join(docs, "pictures");

const browser = await launch(chromium);

/** A page that complains of every error, and of every request that leaves the machine. */
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && !message.text().includes("net::ERR_") && complaints.push(message.text()));
  page.on("request", (request) => {
    const host = new URL(request.url()).hostname;
    if (!request.url().startsWith("data:") && host !== "127.0.0.1") complaints.push(`a request to ${host}`);
  });
  page.complaints = complaints;
  await page.goto(address);
  return page;
}

const text = (page, id) => page.locator(`#${id}`).textContent();

/** Waits until the text of an element is, or has, this. */
async function sees(page, id, wanted) {
  const locator = page.locator(`#${id}`);
  for (let tries = 0; tries < 200; tries += 1) {
    const found = (await locator.textContent()) || "";
    if (wanted instanceof RegExp ? wanted.test(found) : found.includes(wanted)) return found;
    await page.waitForTimeout(50);
  }
  throw new Error(`#${id} should show ${wanted}, but shows: ${await locator.textContent()}`);
}

const move = (page, name) => page.locator(`button.move[data-move="(${name})"]`);
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

const tests = {
  async "a board opens with exact values"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await sees(page, "status", "xplayer and chance to move");
    assert.equal(await page.locator("table.board button.cell").count(), 9);
    assert.match(await move(page, "mark 2 2").textContent(), /best/);
    assert.match(await move(page, "mark 1 1").textContent(), /loses/);
    return page;
  },

  async "why, play, undo, redo and addresses"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await page.locator("li", { has: move(page, "mark 2 2") }).locator("button.ask").click();
    await sees(page, "why", "flip 1");
    const why = await text(page, "why");
    assert.match(why, /× 1\/5/);
    assert.match(why, /73164\/390625/);
    await picture(page, "explore-why");
    // The dice are picked.
    await page.locator("select[data-player=random]").selectOption("pick");
    await page.locator('button.cell[data-cell="2 2"]').click();
    await sees(page, "status", "chance to move");
    await move(page, "flip 1").click();
    await sees(page, "status", "Step 1: oplayer");
    await sees(page, "value-text", "73164/390625");
    const address1 = page.url();
    assert.match(address1, /moves=/);
    await page.locator("#undo").click();
    await sees(page, "status", "Step 0");
    await page.locator("#redo").click();
    await sees(page, "status", "Step 1");
    await page.goBack();
    await sees(page, "status", "Step 0");
    const other = await open(address1);
    await sees(other, "status", "Step 1: oplayer");
    await sees(other, "value-text", "73164/390625");
    await other.reload();
    await sees(other, "value-text", "73164/390625");
    await other.context().close();
    return page;
  },

  async "a game against perfect play, to its end"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await page.locator("select[data-player=oplayer]").selectOption("best");
    for (let step = 0; step < 20; step += 1) {
      const status = await sees(page, "status", /xplayer|the end/);
      if (status.includes("the end")) break;
      await page.locator("button.move.best").first().click();
      await page.waitForFunction((old) => document.getElementById("status").textContent !== old, status);
    }
    await sees(page, "status", /the end\. xplayer \d+, oplayer \d+/);
    // Three steps may be enough: chance can flip both stones of xplayer.
    assert.ok((await page.locator("#history li").count()) >= 4);
    await page.waitForFunction(() => document.querySelectorAll("#curve circle").length === document.querySelectorAll("#history li").length);
    await picture(page, "explore-end");
    return page;
  },

  async "the keyboard is enough"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await page.keyboard.press("1");
    await sees(page, "status", "Step 1");
    await page.keyboard.press("ArrowLeft");
    await sees(page, "status", "Step 0");
    await page.keyboard.press("ArrowRight");
    await sees(page, "status", "Step 1");
    await page.keyboard.press("Home");
    await sees(page, "status", "Step 0");
    await page.keyboard.press("w");
    await sees(page, "why", "Why?");
    // By Tab to a cell of the board, and Enter.
    for (let tries = 0; tries < 20; tries += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.dataset.cell === "1 1")) break;
    }
    await page.keyboard.press("Enter");
    await sees(page, "status", "Step 1");
    assert.match(decodeURIComponent(page.url()), /mark\+1\+1/);
    return page;
  },

  async "the play as text is loaded and copied"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await page.locator("summary", { hasText: "The play as text" }).click();
    await page.locator("#log").fill("((mark 2 2) noop (keep 1))\n(noop (mark 1 1) (keep 1))");
    await page.locator("#load").click();
    await sees(page, "status", "Step 2");
    await page.locator("#log").fill("((mark 2 2) noop (keep 1)) ((mark 2 2) noop (keep 1))");
    await page.locator("#load").click();
    await sees(page, "log-note", "is not legal");
    await page.locator("#log").fill("((mark 2 2)");
    await page.locator("#load").click();
    await sees(page, "log-note", "never closed");
    await sees(page, "status", "Step 2");
    return page;
  },

  async "wrong addresses get a message"({ address }) {
    for (const [hash, wanted] of [
      ["#moves=((mark+9+9)+noop+(keep+1))", "not legal"],
      ["#moves=((mark", "never closed"],
      ["#role=nobody", "nobody"],
      ["#state=(no+such+fact)", "no such fact"],
      ["#depth=-3", "-3"],
      [`#moves=${"(".repeat(3000)}`, "closed"],
    ]) {
      const page = await open(address + hash);
      await sees(page, "trouble-text", wanted);
      await sees(page, "status", "Step 0");
      assert.deepEqual(page.complaints, [], hash);
      await page.context().close();
    }
    const page = await open(`${address}#state=(control+oplayer)+(cell+1+1+xplayer)&role=oplayer`);
    await sees(page, "status", "oplayer");
    return page;
  },

  async "a thousand quick clicks"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "164832/390625");
    await page.evaluate(() => {
      for (let click = 0; click < 1000; click += 1) {
        const buttons = [...document.querySelectorAll("main button")].filter((button) => !["copy", "load", "stop"].includes(button.id));
        buttons[(click * 7919) % buttons.length].click();
      }
    });
    await page.waitForTimeout(500);
    await page.locator("#first").click({ force: true }).catch(() => {});
    await page.keyboard.press("Home");
    await sees(page, "status", "Step 0");
    await sees(page, "value-text", "164832/390625");
    return page;
  },

  async "a narrow window, dark"({ address }) {
    const page = await open(address, { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true });
    await sees(page, "value-text", "164832/390625");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    await page.locator('button.cell[data-cell="2 2"]').tap();
    await sees(page, "status", "Step 1");
    await picture(page, "explore-narrow");
    return page;
  },

  async "values of a large game come as bounds, and computing can be stopped"() {
    const server = await explore(sqasp, "stochastic_ttt_4x4.gdl");
    const page = await open(server.address);
    await sees(page, "status", "Step 0");
    await page.waitForFunction(() => document.getElementById("value-text").textContent !== "…");
    if (await page.locator("#stop").isVisible()) {
      await page.locator("#stop").click();
      await sees(page, "work-text", "stopped");
      await page.keyboard.press("s");
      await sees(page, "work-text", /computing|^$/);
    }
    // It can be played all the same.
    await page.locator("button.move").first().click();
    await sees(page, "status", "Step 1");
    await server.end();
    return page;
  },

  async "when the server is gone the page says so"() {
    const server = await explore(sqasp, "stochastic_ttt.gdl");
    const page = await open(server.address);
    await sees(page, "value-text", "164832/390625");
    await server.end();
    await page.locator('button.cell[data-cell="1 2"]').click();
    await sees(page, "trouble-text", "does not answer");
    // Nothing is lost.
    await sees(page, "status", "Step 0");
    await page.locator("#again").click();
    await sees(page, "trouble-text", "does not answer");
    return page;
  },

  async "simultaneous moves"() {
    const server = await explore(sqasp, "fox_and_hounds.gdl");
    const page = await open(server.address);
    await sees(page, "value-text", "25/81");
    await move(page, "go 1 1").click();
    await sees(page, "status", "hound1 and hound2");
    await sees(page, "moves", "89/243");
    await move(page, "go 2 3").click();
    await move(page, "go 3 2").click();
    await sees(page, "status", "Step 1");
    await server.end();
    return page;
  },
};

const server = await explore(sqasp, "stochastic_ttt.gdl");
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const begin = Date.now();
    const page = await test(server);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
    console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`WRONG ${name}: ${error.stack}`);
  }
}
await browser.close();
await server.end();
process.exit(failed ? 1 : 0);
