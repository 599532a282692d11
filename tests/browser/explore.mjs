// The explorer in a real browser: what people do with it, and what must not go wrong.
//
//   node explore.mjs SQASP CHROMIUM [DOCS]
//
// `playwright-core` is found through NODE_PATH's folder, see scripts/browser-test. With a third argument pictures of the page
// are written into that folder's `pictures`.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { axe, explore, launch } from "./setting.mjs";

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

const text = async (page, id) => ((await page.locator(`#${id}`).textContent()) || "").replaceAll("\u00a0", " ");

/** Waits until the text of an element is, or has, this. */
async function sees(page, id, wanted) {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await text(page, id);
    if (wanted instanceof RegExp ? wanted.test(found) : found.includes(wanted)) return found;
    await page.waitForTimeout(50);
  }
  throw new Error(`#${id} should show ${wanted}, but shows: ${await text(page, id)}`);
}

/** Waits until what is read from a page equals this: a page shows its parts one after the other. */
async function settles(page, read, wanted) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (isDeepStrictEqual(await read(), wanted)) return;
    await page.waitForTimeout(50);
  }
  assert.deepEqual(await read(), wanted);
}

const count = (page, selector, wanted) => settles(page, () => page.locator(selector).count(), wanted);
const texts = (page, selector, wanted) => settles(page, () => page.locator(selector).allTextContents(), wanted);

const openTab = (page, name) => page.getByRole("tab", { name, exact: true }).click();

/** Chooses who decides for a role. */
async function setPlayer(page, role, who) {
  await openTab(page, "Play");
  await page.locator(`select[data-player=${role}]`).selectOption(who);
  await openTab(page, "Moves");
}

/** The findings of axe about what is shown. */
const findings = (page) => page.evaluate(`${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`);

/** Nothing is wider than the window. */
async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

/** Starts the explorer of rules that are a text. */
async function exploreText(name, rules) {
  const file = join(mkdtempSync(join(tmpdir(), "sqasp-")), `${name}.gdl`);
  writeFileSync(file, rules);
  return explore(sqasp, file);
}

const move = (page, name) => page.locator(`button.move[data-move="(${name})"]`);
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

