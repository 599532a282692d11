// The page: what is shown, what was played, and what happens on a click or a key.

import { Contents, cellsOf, drawBoard, isOn, layout } from "./board.js";
import { $, all, el, inFocus } from "./elements.js";
import { drawBestLine, drawHistory, followPlay } from "./follow.js";
import { aboutWorth, chooseUnseen, drawKnowledge, isOpen, mixedMove, moveByMixture, repliesOf as sharesOf, replyByMixture, shownFacts, withShares } from "./knowledge.js";
import { Fraction, ZERO, bare, between, brief, known, part, view } from "./numbers.js";
import { savePng, saveSvg } from "./picture.js";
import { CHANCES, DECIDERS, anyOf, decide } from "./play.js";
import { aboutGame, showRules } from "./rules.js";
import { Scenery, hintsOf } from "./scene.js";
import { Lost, Server } from "./source.js";
import { address, chooseScale, isMixed, keep, left, opponents, page, position, question, random, readAddress, trouble, valueKey } from "./state.js";
import { movesText, parseMoves, plain } from "./terms.js";
import { judge, moveList, repliesOf, whyBlock } from "./values.js";

// Going from position to position

/** Goes to a place in the play; `moves` replaces the play. */
async function go(at, { moves = page.moves, push = true, live = false } = {}) {
  const turn = (page.turn += 1);
  page.source.leave("value");
  page.source.leave("replies");
  page.source.leave("why");
  page.source.leave("decide");
  let here;
  let before = null;
  try {
    here = await position(moves.slice(0, at));
    if (at > 0) before = await position(moves.slice(0, at - 1));
  } catch (error) {
    if (turn === page.turn) trouble(error);
    return;
  }
  if (turn !== page.turn) return;
  trouble(null);
  Object.assign(page, { moves, at, here, before, live, value: null, valueDone: false, replies: null, why: null, mixture: null, knowledge: null, fired: null, chosen: [], from: null, stopped: false, since: Date.now() });
  page.open.clear();
  if (push) page.isDefaultObjective = false;
  if (push && location.hash !== address()) history.pushState(null, "", address());
  here.legal.forEach((legal, role) => {
    if (legal.length === 1) [page.chosen[role]] = legal;
  });
  const remembered = page.values.get(valueKey(here, at));
  if (remembered && remembered.moves) Object.assign(page, { value: remembered, valueDone: isExact(remembered) });
  render();
  evaluate();
  if (!page.intro.is_hidden) followPlay(go);
  openTab(page.tab);
}

/** Bounds of a shorter time are not kept, in milliseconds: the history asks for better ones. */
const SHORT = 1000;

/** How far the bounds of a reply are apart. */
const width = (reply) => {
  const { lower, upper } = known(reply);
  return upper - lower;
};

/** Whether more work can make nothing better of a reply. */
const isExact = (reply) => [reply, ...reply.moves].every(({ value }) => value);

/** Asks for the values of the position at hand. */
async function evaluate() {
  const { turn, here, at } = page;
  if (page.intro.is_hidden) {
    askKnowledge();
    return;
  }
  if (isMixed() && (await askMixture())) {
    moveOn();
    return;
  }
  if (turn !== page.turn) return;
  if (page.valueDone) {
    askReplies();
    moveOn();
    return;
  }
  try {
    askReplies();
    await page.source.ask("value", question(here, at), (reply, isDone) => {
      if (turn !== page.turn) return;
      if (turnToPoints(reply)) return;
      const isCloser = !page.value || width(reply) <= width(page.value);
      Object.assign(page, { value: isCloser ? reply : page.value, valueDone: isDone });
      if (isCloser && (reply.value || Date.now() - page.since > SHORT)) keep(page.values, valueKey(here, at), reply);
      render();
    });
  } catch (error) {
    if (turn !== page.turn) return;
    page.value = { wrong: error.message };
    page.valueDone = true;
    if (error instanceof Lost) trouble(error);
    render();
  }
  if (turn === page.turn) moveOn();
}

/** Asks what others may do, where another role has a choice and the role's move is known. */
async function askReplies() {
  const { turn, here, at } = page;
  const move = page.chosen[page.role];
  const others = here.legal.some((legal, role) => role !== page.role && legal.length > 1);
  page.replies = null;
  if (isMixed() || !move || !others || here.terminal || left(at) === 0) return;
  try {
    await page.source.ask("replies", question(here, at, { command: "replies", move }), (reply) => {
      if (turn !== page.turn || page.chosen[page.role] !== move) return;
      page.replies = reply;
      render();
    });
  } catch {
    // Without values of replies they can still be chosen; the value itself says what is wrong.
  }
}

/** How long the search for what a role should do may take at first, and at last, in seconds. */
const [SOON, LATE] = [2, 30];

/** Asks what the role knows of the position, again and again with more time, where that helps. */
async function askKnowledge() {
  const { turn, moves, at, role } = page;
  for (let time = SOON; ; time = Math.min(4 * time, LATE)) {
    let found;
    try {
      found = await page.source.knowledge({ history: moves.slice(0, at), ...(page.start && { state: page.start }), role: page.intro.roles[role], ...(page.depth !== null && { depth: page.depth }), time });
    } catch (error) {
      found = { wrong: error.message };
      if (error instanceof Lost) trouble(error);
    }
    if (turn !== page.turn || page.stopped) return;
    if (turnToPoints(found.game)) return;
    Object.assign(page, { knowledge: found, value: at === 0 && found.game ? { ...found, ...found.game } : found, valueDone: !found.is_open });
    render();
    moveOn();
    if (!found.is_open) return;
  }
}

/** Whether the role and another player choose at once. */
function isTogether() {
  const { here } = page;
  if (page.intro.is_hidden) return false;
  const others = here.legal.some((legal, role) => role !== page.role && role !== random() && legal.length > 1);
  return !here.terminal && left(page.at) !== 0 && here.legal[page.role].length > 1 && others;
}

/** Asks for the value where roles choose at the same time. Says whether it is known, or the page has turned to another position. */
async function askMixture() {
  const { turn, here, at } = page;
  try {
    const mixture = page.valueDone ? page.value : await page.source.mixture(question(here, at));
    if (turn !== page.turn) return true;
    if (turnToPoints(mixture)) return true;
    Object.assign(page, { mixture, value: mixture, valueDone: true });
    keep(page.values, valueKey(here, at), mixture);
  } catch (error) {
    if (turn !== page.turn) return true;
    if (error instanceof Lost) trouble(error);
    page.mixture = { wrong: error.message };
  }
  render();
  return !page.mixture.wrong;
}

/** A role decides. */
function choose(role, move) {
  if (page.here.terminal || !page.here.legal[role].includes(move)) return;
  page.live = true;
  page.chosen[role] = move;
  page.from = null;
  if (role === page.role) askReplies();
  render();
  moveOn();
}

/** Plays a joint move. */
function play(joint, live) {
  const same = page.moves.length > page.at && page.moves[page.at].join() === joint.join();
  const moves = same ? page.moves : [...page.moves.slice(0, page.at), joint];
  return go(page.at + 1, { moves, live });
}

/** Makes the choices that are not yours, and makes the step when all have. */
async function moveOn() {
  const { turn, here } = page;
  if (!page.live || here.terminal || here.legal.some((legal) => legal.length === 0)) return;
  const chance = random();
  if (!isOpen() && page.chosen[page.role]) {
    if (!page.knowledge) return;
    chooseUnseen();
  }
  const open = () => here.legal.map((_, role) => role).filter((role) => !page.chosen[role]);
  if (isMixed() && !page.valueDone) return;
  const reply = isMixed() ? replyByMixture() : new Map();
  for (const role of open()) {
    if (role === chance || page.intro.is_hidden || page.players[role] === "you") continue;
    const isOpponent = role !== page.role;
    if (isMixed() && page.players[role] === "best") {
      page.chosen[role] = moveByMixture(role, reply);
      continue;
    }
    const focus = isOpponent ? page.chosen[page.role] : undefined;
    // Opponents know the role's move.
    if (isOpponent && focus === undefined) continue;
    const position = question(here, page.at);
    const move = await decide(page.source, page.players[role], { position, legal: here.legal[role], place: role, focus });
    if (turn !== page.turn || page.chosen[role] || move === undefined) return;
    page.chosen[role] = move;
    if (role === page.role) return moveOn();
  }
  const rest = open();
  if (rest.length === 1 && rest[0] === chance && page.players[chance] === "roll" && !page.intro.is_hidden) {
    page.chosen[chance] = anyOf(here.legal[chance]);
  }
  if (open().length) {
    render();
    return;
  }
  const isWatched = here.legal.every((legal, role) => legal.length === 1 || (isOpen() ? page.players[role] !== "you" : role !== page.role));
  if (isWatched) await new Promise((done) => setTimeout(done, 350));
  if (turn === page.turn) play([...page.chosen], true);
}

/** Rolls, or lets the play go on. */
function goOn() {
  if (page.here.terminal) return;
  page.live = true;
  const chance = random();
  if (isOpen() && chance >= 0 && !page.chosen[chance] && page.chosen.filter(Boolean).length === page.here.legal.length - 1) {
    page.chosen[chance] = anyOf(page.here.legal[chance]);
  }
  moveOn();
}