const tests = {
  async "a board opens with exact values"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "42.2 %");
    await sees(page, "status", "xplayer to move, then chance");
    await count(page, "table.board button.cell", 9);
    assert.equal(await text(page, "value-fraction"), "164832/390625");
    assert.match(await move(page, "mark 2 2").getAttribute("aria-label"), /exactly 164832\/390625, best/);
    assert.match(await move(page, "mark 1 1").getAttribute("aria-label"), /loses/);
    // Moves of equal worth share a row.
    assert.deepEqual(await page.locator("ul.moves li").evaluateAll((rows) => rows.map((row) => row.querySelectorAll(".move").length)), [1, 4, 4]);
    // Fractions come on a click, and go.
    await page.locator("#value-text").click();
    await sees(page, "value-text", "164832/390625");
    await sees(page, "moves", "164832/390625");
    await page.keyboard.press("f");
    await sees(page, "value-text", "42.2 %");
    return page;
  },

  async "rounding makes no sure win of a chance, and shows what differs"({ address }) {
    const page = await open(address);
    const told = await page.evaluate(async () => {
      const { Fraction, bare, brief, difference, digitsFor } = await import("./numbers.js");
      const part = (num, den = 10000n) => new Fraction(num, den);
      return [
        [part(9996n), part(3n, 100000n), part(1n, 1n), part(0n), part(2n, 3n), part(5n, 8n)].map((value) => bare(value)),
        [[part(4811n), part(4812n)], [part(9996n), part(9997n)], [part(1n, 2n), part(1n, 2n)]].map(digitsFor),
        [part(-2n, 3n), part(1n, 8n), part(0n)].map((value) => difference(value)),
        brief(part(123456789012345n, 2n)),
      ];
    });
    assert.deepEqual(told, [[">99.9", "<0.1", "100", "0", "66.7", "62.5"], [2, 2, 1], ["−66.7", "+12.5", "0.0"], "123456…2345/2"]);
    return page;
  },

  async "why, play, undo, redo and addresses"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "42.2 %");
    await page.locator("li", { has: move(page, "mark 2 2") }).locator("button.ask").click();
    await sees(page, "why", "flip 1");
    const why = await text(page, "why");
    // Four of five outcomes are worth the same.
    assert.match(why, /keep 1 to 4.*4 in 5/);
    assert.match(why, /flip 1.*1 in 5.*18\.7 %/);
    await picture(page, "explore-why");
    // The dice are picked.
    await setPlayer(page, "random", "pick");
    await page.locator('button.cell[data-cell="2 2"]').click();
    await sees(page, "status", "chance to move");
    await move(page, "flip 1").click();
    await sees(page, "status", /Step 1.*: oplayer/);
    await sees(page, "value-fraction", "73164/390625");
    const address1 = page.url();
    assert.match(address1, /moves=/);
    await page.locator("#undo").click();
    await sees(page, "status", "Step 0");
    await page.locator("#redo").click();
    await sees(page, "status", "Step 1");
    await page.goBack();
    await sees(page, "status", "Step 0");
    const other = await open(address1);
    await sees(other, "status", /Step 1.*: oplayer/);
    await sees(other, "value-fraction", "73164/390625");
    await other.reload();
    await sees(other, "value-fraction", "73164/390625");
    await other.context().close();
    return page;
  },

  async "a game against perfect play, to its end"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "42.2 %");
    await setPlayer(page, "oplayer", "best");
    for (let step = 0; step < 20; step += 1) {
      const status = await sees(page, "status", /xplayer to move|the end/);
      if (status.includes("the end")) break;
      await page.locator("button.move.best").first().click();
      await page.waitForFunction((old) => document.getElementById("status").textContent !== old, status);
    }
    await sees(page, "status", /the end\. xplayer \d+, oplayer \d+/);
    // Three steps may be enough: chance can flip both stones of xplayer.
    await openTab(page, "History");
    assert.ok((await page.locator("#history li").count()) >= 4);
    await page.waitForFunction(() => document.querySelectorAll("#curve circle").length === document.querySelectorAll("#history li").length);
    await sees(page, "summary", /xplayer lost nothing\. oplayer lost nothing\. Luck gave xplayer/);
    await picture(page, "explore-end");
    return page;
  },

  async "the keyboard is enough"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "42.2 %");
    await page.keyboard.press("1");
    await sees(page, "status", "Step 1");
    await page.keyboard.press("ArrowLeft");
    await sees(page, "status", "Step 0");
    await page.keyboard.press("ArrowRight");
    await sees(page, "status", "Step 1");
    await page.keyboard.press("Home");
    await sees(page, "status", "Step 0");
    await page.keyboard.press("w");
    await sees(page, "why", "Why mark 2 2?");
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
    await sees(page, "value-text", "42.2 %");
    await openTab(page, "Play");
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
    await sees(page, "value-text", "42.2 %");
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
    await sees(page, "value-text", "42.2 %");
    return page;
  },

  async "a narrow window, dark"({ address }) {
    const page = await open(address, { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true });
    await sees(page, "value-text", "42.2 %");
    await fits(page);
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
    await sees(page, "value-text", "42.2 %");
    await server.end();
    await page.locator('button.cell[data-cell="1 2"]').click();
    await sees(page, "trouble-text", "does not answer");
    // Nothing is lost.
    await sees(page, "status", "Step 0");
    await page.locator("#again").click();
    await sees(page, "trouble-text", "does not answer");
    return page;
  },

  async "both sides choose at once: the value and the mixtures where nobody knows"() {
    const server = await explore(sqasp, "rock_paper_scissors.gdl");
    const page = await open(server.address);
    await sees(page, "value-text", "50.0 %");
    // Where all goals are 0 or 100 there is nothing to choose.
    assert.equal(await page.locator("#objective").isVisible(), false);
    const told = await sees(page, "together", "mixes");
    assert.match(told, /choose at the same time/);
    assert.match(told, /ann mixes paper: 1\/3, rock: 1\/3, scissors: 1\/3; bob mixes paper: 1\/3/);
    await server.end();
    return page;
  },

  async "a game opens with the question that fits it, where somebody chooses"() {
    const poker = await explore(sqasp, "hidden_kuhn_poker.gdl");
    const page = await open(poker.address);
    await sees(page, "about", "Each has put one chip into the pot.");
    await sees(page, "status", "Step 1: ann to move");
    // No play wins, so points are shown.
    await settles(page, () => page.locator("#objective").inputValue(), "1");
    await sees(page, "value-note", "ann gets this number of points on average");
    await poker.end();
    await page.context().close();
    const coins = await explore(sqasp, "oshi_zumo.gdl");
    const other = await open(coins.address);
    await sees(other, "value-text", "50.00");
    await setPlayer(other, "right", "best");
    for (let step = 0; step < 20 && !/the end/.test(await text(other, "status")); step += 1) {
      await other.locator("#best").click({ timeout: 2000 }).catch(() => {});
      await other.waitForTimeout(200);
    }
    await sees(other, "status", "the end. left 50, right 50");
    await coins.end();
    return other;
  },

  async "no text is a mistake of the page, and bounds that look the same are one number"() {
    const server = await explore(sqasp, "hidden_tic_tac_toe_3x3.gdl");
    const page = await open(server.address);
    await sees(page, "work-text", "computing");
    await sees(page, "possible", "state");
    assert.doesNotMatch(await page.locator("body").textContent(), /\[object|undefined|NaN|worth not known/);
    const told = await page.evaluate(async () => {
      const { known } = await import("./numbers.js");
      const bounds = (low, high) => ({ lower: { num: String(low), den: "100000" }, upper: { num: String(high), den: "100000" } });
      return [bounds(52110, 52120), bounds(52110, 54000), bounds(0, 100000)].map((each) => known(each).text.replaceAll("\u00a0", " "));
    });
    assert.deepEqual(told, ["52.1… %", "52.1 to 54.0 %", "not known"]);
    await server.end();
    return page;
  },

  async "cells that moves name are a board, even while it is empty"() {
    const server = await explore(sqasp, "hidden_battleship.gdl");
    const page = await open(server.address);
    await count(page, "table.board button.cell", 9);
    await page.locator('button.cell[data-cell="b 2"]').click();
    await count(page, "table.board button.cell", 8);
    await server.end();
    return page;
  },

  async "fractions have room"({ address }) {
    for (const width of [1280, 390]) {
      const page = await open(`${address}#moves=${encodeURIComponent("((mark 2 2) noop (keep 1))")}`, { viewport: { width, height: 860 } });
      await sees(page, "value-note", "wins with this probability, if both sides play perfectly");
      await page.keyboard.press("f");
      await sees(page, "moves", "/");
      const overlaps = await page.evaluate(() => [...document.querySelectorAll("ul.moves li")].flatMap((row) => {
        const boxes = [...row.querySelectorAll(".worth, .loss, .ask, .meter")].map((each) => each.getBoundingClientRect());
        return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1));
      }).length);
      assert.equal(overlaps, 0);
      await fits(page);
      if (width === 390) return page;
      await page.context().close();
    }
    return undefined;
  },

  async "the last step is told, and best play comes to an end"({ address }) {
    const page = await open(`${address}#moves=${encodeURIComponent("((mark 2 2) noop (flip 1))")}`);
    await sees(page, "status", "Step 1 (xplayer: mark 2 2; chance: flip 1): oplayer to move");
    await page.context().close();
    const server = await explore(sqasp, "endless_ur_ending.gdl");
    const other = await open(server.address);
    await openTab(other, "Best play");
    await sees(other, "best-line", /the end: .*probability/);
    await server.end();
    return other;
  },

  async "a game that hides something is shown as a role knows it"() {
    const server = await explore(sqasp, "hidden_kuhn_poker.gdl", "--objective", "points");
    const page = await open(server.address);
    // Chance has dealt, since nobody chooses before.
    await sees(page, "status", "Step 1: ann to move");
    await page.keyboard.press("Home");
    await sees(page, "value-fraction", "-1/18");
    await texts(page, "[role=tab]", ["Moves", "Rules", "Play"]);
    // Chance deals, and nobody sees what bob has.
    await page.locator("#roll").click();
    await sees(page, "status", "Step 1: ann to move");
    await sees(page, "seen", /saw (jack|queen|king)/);
    // A card shows its rank.
    assert.match(await page.locator(".card").textContent(), /^(Jjack|Qqueen|Kking)$/);
    await sees(page, "possible", /2 states.*50\.0 %.*50\.0 %/);
    assert.doesNotMatch(await text(page, "scene"), /bob/);
    assert.doesNotMatch(page.url() + (await page.locator("#log").inputValue()), /deal|jack|queen|king/);
    const address = page.url();
    await page.locator("#reveal").check();
    await sees(page, "scene", "bob");
    await sees(page, "possible", "(true)");
    await page.locator("#reveal").uncheck();
    await page.waitForFunction(() => !document.getElementById("scene").textContent.includes("bob"));
    await page.locator("#best").click();
    await sees(page, "status", /Step [234][^:]*(: [a-z]+\))?: (ann to move|the end)/);
    await page.goto(address);
    await page.reload();
    await sees(page, "status", "Step 1: ann to move");
    await server.end();
    return page;
  },

  async "what is likely, and what to do, after what a role saw; and everybody's moves where all is revealed"() {
    const server = await explore(sqasp, "hidden_kuhn_poker.gdl", "--objective", "points");
    const played = "(noop noop (deal queen jack)) (check noop noop) (noop bet noop)";
    const page = await open(`${server.address}#moves=${encodeURIComponent(played)}`);
    await sees(page, "possible", /bob: holds king75\.0 %.*bob: holds jack25\.0 %/);
    await sees(page, "moves", /plays \d+\.\d %.*plays \d+\.\d %/);
    assert.match(await text(page, "value-note"), /ann gets this number of points on average, by what it knows, while bob keeps to a best mixture/);
    await picture(page, "explore-hidden");
    // The page of bob.
    await page.locator("#role").selectOption("bob");
    await sees(page, "seen", /saw jack.*saw check/);
    await sees(page, "possible", "ann: holds");
    await page.locator("#role").selectOption("ann");
    await page.locator("#reveal").check();
    await page.locator("#first").click();
    await move(page, "deal king jack").click();
    await sees(page, "status", "Step 1 (chance: deal king jack): ann to move");
    await page.locator('button.move[data-move="bet"]').click();
    await sees(page, "status", "Step 2 (ann: bet): bob to move");
    await sees(page, "moves", /fold.*plays 100\.0 %.*call.*never/);
    await page.locator('button.move[data-move="call"]').click();
    await sees(page, "status", "the end. ann 2, bob -2");
    await sees(page, "value-text", "2");
    await server.end();
    return page;
  },

  async "one role against chance, and a game that is too large to be solved at once"() {
    const monty = await explore(sqasp, "hidden_monty_hall.gdl");
    const page = await open(`${monty.address}#moves=${encodeURIComponent("(noop (hide 2)) ((pick 1) noop) (noop (open 3))")}`);
    await sees(page, "value-fraction", "2/3");
    await sees(page, "possible", /car 2.*66\.7 %.*car 1.*33\.3 %/);
    await page.locator("#best").click();
    await sees(page, "status", "the end. guest 100");
    await monty.end();
    const dice = await explore(sqasp, "hidden_liars_dice.gdl");
    await page.goto(dice.address);
    await sees(page, "status", "Step 1: ann to move");
    await sees(page, "value-text", "%");
    await sees(page, "possible", /states/);
    await fits(page);
    await dice.end();
    return page;
  },

  async "scores, piles and dice are recognised, and outcomes of equal worth merged"() {
    const server = await explore(sqasp, "pig.gdl");
    const page = await open(`${server.address}#moves=${encodeURIComponent("(roll noop (die 3))")}`);
    await sees(page, "status", "Step 1");
    await texts(page, ".score h2", ["xplayer, to move", "oplayer"]);
    assert.match(await page.locator(".score.active").textContent(), /0 score/);
    await count(page, ".pile .stone", 3);
    await count(page, ".dice .die circle", 3);
    await count(page, "table.board", 0);
    await setPlayer(page, "random", "pick");
    await page.locator('button.move[data-move="roll"]').click();
    await page.waitForFunction(() => document.querySelectorAll("button.move[data-move^='(die']").length === 3);
    await server.end();
    return page;
  },

  async "several facts with coordinates are one board"() {
    const server = await exploreText("crate", `(role robot) (succ 1 2) (succ 2 3) (init (robot 1 1)) (init (wall 2 1)) (init (crate 2 2)) (init (steps 1))
      (<= (legal robot (go ?x ?z)) (true (robot ?x ?y)) (succ ?y ?z)) (<= (legal robot (go ?z ?y)) (true (robot ?x ?y)) (succ ?x ?z) (not (true (wall ?z ?y))))
      (<= (next (robot ?x ?y)) (does robot (go ?x ?y))) (<= (next (wall ?x ?y)) (true (wall ?x ?y)))
      (<= (next (crate ?x ?y)) (true (crate ?x ?y)) (not (does robot (go ?x ?y)))) (<= (next (crate 2 3)) (does robot (go 2 2)))
      (<= (next (steps ?n)) (true (steps ?m)) (succ ?m ?n)) (<= terminal (true (steps 3))) (<= (goal robot 100) (true (crate 2 3))) (<= (goal robot 0) (not (true (crate 2 3))))`);
    const page = await open(server.address);
    await sees(page, "value-text", "100 %");
    await count(page, "table.board", 1);
    await texts(page, "table.board b", ["R", "W", "C"]);
    // The first step has one way to go, and is made.
    await sees(page, "status", "Step 1: robot to move");
    await page.keyboard.press("Home");
    await move(page, "go 1 2").click();
    await page.locator('button.cell[data-cell="2 2"]').click();
    await sees(page, "status", "the end. robot 100");
    assert.deepEqual(await findings(page), []);
    await server.end();
    return page;
  },

  async "a game opens where the first choice is, by the fewest steps"() {
    const server = await explore(sqasp, "pig.gdl");
    const page = await open(server.address);
    // A one would end the turn.
    await sees(page, "status", /^Step 1 \(chance: die [2-6]\): xplayer to move/);
    await server.end();
    return page;
  },

  async "opponents of one role play together, and the page says so"() {
    const server = await explore(sqasp, "truel.gdl");
    const page = await open(server.address);
    await sees(page, "value-fraction", "1/21");
    assert.match(await text(page, "value-note"), /if bob and cid play together against it, and both sides perfectly/);
    await server.end();
    return page;
  },

  async "bounds of a position are not forgotten when the page comes back to it"() {
    const server = await explore(sqasp, "stochastic_ttt_4x4.gdl");
    const page = await open(server.address);
    const bound = async () => Number.parseFloat(/^[\d.]+/.exec(await text(page, "value-text"))?.[0] ?? "0");
    // Bounds of the first second are not kept.
    await sees(page, "value-text", /[1-9]/);
    await sees(page, "work-text", /^$|for ([2-9]|\d\d)\s/);
    const first = await bound();
    await page.keyboard.press("1");
    await page.keyboard.press("r");
    await sees(page, "status", "Step 1");
    await page.keyboard.press("ArrowLeft");
    await sees(page, "status", "Step 0");
    assert.ok((await bound()) >= first, `${await bound()} is less than ${first}`);
    await server.end();
    return page;
  },

  async "snakes and ladders lead on, and outcomes show the die"() {
    const server = await explore(sqasp, "endless_snakes.gdl");
    const page = await open(server.address);
    await texts(page, ".track i", ["↗\u00a07", "↘\u00a05", "↘\u00a03"]);
    await texts(page, "figcaption", ["on the squares"]);
    await count(page, "ul.moves .die", 3);
    await page.keyboard.press("w");
    await count(page, "#why td .die", 3);
    await server.end();
    return page;
  },

  async "natural order"() {
    const throws = Array.from({ length: 12 }, (_, at) => `(legal random (pigs ${at + 1}))`).join(" ");
    const server = await exploreText("pigs", `(role ann) (role random) (init (score ann 0)) (legal ann go) ${throws}
      (<= (next (score ann ?n)) (does random (pigs ?n))) (<= over (true (score ann ?n)) (distinct ?n 0)) (<= terminal over)
      (<= (goal ann 100) (true (score ann 12))) (<= (goal ann 0) (not (true (score ann 12))))`);
    const page = await open(server.address);
    await sees(page, "value-fraction", "1/12");
    await page.keyboard.press("w");
    await sees(page, "why", /pigs 1 to 11 \(the end\)11 in 120 %show.*pigs 12 \(the end\)1 in 12100 %/);
    await server.end();
    return page;
  },

  async "lines of the rules say how facts are shown, and contradictions are told"() {
    const rules = readFileSync(new URL("../../games/pig.gdl", import.meta.url), "utf8");
    const server = await exploreText("pig", `; show score as track\n; show time as nothing\n; show pot as dice\n; show the board as it is\n${rules}`);
    const page = await open(server.address);
    await sees(page, "value-text", "%");
    await count(page, ".track", 1);
    await count(page, ".track .token", 2);
    assert.doesNotMatch(await text(page, "scene"), /time/);
    assert.equal(await page.locator("#hints").isVisible(), false);
    await server.end();
    const wrong = await exploreText("pig", `; show pot as dice\n; show pot as pile\n; show pott as pile\n; show score as stars\n${rules}`);
    const other = await open(wrong.address);
    const told = await sees(other, "hints", "keep one of them");
    assert.match(told, /Line 2 of the rules: comments show `pot` as dice and as pile, so none of them is followed: keep one of them\./);
    assert.match(told, /Line 3 of the rules: no fact is called `pott`/);
    assert.match(told, /Line 4 of the rules: `stars` is no way to show facts, so this comment is not looked at: use one of score, track/);
    await other.context().close();
    await wrong.end();
    return page;
  },

  async "objective and role are switched on the page"({ address }) {
    const server = await explore(sqasp, "dive.gdl");
    const page = await open(server.address);
    await sees(page, "value-fraction", "5/54");
    await page.locator("#objective").selectOption({ label: "points" });
    await sees(page, "value-fraction", "250/9");
    await sees(page, "value-text", "27.78");
    const again = await open(page.url());
    await sees(again, "value-fraction", "250/9");
    await again.context().close();
    await page.goto(`${server.address}#objective=fame`);
    await page.reload();
    await sees(page, "trouble-text", "fame");
    await server.end();
    await page.goto(address);
    await sees(page, "value-text", "42.2 %");
    await page.locator("#role").selectOption("oplayer");
    await sees(page, "value-fraction", /^(?!164832)\d+\/\d+$/);
    page.complaints.length = 0;
    return page;
  },

  async "blunders of the play are named"({ address }) {
    const page = await open(`${address}#moves=${encodeURIComponent("((mark 2 2) noop (keep 1)) (noop (mark 1 2) (flip 1)) ((mark 2 1) noop (keep 1))")}`);
    await openTab(page, "History");
    await sees(page, "summary", /oplayer lost \d\S* \(1 blunder\)\. Luck gave xplayer \+/);
    await sees(page, "history", /xplayer: mark 2 2 best/);
    await sees(page, "history", /oplayer: mark 1 2 −23\.0 blunder \?\?/);
    await sees(page, "history", /chance: flip 1 luck \+/);
    return page;
  },

  async "the rules that fired are marked"({ address }) {
    const page = await open(`${address}#moves=${encodeURIComponent("((mark 2 2) noop (flip 1))")}`);
    await openTab(page, "Rules");
    await page.locator("mark.made").first().waitFor();
    const made = await page.locator("mark.made").evaluateAll((marks) => marks.map((mark) => `${mark.textContent} => ${mark.title}`));
    assert.ok(made.some((text) => text.startsWith("(<= (next (cell") && text.endsWith("=> (cell 2 2 oplayer)")), made.join("\n"));
    assert.ok(made.some((text) => text.includes("(legal") && text.includes("xplayer (mark 2 2)")), made.join("\n"));
    await page.setViewportSize({ width: 1000, height: 560 });
    await picture(page, "explore-rules");
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelectorAll("#rules mark").length === 0);
    return page;
  },

  async "a link and pictures of the position"({ address }) {
    const page = await open(address);
    await sees(page, "value-text", "42.2 %");
    await page.locator("#share summary").click();
    assert.equal(await page.locator("#link").inputValue(), page.url());
    const saved = async (id) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#${id}`).click()]);
      return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    const [name, svg] = await saved("svg");
    assert.equal(name, "stochastic_ttt.svg");
    assert.match(String(svg), /^<svg xmlns.*<rect.*<text[^>]*>42\.2<\/text>.*<\/svg>$/s);
    assert.match(String(svg), />stochastic_ttt, at the start<.*>xplayer: 42\.2.%.\(164832\/390625\)</s);
    const [, png] = await saved("png");
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.ok(png.length > 5000, `${png.length} bytes`);
    await page.keyboard.press("Escape");
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await page.locator("#best").isVisible(), await page.locator("#scene").isVisible()], [false, true]);
    return page;
  },

  async "axe finds nothing, in no tab, light and dark, wide and narrow"({ address }) {
    const played = `#moves=${encodeURIComponent("((mark 2 2) noop (keep 1)) (noop (mark 1 2) (flip 1))")}`;
    for (const options of [{}, { colorScheme: "dark", viewport: { width: 360, height: 740 } }]) {
      const page = await open(address + played, options);
      await sees(page, "value-text", /\d/);
      await page.keyboard.press("w");
      for (const tab of ["History", "Best play", "Rules", "Play", "Moves"]) {
        await openTab(page, tab);
        assert.deepEqual(await findings(page), [], tab);
      }
      await page.context().close();
    }
    const hidden = await explore(sqasp, "hidden_kuhn_poker.gdl");
    for (const options of [{}, { colorScheme: "dark", viewport: { width: 360, height: 740 } }]) {
      const page = await open(`${hidden.address}#moves=${encodeURIComponent("(noop noop (deal queen jack)) (check noop noop) (noop bet noop)")}`, options);
      await sees(page, "possible", "2 states");
      assert.deepEqual(await findings(page), []);
      await page.locator("#reveal").check();
      await sees(page, "possible", "(true)");
      assert.deepEqual(await findings(page), []);
      await fits(page);
      await page.context().close();
    }
    await hidden.end();
    for (const game of ["pig.gdl", "goofspiel_3.gdl", "endless_ludo.gdl", "last_stone.gdl"]) {
      const server = await explore(sqasp, game);
      const page = await open(server.address, { viewport: { width: 360, height: 740 } });
      await sees(page, "value-text", /\d/);
      assert.deepEqual(await findings(page), [], game);
      await fits(page);
      await page.context().close();
      await server.end();
    }
    return open(address);
  },

  async "the games of a folder"() {
    const server = await explore(sqasp, ".");
    const page = await open(server.address);
    const shown = "#games > li:not([hidden])";
    // Variants of one game are in one card, and say how they differ; games are read one after the other.
    const card = page.locator("#games > li", { has: page.getByRole("heading", { name: "Connect", exact: true }) });
    await settles(page, async () => (await card.locator("ul li").count()) > 3, true);
    await settles(page, () => card.locator(".picture table.board").count(), 1);
    assert.match(await card.textContent(), /connect_3 4 columns.*2 players/);
    // Values come with the cards that are seen.
    await page.getByRole("link", { name: "endless_pursuit" }).scrollIntoViewIfNeeded();
    await settles(page, async () => /endless2\.9.% for hare/.test(await page.locator("#games > li", { hasText: "endless_pursuit" }).textContent()), true);
    assert.deepEqual(await findings(page), []);
    await fits(page);
    await page.setViewportSize({ width: 1000, height: 700 });
    await picture(page, "explore-games");
    await page.locator("#kind").selectOption("hidden");
    await settles(page, async () => (await page.locator(shown).allTextContents()).every((text) => /hidden/.test(text)), true);
    await settles(page, async () => (await page.locator(shown, { hasText: "hidden_mastermind" }).count()), 1);
    await page.locator("#kind").selectOption("");
    await page.locator("#find").fill("three rolls");
    await count(page, shown, 1);
    await page.locator(`${shown} ul a`).click();
    await sees(page, "title", "three_rolls");
    await sees(page, "value-note", "points on average");
    await page.locator("#all-games").click();
    await sees(page, "games", "Tic-tac-toe");
    await server.end();
    return page;
  },

  async "simultaneous moves"() {
    const server = await explore(sqasp, "fox_and_hounds.gdl");
    const page = await open(server.address);
    await sees(page, "value-fraction", "25/81");
    await sees(page, "together", "fox and hound1 and hound2 choose at the same time");
    // Each role has one place of two coordinates: a board, though it is not proved.
    await count(page, "table.board button.cell", 5);
    await sees(page, "moves", /plays \d+\.\d %/);
    await move(page, "go 1 1").click();
    await sees(page, "status", "hound1 and hound2");
    await move(page, "go 2 3").click();
    await move(page, "go 3 2").click();
    await sees(page, "status", "Step 1");
    await server.end();
    return page;
  },

  async "a team is one role, and its rules fire"() {
    const server = await explore(sqasp, "fox_and_hounds.gdl", "--role", "hound1+hound2");
    const page = await open(server.address);
    await texts(page, "#role option", ["fox", "hound1+hound2"]);
    await sees(page, "value-fraction", "56/81");
    await sees(page, "moves", "plays 100.0 %");
    await move(page, "together (go 2 3) (go 3 2)").click();
    await move(page, "go 1 1").click();
    await sees(page, "status", "Step 1");
    await openTab(page, "Rules");
    await page.locator("mark.made").first().waitFor();
    const made = await page.locator("mark.made").evaluateAll((marks) => marks.map((mark) => mark.title));
    assert.ok(made.some((title) => title.includes("hound1 (go 2 3)") && title.includes("hound2 (go 3 2)")), made.join("\n"));
    await server.end();
    return page;
  },

  async "small losses are losses, and best play has usual throws"({ address }) {
    const page = await open(`${address}#moves=${encodeURIComponent("((mark 2 2) noop (keep 1)) (noop (mark 1 1) (keep 1))")}`);
    await sees(page, "moves", "38.2 %");
    await sees(page, "moves", "−0.02");
    await openTab(page, "Best play");
    await sees(page, "best-line", /by chance, say, keep \d/);
    assert.doesNotMatch((await text(page, "best-line")).split("%")[0], /flip/);
    return page;
  },
};

/** Pictures of games of several kinds, for the book: a game, a name, and moves. */
const kinds = [
  ["pig.gdl", "dice", "(roll noop (die 3)) (hold noop (die 1)) (noop roll (die 2))"],
  ["endless_snakes.gdl", "track", "(throw noop (die 3)) (noop throw (die 1)) (throw noop (die 1))"],
  ["goofspiel_3.gdl", "cards", "(wait wait (turn 2)) ((bid 2) (bid 1) (turn 1))"],
  ["pawn_race.gdl", "pieces", "((go 1 1 1 2) wait) (wait (go 2 4 2 3))"],
];
for (const [game, name, moves] of pictures ? kinds : []) {
  const server = await explore(sqasp, game);
  const page = await open(`${server.address}#moves=${encodeURIComponent(moves)}`, { viewport: { width: 1000, height: 560 } });
  await sees(page, "value-text", /\d/);
  await page.waitForTimeout(1000);
  await picture(page, `explore-${name}`);
  assert.deepEqual(page.complaints, []);
  await server.end();
}

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