/** Plays the best move of each role with a choice; chance is thrown, if it is not picked. */
async function playBest() {
  const { turn, here } = page;
  if (page.intro.is_hidden) {
    if (page.knowledge && page.knowledge.moves && page.knowledge.moves.length && !page.chosen[page.role]) choose(page.role, mixedMove());
    return;
  }
  if (isMixed()) {
    if (!page.valueDone || here.terminal) return;
    const reply = replyByMixture();
    here.legal.forEach((_, role) => {
      if (role !== random()) page.chosen[role] ||= moveByMixture(role, reply);
    });
    goOn();
    return;
  }
  const order = [page.role, ...here.legal.keys()];
  for (const role of order) {
    if (role === random() || page.chosen[role] || here.terminal) continue;
    const focus = role === page.role ? undefined : page.chosen[page.role];
    const move = await decide(page.source, "best", { position: question(here, page.at), legal: here.legal[role], place: role, focus });
    if (turn !== page.turn || move === undefined) return;
    page.chosen[role] = move;
  }
  goOn();
}

// Drawing

/** While a button is pressed nothing is drawn, since a click on an element that was replaced is lost. */
const press = { isDown: false, isLate: false };
const isPressed = (isDown) => {
  press.isDown = isDown;
  if (!isDown && press.isLate) setTimeout(render);
};

function render() {
  press.isLate = press.isDown;
  if (press.isLate) return;
  document.body.classList.toggle("fractions", view.asFractions);
  const { here, intro } = page;
  const chance = random();
  const over = here.terminal;
  const deciders = here.legal.map((legal, role) => (legal.length > 1 && (isOpen() || role === page.role) ? role : -1)).filter((role) => role >= 0);
  const waiting = deciders.filter((role) => !page.chosen[role]).map((role) => (role === chance ? "chance" : intro.roles[role]));
  const people = waiting.filter((who) => who !== "chance");
  const goals = here.goals.map((goal, role) => [intro.roles[role], goal[0]]).filter(([role, goal]) => role !== "random" && goal !== undefined);
  let status = `Step ${page.at}${lastStep()}: `;
  if (over) status += `the end. ${goals.map(([role, goal]) => `${role} ${goal}`).join(", ")}`;
  else if (left(page.at) === 0) status += "no steps are left";
  else if (people.length) status += `${people.join(" and ")} to move${people.length < waiting.length ? ", then chance" : ""}`;
  else if (waiting.length) status += "chance to move";
  else status += isOpen() ? "one way to go on" : `${intro.roles[page.role]} has no choice`;
  if ($("status").textContent !== status) $("status").textContent = status;
  const marked = { ...inFocus()?.dataset };
  const lists = moveLists();
  drawScene(lists, people);
  const scrolled = all("ul.moves").map((list) => list.scrollTop);
  $("moves").replaceChildren(...lists.map((list) => list.element));
  all("ul.moves").forEach((list, at) => (list.scrollTop = scrolled[at] || 0));
  drawTogether();
  drawKnowledge(go, opponents());
  drawValue();
  drawWhy();
  $("undo").disabled = $("first").disabled = page.at === 0;
  $("redo").disabled = $("last").disabled = page.at >= page.moves.length;
  $("roll").disabled = over || !(waiting.length === 0 || (waiting.length === 1 && waiting[0] === "chance"));
  $("roll").textContent = waiting.length === 1 && waiting[0] === "chance" ? "Roll" : "Next";
  $("best").disabled = over || people.length === 0;
  $("link").value = location.href;
  if ($("log") !== document.activeElement) $("log").value = isOpen() ? movesText(page.moves) : "";
  if (!intro.is_hidden) drawHistory(go);
  restoreFocus(marked);
}

/** What each did in the last step, of those that had a choice. */
function lastStep() {
  if (!page.before || !isOpen()) return "";
  const made = page.moves[page.at - 1].map((move, role) => [move, role]).filter(([, role]) => page.before.legal[role].length > 1);
  const texts = made.map(([move, role]) => `${role === random() ? "chance" : page.intro.roles[role]}: ${plain(move)}`);
  return texts.length ? ` (${texts.join("; ")})` : "";
}

/**
 * What was in focus before everything was drawn again.
 * @param {{move?: string, cell?: string}} marked
 */
function restoreFocus({ move, cell }) {
  const same = (name, value) => value !== undefined && all(`[data-${name}]`).find((each) => each.dataset[name] === value);
  const found = same("move", move) || same("cell", cell);
  if (found) found.focus({ preventScroll: true });
}

/** The moves of each role with a choice, with what they are worth. */
function moveLists() {
  const { here, intro } = page;
  if (here.terminal) return [];
  const chance = random();
  const alone = here.legal.every((legal) => legal.length <= 1);
  const lists = [];
  here.legal.forEach((legal, role) => {
    const isChance = role === chance;
    if (legal.length < 2 && !((alone || !isOpen()) && role === page.role)) return;
    if (role !== page.role && !isOpen()) return;
    // What chance may do depends on what the others do: first they choose.
    if (isChance && here.legal.some((_, other) => other !== role && !page.chosen[other])) return;
    let judged = new Map();
    if (role === page.role && page.value && page.value.moves) judged = judge(page.value.moves, 1);
    else if (isChance && page.replies) {
      const reply = replyChosen();
      if (reply) judged = judge(reply.outcomes, 0);
    } else if (page.replies) judged = judge(repliesOf(page.replies.replies, role), intro.is_selfish ? 0 : -1);
    const hasShares = intro.is_hidden || isMixed();
    if (hasShares && role === page.role && page.value && page.value.moves) judged = withShares(judged, page.value.moves);
    else if (hasShares) judged = withShares(judged, sharesOf(role));
    const name = isChance ? `Chance: ${legal.length} outcomes` : `Moves of ${intro.roles[role]}`;
    const first = lists.length === 0;
    const element = moveList({
      title: name,
      moves: legal,
      judged,
      chosen: page.chosen[role],
      pick: (move) => choose(role, move),
      why: role === page.role && left(page.at) !== 0 && !hasShares ? (move) => ask(move) : null,
      numbered: first,
      isChance,
      note: !hasShares && role !== page.role && !isChance && here.legal[page.role].length > 1 && !page.chosen[page.role] ? `What they are worth is told after a choice of ${intro.roles[page.role]}.` : "",
      open: page.open,
      more: (key) => {
        page.open.add(key);
        render();
      },
    });
    lists.push({ role, legal, judged, element, isChance });
  });
  if (!intro.is_hidden && !isMixed() && !lists.some((list) => list.role === page.role) && page.chosen[page.role] && left(page.at) !== 0) {
    const move = page.chosen[page.role];
    lists.push({
      role: -1,
      legal: [],
      judged: new Map(),
      element: el("p", {}, el("button", { type: "button", class: "ask", "data-move": move, onclick: () => ask(move) }, "Why is the position worth that?")),
    });
  }
  return lists;
}

/** The reply that the choices so far lead to: the worst for the role among those that fit. */
function replyChosen() {
  const fits = (reply) => reply.joint_move.every((move, role) => move === null || !page.chosen[role] || page.chosen[role] === move);
  return page.replies.replies.find(fits);
}

/** The boards, with the moves that name cells, and what else there is. */
function drawScene(lists, waiting) {
  // The old text stays until the new one is known.
  if (!isOpen() && !page.knowledge) return;
  const shown = shownFacts();
  const boards = page.scenery.boards(page.boards, shown, lists.flatMap(({ legal }) => legal));
  $("turn").hidden = boards.length === 0;
  // The panel sits beside what is small.
  $("stage").parentElement.classList.toggle("small", boards.length === 0);
  const drawn = boards.map((shape) => {
    const marks = new Map();
    for (const list of lists) {
      if (list.isChance && lists.length > 1) continue;
      for (const move of list.legal) {
        const { cells, line } = cellsOf(move, shape);
        const places = cells.length ? [page.from && cells.length > 1 && cells[0].join() === page.from ? cells[1] : cells[0]] : [];
        if (line >= 0) shape.lines[1].forEach((_, other) => places.push([line, other]));
        for (const place of places) {
          const key = place.join();
          if (page.from && cells.length > 1 && cells[0].join() !== page.from && key !== page.from) continue;
          if (!marks.has(key)) marks.set(key, []);
          marks.get(key).push({ list, move, cells, isLine: line >= 0 });
        }
      }
    }
    return drawBoard({
      shape,
      facts: shown,
      before: isOpen() && page.before && page.before.facts,
      hints: page.hints,
      contents: page.contents,
      lay: layout(shape, page.hints, page.turns),
      marks: (cell) => markOf(marks.get(cell.join()), cell.join(), shape),
    });
  });
  const loose = shown.filter((fact) => !boards.some((shape) => isOn(shape, fact)));
  const thrown = isOpen() && page.at > 0 && random() >= 0 ? page.moves[page.at - 1][random()] : null;
  const { elements, rest } = page.scenery.draw(loose, { active: waiting, thrown, isOver: page.here.terminal, at: page.at });
  const facts = rest.length ? [el("ul", { class: "facts", "aria-label": drawn.length + elements.length ? "Other facts" : "Facts" }, ...rest.map((fact) => el("li", {}, page.scenery.words(fact))))] : [];
  const none = isOpen() ? "No fact holds here." : `No fact is known to ${page.intro.roles[page.role]}.`;
  const nothing = shown.length ? [] : [el("p", { class: "note" }, none)];
  $("scene").replaceChildren(...drawn, ...elements, ...facts, ...nothing);
}

/** The most cells in a row whose notes have more than whole percent. */
const MAX_ROW = 5;

/** What a cell says and does, given the moves that name it. */
function markOf(found, key, shape) {
  if (!found) return null;
  const order = (each) => [...each.list.judged.keys()].indexOf(each.move) >>> 0;
  const [{ list, move, cells }] = [...found].sort((a, b) => order(a) - order(b));
  const judged = list.isChance ? undefined : list.judged.get(move);
  const isFrom = page.from === key;
  const isStart = cells.length > 1 && cells[0].join() === key && !isFrom;
  const click = () => {
    if (isFrom) page.from = null;
    else if (isStart && (found.length > 1 || !page.from)) page.from = key;
    else if (found.length === 1) return choose(list.role, move);
    else return pickFrom(found);
    render();
    return undefined;
  };
  const isWide = Math.max(...shape.lines.map((line) => line.length)) > MAX_ROW;
  return {
    name: plain(move),
    label: `${plain(move)}${judged ? `: ${judged.long}` : ""}${found.length > 1 ? `, and ${found.length - 1} more moves` : ""}`,
    note: !judged ? "" : isWide && judged.exact ? bare(judged.low, 0) : judged.short,
    loss: judged && !isWide ? judged.note : "",
    kind: judged ? judged.kind : "wait",
    click,
    isFrom,
    isLine: found[0].isLine,
  };
}

/** Several moves end at one cell: the list has them. */
function pickFrom(found) {
  const button = all("button.move").find((each) => found.some(({ move }) => each.dataset.move === move));
  if (button) button.focus();
}

/** The value of the position, and how the work goes on. */
function drawValue() {
  const { value, valueDone, intro } = page;
  const [name, { name: objective }] = [intro.roles[page.role], intro.objectives[page.objective]];
  const counted = objective === "win" ? "wins with this probability" : objective === "points" ? "gets this number of points on average" : !view.most.den ? "sees the end after this number of steps on average" : `has this value (${objective})`;
  const isTold = page.mixture && page.mixture.wrong;
  const areMany = opponents().includes(" and ");
  const told = isTold ? `${opponents()} ${areMany ? "know" : "knows"} its moves, and ` : "";
  const play = intro.is_selfish ? "each plays for itself" : !opponents() ? "it plays perfectly" : areMany ? `${opponents()} play together against it, and both sides perfectly` : "both sides play perfectly";
  const about = page.here.terminal ? `what the end is worth for ${name}` : `${name} ${counted}, if ${told}${play}`;
  const found = value && !value.wrong ? known(value) : { text: "not known", lower: view.least.number, upper: view.most.number };
  const unit = view.most.den || !found.low || found.text === "not known" ? "" : "\u00a0steps";
  $("value-text").textContent = value ? found.text + unit : valueDone ? "not known" : "…";
  $("value-text").title = `${found.long ? `${found.long}. ` : ""}Click for percent or fractions (F)`;
  $("value-fraction").hidden = !found.exact || found.low.den <= 1n;
  $("value-fraction").textContent = !found.exact ? "" : view.asFractions ? found.low.toString() : brief(found.low);
  $("value-fraction").hidden ||= view.asFractions && found.low.toString() === found.text;
  const bounds = `${valueDone ? "" : "so far "}bounds that are proved`;
  const notes = intro.is_hidden && value && !value.wrong && !page.here.terminal ? aboutWorth(name, opponents(), counted) : [value && value.wrong ? value.wrong : found.exact ? about : found.text === "not known" ? `nothing is proved yet of what ${name} can guarantee` : `${about}; ${bounds}`];
  if (value && value.estimate !== undefined && !found.exact) notes.push(`estimate ${value.estimate.toFixed(4)}`);
  const { all, roles } = (value && value.equilibrium) || {};
  if (roles) notes.push(`${all ? "" : "an equilibrium: "}${roles.map((each) => `${each.role} ${known(each).text}`).join(", ")}`);
  if (value && value.cut_off) notes.push("plays that are not over after the last step count as nothing");
  if (value && value.unreached) notes.push("the strategy that is known gets less, but some come as near as wanted");
  $("value-note").textContent = notes.join("; ");
  $("bar").style.setProperty("--part", String(part(found.lower)));
  $("bar").style.setProperty("--zero", String(view.least.number < 0 ? part(0) : -1));
  $("bar").style.setProperty("--open", String(between(found)));
  $("bar").setAttribute("aria-label", `${view.most.den ? "Chances of" : "Steps for"} ${name}: ${found.text}`);
  $("bar-text").textContent = found.exact ? bare(found.low, view.isMean && Math.abs(found.lower) < 10 ? 1 : 0) : "";
  $("stop").hidden = valueDone && !page.stopped;
  $("stop").textContent = page.stopped ? "Go on computing" : "Stop";
  $("work-text").textContent = page.stopped ? "stopped" : valueDone ? "" : `computing for ${Math.round((Date.now() - page.since) / 1000)}\u00a0s${value && value.states > 0 ? `, ${value.states.toLocaleString("en")} states in the latest round` : ""}`;
}

/** The texts and the bar of a picture of the position. */
function picture() {
  const found = known(page.value);
  const step = page.at === 0 ? "at the start" : `after ${page.at} step${page.at === 1 ? "" : "s"}`;
  const note = found.exact && found.low.den > 1n && !view.asFractions ? ` (${brief(found.low)})` : "";
  return { title: `${page.intro.game}, ${step}`, worth: `${page.intro.roles[page.role]}: ${found.text}${note}`, part: part(found.lower), open: between(found) };
}

/** What it means that both sides choose at once. */
function drawTogether() {
  const together = isTogether();
  $("together").hidden = !together;
  if (!together) return $("together").replaceChildren();
  const { mixture, intro } = page;
  const name = intro.roles[page.role];
  const isOne = !opponents().includes(" and ");
  const lines = [`${name} and ${opponents()} choose at the same time.`];
  if (!mixture) lines.push("Computing.");
  else if (mixture.wrong) lines.push(`The value is not known: ${mixture.wrong}. The values below are what ${name} can guarantee even if ${opponents()} ${isOne ? "knows" : "know"} the choice.`);
  else {
    const played = (list) => list.filter(({ probability }) => probability.num !== "0");
    const mix = (list, isOne) => {
      const names = played(list).map(({ move, moves, probability }) => [(moves || [move]).map(plain).join(" and "), brief(Fraction.of(probability))]);
      return names.length === 1 ? `${isOne ? "plays" : "play"} ${names[0][0]}` : `${isOne ? "mixes" : "mix"} ${names.map((pair) => pair.join(": ")).join(", ")}`;
    };
    if (mixture.moves.length) lines.push(`${name} ${mix(mixture.moves, true)}; ${opponents()} ${mix(mixture.replies, isOne)}.`);
    if (played(mixture.moves).length > 1 || played(mixture.replies).length > 1) lines.push("To mix is to choose at random with these probabilities, so that the choice cannot be guessed.");
  }
  return $("together").replaceChildren(...lines.map((line) => el("p", {}, line)));
}

function drawWhy() {
  const { why } = page;
  $("why").hidden = !why;
  if (!why) return $("why").replaceChildren();
  if (why.wrong) return $("why").replaceChildren(el("p", {}, why.wrong));
  if (!why.reply) return $("why").replaceChildren(el("p", {}, `What may follow ${plain(why.move)}?`));
  const shown = whyBlock({
    reply: why.reply,
    isChoice: page.here.legal[page.role].length > 1,
    isDone: why.isDone,
    roles: page.intro.roles,
    random: random(),
    isSelfish: page.intro.is_selfish,
    play: (joint) => play(joint, false),
    close: () => {
      page.why = null;
      page.source.leave("why");
      render();
    },
  });
  // Replies that were opened stay open while the same reason gets better.
  const opened = $("why").dataset.reason === why.move ? [...$("why").querySelectorAll("details")].map((each) => each.open) : [];
  $("why").replaceChildren(...shown);
  $("why").dataset.reason = why.move;
  $("why").querySelectorAll("details").forEach((each, at) => (each.open = opened[at] ?? each.open));
  return undefined;
}

/** Asks why a move is worth what it is. */
async function ask(move) {
  const { turn, here, at } = page;
  page.why = { move };
  openTab("moves");
  render();
  let isNew = true;
  try {
    await page.source.ask("why", question(here, at, { command: "replies", move }), (reply, isDone) => {
      if (turn !== page.turn || !page.why || page.why.move !== move) return;
      page.why = { move, reply, isDone };
      render();
      if (isNew) $("why").scrollIntoView({ block: "nearest" });
      isNew = false;
    });
  } catch (error) {
    if (turn !== page.turn) return;
    page.why = { move, wrong: error.message };
    render();
  }
}

// Controls

function controls() {
  const { intro } = page;
  const winners = intro.roles.filter((role) => role !== "random");
  const players = intro.roles.map((role, place) => {
    const kinds = role === "random" ? CHANCES : DECIDERS;
    page.players[place] = kinds[0][0];
    const options = kinds.map(([kind, text]) => el("option", { value: kind }, text));
    const select = el("select", { "data-player": role, onchange: (event) => (page.players[place] = event.currentTarget.value) }, ...options);
    return el("label", {}, role === "random" ? "chance" : role, select);
  });
  $("players").replaceChildren(...(intro.is_hidden ? [el("p", {}, "You, for the role at the top. The others play by their mixture, and chance rolls, unseen. With Reveal you choose for all roles.")] : players));
  $("reveals").hidden = !intro.is_hidden;
  if (intro.is_hidden && winners.length > 1) Object.assign($("best"), { textContent: "By the mixture", title: "Play a move by the role's mixture (B)" });
  $("reveal").addEventListener("change", () => {
    page.reveal = $("reveal").checked;
    go(page.at);
  });
  $("role").replaceChildren(...winners.map((role) => el("option", { value: role }, role)));
  $("order").textContent = intro.roles.join(", ");
  $("role").addEventListener("change", () => {
    page.role = intro.roles.indexOf($("role").value);
    chooseScale();
    go(page.at);
  });
  const names = { win: "winning", points: "points" };
  $("objective").replaceChildren(...intro.objectives.map(({ name }, at) => el("option", { value: at }, names[name] || name)));
  $("objectives").hidden = intro.objectives.length < 2;
  $("objective").addEventListener("change", () => {
    page.objective = Number($("objective").value);
    page.isDefaultObjective = false;
    chooseScale();
    go(page.at);
  });
  tabs();
  $("depth").addEventListener("change", () => {
    const text = $("depth").value.trim();
    page.depth = text === "" ? null : Math.min(1e6, Math.max(0, Math.trunc(Number(text)) || 0));
    $("depth").value = page.depth ?? "";
    go(page.at);
  });
  $("first").addEventListener("click", () => go(0));
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("last").addEventListener("click", () => go(page.moves.length));
  $("roll").addEventListener("click", goOn);
  $("go").addEventListener("click", goOn);
  $("turn").addEventListener("click", turnBoard);
  $("stop").addEventListener("click", stop);
  $("again").addEventListener("click", again);
  $("best").addEventListener("click", playBest);
  $("value-text").addEventListener("click", switchFractions);
  $("value-fraction").addEventListener("click", switchFractions);
  $("copy-link").addEventListener("click", copyLink);
  $("svg").addEventListener("click", () => saveSvg($("scene"), picture(), page.intro.game));
  $("png").addEventListener("click", () => savePng($("scene"), picture(), page.intro.game).catch((error) => ($("share-note").textContent = `no picture: ${error.message}`)));
  $("copy").addEventListener("click", copyLog);
  $("load").addEventListener("click", loadLog);
  document.addEventListener("pointerdown", () => isPressed(true));
  ["pointerup", "pointercancel"].forEach((name) => document.addEventListener(name, () => isPressed(false)));
  document.addEventListener("keydown", key);
  window.addEventListener("popstate", fromAddress);
}

/** The tabs, of the elements that have a title for one. */
function tabs() {
  if (page.intro.is_hidden) ["line", "history"].forEach((name) => $(`tab-${name}`).remove());
  const panels = all("[data-tab]");
  const made = panels.map((panel) => {
    const name = panel.id.slice(4);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `to-${name}`);
    return el("button", { type: "button", role: "tab", id: `to-${name}`, "aria-controls": panel.id, onclick: () => openTab(name) }, panel.dataset.tab);
  });
  $("tabs").replaceChildren(...made);
  openTab(page.tab);
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = made.indexOf(inFocus());
    made[(at + step + made.length) % made.length].click();
    inFocus()?.blur();
    $(`to-${page.tab}`).focus();
    event.stopPropagation();
    event.preventDefault();
  });
}

function openTab(name) {
  page.tab = name;
  for (const panel of all("[data-tab]")) {
    const isOpen = panel.id === `tab-${name}`;
    panel.hidden = !isOpen;
    const tab = $(`to-${panel.id.slice(4)}`);
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
  }
  if (name === "line") drawBestLine(go);
  if (name === "rules") drawRules();
}

/** The rules, with those that made the last step. */
async function drawRules() {
  const { turn, at, moves, before } = page;
  if (!page.fired) {
    try {
      page.fired = at > 0 && isOpen() ? await page.source.fired(before.facts, moves[at - 1]) : [];
    } catch (error) {
      page.fired = [];
      $("rules-note").textContent = error.message;
      return;
    }
  }
  if (turn !== page.turn) return;
  $("rules-note").textContent = !isOpen() ? "The rules that made the last step are marked when all is revealed." : at > 0 ? "Marked: the rules that made the last step; paler, those that kept facts. Point at one for what it gave." : "After a step the rules that made it are marked.";
  showRules($("rules"), page.intro.rules, page.fired, before ? before.facts : []);
}

function switchFractions() {
  view.asFractions = !view.asFractions;
  render();
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    $("share-note").textContent = "copied; the part from # on also fits the address after the next start of the program";
  } catch {
    $("link").select();
    $("share-note").textContent = "selected: copy it with Ctrl+C";
  }
}

/** Looks whether the server is there again. */
async function again() {
  try {
    await page.source.introduction();
    await go(page.at);
  } catch (error) {
    trouble(error);
  }
}

function undo() {
  if (page.at > 0) go(page.at - 1);
}

function redo() {
  if (page.at < page.moves.length) go(page.at + 1);
}

function turnBoard() {
  page.turns += 1;
  render();
}

async function stop() {
  if (page.stopped) {
    page.stopped = false;
    evaluate();
    render();
    return;
  }
  Object.assign(page, { stopped: true, live: false, valueDone: true });
  render();
  try {
    await page.source.stop();
  } catch (error) {
    trouble(error);
  }
  page.valueDone = false;
  render();
}

async function copyLog() {
  const text = `; ${page.intro.game}, moves of ${page.intro.roles.join(", ")}\n${movesText(page.moves)}\n`;
  try {
    await navigator.clipboard.writeText(text);
    $("log-note").textContent = "copied";
  } catch {
    $("log").select();
    $("log-note").textContent = "selected: copy it with Ctrl+C";
  }
}

async function loadLog() {
  try {
    const moves = parseMoves($("log").value, page.intro.roles.length);
    await position(moves);
    $("log").blur();
    $("log-note").textContent = `${moves.length} steps`;
    await go(moves.length, { moves });
  } catch (error) {
    $("log-note").textContent = `${error.message}; nothing was changed`;
  }
}

function key(event) {
  const { target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !page.here || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) return;
  if (event.key === "Escape") $("share").open = false;
  const [number] = /^[1-9]$/.test(event.key) ? all(`button[data-number="${event.key}"]`) : [];
  const focused = target.dataset && target.dataset.move;
  const actions = {
    ArrowLeft: undo,
    ArrowRight: redo,
    Home: () => go(0),
    End: () => go(page.moves.length),
    b: playBest,
    f: switchFractions,
    r: goOn,
    s: () => $("stop").hidden || stop(),
    t: turnBoard,
    w: () => {
      const move = focused && page.here.legal[page.role].includes(focused) ? focused : (page.value && page.value.best) || page.chosen[page.role];
      if (move && !page.intro.is_hidden && !isMixed()) ask(move);
    },
  };
  const action = number ? () => number.click() : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** The most steps before the first choice, and the most ways that chance may take to it. */
const MAX_OPENING = 12;
const MAX_WAYS = 24;

/** The moves up to a first position in which a player chooses, by the fewest steps, where before it chance decides or there is one way on; none if that is far. */
async function opening() {
  let ways = [[]];
  for (let step = 0; step < MAX_OPENING && ways.length; step += 1) {
    const longer = [];
    for (const moves of ways) {
      const { legal, terminal } = await position(moves);
      if (legal.some((some, role) => role !== random() && some.length > 1)) return moves;
      if (terminal || legal.some((some) => some.length === 0)) continue;
      const thrown = random() < 0 ? [null] : legal[random()];
      longer.push(...thrown.map((outcome) => [...moves, legal.map((some, role) => (role === random() ? outcome : some[0]))]));
    }
    ways = longer.sort(() => Math.random() - 0.5).slice(0, MAX_WAYS);
  }
  return [];
}

/** Turns to points, which say more, where the page just opened, its address names no objective, and the role wins with probability 0. */
function turnToPoints(reply) {
  const points = page.intro.objectives.findIndex(({ is_mean }) => is_mean);
  const isNothing = reply && reply.value && Fraction.of(reply.value).compare(ZERO) === 0;
  if (!page.isDefaultObjective || !isNothing || view.isMean || points < 0) return false;
  page.isDefaultObjective = false;
  page.objective = points;
  $("objective").value = String(points);
  chooseScale();
  go(page.at, { push: false });
  return true;
}

/** Shows what the address says; at a wrong one, the start. */
async function fromAddress() {
  try {
    readAddress();
  } catch (error) {
    trouble(error);
    if (page.here) return;
    Object.assign(page, { role: page.intro.roles.indexOf(page.intro.role), objective: 0, depth: page.intro.depth, moves: [], at: 0, start: null });
    chooseScale();
    const { message } = error;
    await go(0, { push: false });
    trouble(new Error(`${message}; this is the start`));
    return;
  }
  $("role").value = page.intro.roles[page.role];
  $("objective").value = String(page.objective);
  $("depth").value = page.depth ?? "";
  const isStart = !page.moves.length && !page.start;
  page.isDefaultObjective = !new URLSearchParams(location.hash.slice(1)).has("objective");
  const moves = isStart ? await opening().catch(() => []) : page.moves;
  await go(isStart ? moves.length : page.at, { moves, push: false });
  if (page.here) return;
  // The position in the address is none: what is wrong was said, and the start is shown.
  const { textContent } = $("trouble-text");
  Object.assign(page, { moves: [], at: 0, start: null });
  await go(0, { push: false });
  if (textContent) trouble(new Error(`${textContent}; this is the start`));
}

async function start() {
  trouble(null);
  try {
    if (!page.source) page.source = new Server();
    // Most addresses begin with the initial state: it is fetched at the same time.
    const [intro] = await Promise.all([page.source.introduction(), position([]).catch(() => null)]);
    const isFirst = !page.intro;
    page.intro = intro;
    const { mistakes } = intro.hints;
    page.hints = hintsOf(intro);
    page.scenery = new Scenery(intro, page.hints);
    $("hints").hidden = mistakes.length === 0;
    $("hints").replaceChildren(...mistakes.map((text) => el("li", {}, text)));
    page.contents = new Contents(intro.roles.filter((role) => role !== "random"));
    document.title = `${intro.game} – sqasp explore`;
    $("title").textContent = intro.game;
    $("about").textContent = $("about").title = aboutGame(intro.rules);
    $("about").hidden = !$("about").textContent;
    // In a folder the game's own part of the address stands behind the token.
    $("all-games").hidden = location.pathname.split("/").length < 4;
    $("program").textContent = intro.program;
    if (isFirst) controls();
    await fromAddress();
    page.boards = await page.source.boards();
    if (page.here) render();
  } catch (error) {
    trouble(error);
    $("status").textContent = "There is nothing to show.";
  }
}

start();
