// The page: what is shown, what was played, and what happens on a click or a key.

import { Contents, cellsOf, drawBoard, drawingHints, el, isOn, layout } from "./board.js";
import { CHANCES, DECIDERS, anyOf, decide } from "./play.js";
import { Lost, Server } from "./source.js";
import { known, movesText, parseMoves, parseTerms, plain, range, termText } from "./terms.js";
import { curve, judge, moveList, outcomesOf, repliesOf, whyTable } from "./values.js";

const $ = (id) => document.getElementById(id);

/** The most positions that are kept. */
const MAX_KEPT = 5000;

/** The most steps of the line of best play. */
const MAX_LINE = 12;

const page = {
  source: null,
  intro: null,
  boards: [],
  hints: null,
  contents: null,
  /** The facts that play starts from; null is the initial state. */
  start: null,
  /** The joint moves of the play, and how many of them are made. */
  moves: [],
  at: 0,
  role: 0,
  depth: null,
  players: [],
  /** What roles have chosen in this step. */
  chosen: [],
  from: null,
  turns: 0,
  here: null,
  before: null,
  value: null,
  valueDone: false,
  replies: null,
  why: null,
  /** Whether computers and dice move by themselves. */
  live: false,
  stopped: false,
  /** Counts the positions that were shown, so that old answers are dropped. */
  turn: 0,
  kept: new Map(),
  values: new Map(),
};

const random = () => page.intro.roles.indexOf("random");
const scale = () => range.most;
const left = (at) => (page.depth === null ? undefined : Math.max(0, page.depth - at));

/** Shows what went wrong; without an error nothing is wrong. */
function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble-text").textContent = error ? error.message : "";
}

/** Keeps something, and forgets the oldest when there is much. */
function keep(map, key, item) {
  if (map.size >= MAX_KEPT) map.delete(map.keys().next().value);
  map.set(key, item);
  return item;
}

/** The position after some steps. */
async function position(moves) {
  const place = { history: moves };
  if (page.start) place.state = page.start;
  const key = JSON.stringify(place);
  return page.kept.get(key) || keep(page.kept, key, await page.source.position(place));
}

/** A question about a position, for the role that values are about. */
function question(here, at, more = {}) {
  const request = { state: here.facts, role: page.intro.roles[page.role], ...more };
  if (left(at) !== undefined) request.depth = left(at);
  return request;
}

// The address

function address() {
  const parts = new URLSearchParams();
  parts.set("role", page.intro.roles[page.role]);
  if (page.depth !== null) parts.set("depth", page.depth);
  if (page.start) parts.set("state", page.start.join(" "));
  if (page.moves.length) parts.set("moves", movesText(page.moves).replaceAll("\n", " "));
  if (page.at < page.moves.length) parts.set("at", page.at);
  return `#${parts}`;
}

/** Reads the address; throws where it makes no sense, and changes nothing then. */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const role = parts.has("role") ? page.intro.roles.indexOf(parts.get("role")) : page.intro.roles.indexOf(page.intro.role);
  if (role < 0 || role === random()) throw new Error(`the address names a role that cannot win: ${parts.get("role")}`);
  const depth = parts.has("depth") ? Number(parts.get("depth")) : page.intro.depth;
  if (depth !== null && !(Number.isInteger(depth) && depth >= 0 && depth <= 1e6)) throw new Error(`the address has a depth that is none: ${parts.get("depth")}`);
  const moves = parseMoves(parts.get("moves") || "", page.intro.roles.length);
  const at = parts.has("at") ? Number(parts.get("at")) : moves.length;
  if (!(Number.isInteger(at) && at >= 0 && at <= moves.length)) throw new Error("the address names a step that is not in its play");
  const start = parts.has("state") ? parseTerms(parts.get("state")).map(termText) : null;
  Object.assign(page, { role, depth, moves, at, start });
}

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
  Object.assign(page, { moves, at, here, before, live, value: null, valueDone: false, replies: null, why: null, chosen: [], from: null, stopped: false });
  if (push && location.hash !== address()) history.pushState(null, "", address());
  here.legal.forEach((legal, role) => {
    if (legal.length === 1) [page.chosen[role]] = legal;
  });
  const key = `${page.role} ${left(at)} ${here.facts.join(" ")}`;
  const remembered = page.values.get(key);
  if (remembered && remembered.moves) Object.assign(page, { value: remembered, valueDone: true });
  render();
  evaluate();
  followPlay();
}

/** Asks for the values of the position at hand. */
async function evaluate() {
  const { turn, here, at } = page;
  if (page.valueDone) {
    askReplies();
    moveOn();
    return;
  }
  try {
    askReplies();
    await page.source.ask("value", question(here, at), (reply, isDone) => {
      if (turn !== page.turn) return;
      Object.assign(page, { value: reply, valueDone: isDone });
      if (reply.value) keep(page.values, `${page.role} ${left(at)} ${here.facts.join(" ")}`, reply);
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

/** Asks what others may do, where somebody else has a choice and the role's move is known. */
async function askReplies() {
  const { turn, here, at } = page;
  const move = page.chosen[page.role];
  const others = here.legal.some((legal, role) => role !== page.role && legal.length > 1);
  page.replies = null;
  if (!move || !others || here.terminal || left(at) === 0) return;
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

/** Lets everybody decide who decides without you, and makes the step when all have. */
async function moveOn() {
  const { turn, here } = page;
  if (!page.live || here.terminal || here.legal.some((legal) => legal.length === 0)) return;
  const chance = random();
  const open = () => here.legal.map((_, role) => role).filter((role) => !page.chosen[role]);
  for (const role of open()) {
    if (role === chance || page.players[role] === "you") continue;
    const isOpponent = role !== page.role;
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
  if (rest.length === 1 && rest[0] === chance && page.players[chance] === "roll") {
    page.chosen[chance] = anyOf(here.legal[chance]);
  }
  if (open().length) {
    render();
    return;
  }
  const isWatched = here.legal.every((legal, role) => legal.length === 1 || page.players[role] !== "you");
  if (isWatched) await new Promise((done) => setTimeout(done, 350));
  if (turn === page.turn) play([...page.chosen], true);
}

/** Rolls, or lets the play go on. */
function goOn() {
  if (page.here.terminal) return;
  page.live = true;
  const chance = random();
  if (chance >= 0 && !page.chosen[chance] && page.chosen.filter(Boolean).length === page.here.legal.length - 1) {
    page.chosen[chance] = anyOf(page.here.legal[chance]);
  }
  moveOn();
}

// Drawing

function render() {
  const { here, intro } = page;
  const chance = random();
  const over = here.terminal;
  const deciders = here.legal.map((legal, role) => (legal.length > 1 ? role : -1)).filter((role) => role >= 0);
  const waiting = deciders.filter((role) => !page.chosen[role]).map((role) => (role === chance ? "chance" : intro.roles[role]));
  const goals = here.goals.map((goal, role) => [intro.roles[role], goal[0]]).filter(([role, goal]) => role !== "random" && goal !== undefined);
  let status = `Step ${page.at}: `;
  if (over) status += `the end. ${goals.map(([role, goal]) => `${role} ${goal}`).join(", ")}`;
  else if (left(page.at) === 0) status += "no steps are left";
  else if (waiting.length) status += `${waiting.join(" and ")} to move`;
  else status += "one way to go on";
  if ($("status").textContent !== status) $("status").textContent = status;
  const focused = document.activeElement && document.activeElement.dataset ? { ...document.activeElement.dataset } : {};
  const lists = moveLists();
  drawBoards(lists);
  const loose = here.facts.filter((fact) => !page.boards.some((shape) => isOn(shape, fact)));
  $("facts").replaceChildren(
    ...(loose.length ? [el("ul", { class: "facts", "aria-label": page.boards.length ? "Other facts" : "Facts" }, ...loose.map((fact) => el("li", {}, plain(fact))))] : []),
  );
  $("moves").replaceChildren(...lists.map((list) => list.element));
  drawValue();
  drawWhy();
  $("undo").disabled = $("first").disabled = page.at === 0;
  $("redo").disabled = $("last").disabled = page.at >= page.moves.length;
  $("roll").disabled = over || !(waiting.length === 0 || (waiting.length === 1 && waiting[0] === "chance"));
  $("roll").textContent = waiting.length === 1 && waiting[0] === "chance" ? "Roll" : "Next";
  $("turn").hidden = page.boards.length === 0;
  if ($("log") !== document.activeElement) $("log").value = movesText(page.moves);
  drawHistory();
  restoreFocus(focused);
}

/** What was in focus before everything was drawn again. */
function restoreFocus({ move, cell }) {
  const same = (name, value) => value !== undefined && [...document.querySelectorAll(`[data-${name}]`)].find((each) => each.dataset[name] === value);
  const found = same("move", move) || same("cell", cell);
  if (found) found.focus({ preventScroll: true });
}

/** The moves of everybody who has a choice, with what they are worth. */
function moveLists() {
  const { here, intro } = page;
  if (here.terminal) return [];
  const chance = random();
  const alone = here.legal.every((legal) => legal.length <= 1);
  const lists = [];
  here.legal.forEach((legal, role) => {
    const isChance = role === chance;
    if (legal.length < 2 && !(alone && role === page.role)) return;
    // What chance may do depends on what the others do: first they choose.
    if (isChance && !alone && !page.chosen[page.role] && page.players[role] === "roll") return;
    let judged = new Map();
    if (role === page.role && page.value && page.value.moves) judged = judge(page.value.moves, 1, scale());
    else if (isChance && page.replies) {
      const reply = replyChosen();
      if (reply) judged = judge(outcomesOf(reply), 1, scale());
    } else if (page.replies) judged = judge(repliesOf(page.replies.replies, role), -1, scale());
    if (isChance) for (const each of judged.values()) each.note = "";
    const name = isChance ? `Chance: ${legal.length} outcomes, each 1/${legal.length}` : `Moves of ${intro.roles[role]}`;
    const first = lists.length === 0;
    const element = moveList({
      title: name,
      moves: legal,
      judged,
      chosen: page.chosen[role],
      pick: (move) => choose(role, move),
      why: role === page.role && left(page.at) !== 0 ? (move) => ask(move) : null,
      numbered: first,
    });
    lists.push({ role, legal, judged, element, isChance });
  });
  if (!lists.some((list) => list.role === page.role) && page.chosen[page.role] && left(page.at) !== 0) {
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

/** The boards, with the moves that name cells. */
function drawBoards(lists) {
  const scrolled = $("boards").scrollTop;
  const drawn = page.boards.map((shape) => {
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
          marks.get(key).push({ list, move, cells });
        }
      }
    }
    return drawBoard({
      shape,
      facts: page.here.facts,
      before: page.before && page.before.facts,
      hints: page.hints,
      contents: page.contents,
      lay: layout(shape, page.hints, page.turns),
      marks: (cell) => markOf(marks.get(cell.join()), cell.join()),
    });
  });
  $("boards").replaceChildren(...drawn);
  $("boards").scrollTop = scrolled;
}

/** What a cell says and does, given the moves that name it. */
function markOf(found, key) {
  if (!found) return null;
  const ranked = [...found].sort((a, b) => (a.list.judged.get(a.move)?.place ?? 1e9) - (b.list.judged.get(b.move)?.place ?? 1e9));
  const [{ list, move, cells }] = ranked;
  const judged = list.judged.get(move);
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
  const note = judged ? judged.short : "";
  return {
    label: `${plain(move)}${judged ? `: ${judged.long}` : ""}${found.length > 1 ? `, and ${found.length - 1} more moves` : ""}`,
    note: list.isChance ? "" : note,
    kind: judged && !list.isChance ? judged.kind : "wait",
    click,
    isFrom,
  };
}

/** Several moves end at one cell: the list has them. */
function pickFrom(found) {
  const button = [...document.querySelectorAll("button.move")].find((each) => found.some(({ move }) => each.dataset.move === move));
  if (button) button.focus();
}

/** The value of the position, and how the work goes on. */
function drawValue() {
  const { value, valueDone } = page;
  const over = page.here.terminal ? `what the end is worth for ${page.intro.roles[page.role]}` : "";
  const about = over || `${page.intro.roles[page.role]} can guarantee this ${page.intro.objective === "win" ? "probability of winning" : `value (${page.intro.objective})`}`;
  const found = value && !value.wrong ? known(value) : { text: "not known", lower: 0, upper: scale() };
  $("value-text").textContent = value || !valueDone ? (value ? found.text : "…") : "not known";
  $("value-text").title = found.long || "";
  const notes = [value && value.wrong ? value.wrong : found.exact ? about : found.text === "not known" ? `nothing is proved yet of what ${page.intro.roles[page.role]} can guarantee` : `${about}; ${valueDone ? "" : "so far "}bounds that are proved`];
  if (value && value.estimate !== undefined && !found.exact) notes.push(`estimate ${value.estimate.toFixed(4)}`);
  if (value && value.cut_off) notes.push("plays that are not over after the last step count as nothing");
  $("value-note").textContent = notes.join("; ");
  $("bar-low").style.width = `${(100 * found.lower) / scale()}%`;
  $("bar-open").style.width = `${(100 * (found.upper - found.lower)) / scale()}%`;
  $("stop").hidden = valueDone && !page.stopped;
  $("stop").textContent = page.stopped ? "Go on computing" : "Stop";
  $("work-text").textContent = page.stopped ? "stopped" : valueDone ? "" : `computing${value && value.states ? `, ${value.states.toLocaleString("en")} states in the latest round` : ""}`;
}

function drawWhy() {
  const { why } = page;
  $("why").hidden = !why;
  if (!why) return $("why").replaceChildren();
  if (why.wrong) return $("why").replaceChildren(el("p", {}, why.wrong));
  if (!why.reply) return $("why").replaceChildren(el("p", {}, `What may follow ${plain(why.move)}?`));
  const shown = whyTable({
    reply: why.reply,
    isDone: why.isDone,
    roles: page.intro.roles,
    random: random(),
    play: (joint) => play(joint, false),
    close: () => {
      page.why = null;
      page.source.leave("why");
      render();
    },
  });
  return $("why").replaceChildren(...shown);
}

/** Asks why a move is worth what it is. */
async function ask(move) {
  const { turn, here, at } = page;
  page.why = { move };
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

// The play so far

/** The values after each step, as far as they are known. */
const along = { key: "", places: [] };

function drawHistory() {
  const shown = page.moves.map((joint, step) => {
    const legal = along.places[step] ? along.places[step].here.legal : null;
    const parts = joint.map((move, role) => [move, role]).filter(([, role]) => !legal || legal[role].length > 1);
    return parts.map(([move, role]) => `${role === random() ? "chance" : page.intro.roles[role]}: ${plain(move)}`).join(", ") || plain(joint[0]);
  });
  const items = ["start", ...shown].map((text, at) => {
    const value = valueAt(at);
    const label = value ? `${text}. ${known(value).text}` : text;
    return el("li", {}, el("button", { type: "button", "aria-current": at === page.at ? "step" : undefined, onclick: () => go(at) }, label));
  });
  $("history").replaceChildren(...items);
  const values = ["start", ...shown].map((_, at) => valueAt(at));
  $("curve").replaceChildren(curve(values, scale(), page.at, (at) => go(at)));
}

function valueAt(at) {
  const place = along.places[at];
  return place && page.values.get(`${page.role} ${left(at)} ${place.here.facts.join(" ")}`);
}

/** Finds the positions of the play and their values, one after the other. */
async function followPlay() {
  const key = JSON.stringify([page.start, page.moves, page.role, page.depth]);
  if (along.key === key) return;
  const ours = { key, places: [] };
  Object.assign(along, ours);
  const isOld = () => along.key !== key;
  try {
    for (let at = 0; at <= page.moves.length; at += 1) {
      const here = await position(page.moves.slice(0, at));
      if (isOld()) return;
      along.places[at] = { here };
    }
    drawHistory();
    for (let at = 0; at < along.places.length; at += 1) {
      if (valueAt(at)) continue;
      const { here } = along.places[at];
      const name = `${page.role} ${left(at)} ${here.facts.join(" ")}`;
      const reply = await page.source.ask("curve", question(here, at, { moves: false, time: 1 }));
      if (isOld()) return;
      if (reply && !page.values.has(name)) keep(page.values, name, { ...reply, moves: null });
      drawHistory();
    }
  } catch {
    // What went wrong is said of the position at hand.
  }
}

/** The line of best play from here, as far as values are known soon. */
async function drawBestLine() {
  const { turn, at } = page;
  const items = [];
  const show = (text, moves) => {
    items.push(el("li", {}, moves ? el("button", { type: "button", onclick: () => go(moves.length, { moves }) }, text) : text));
    $("best-line").replaceChildren(...items.map((item) => item));
  };
  $("best-line").replaceChildren();
  let moves = page.moves.slice(0, at);
  try {
    for (let step = 0; step < MAX_LINE; step += 1) {
      const here = await position(moves);
      if (here.terminal || left(moves.length) === 0) {
        show(here.terminal ? `the end: ${here.goals.map((goal, role) => (role === random() ? "" : `${page.intro.roles[role]} ${goal[0]}`)).filter(Boolean).join(", ")}` : "no steps are left");
        return;
      }
      const value = await page.source.ask("line", question(here, moves.length, { time: 2 }));
      if (turn !== page.turn || !value) return;
      const told = await page.source.ask("line", question(here, moves.length, { command: "replies", move: value.best, time: 2 }));
      if (turn !== page.turn || !told || !told.replies.length) return;
      const [reply] = told.replies;
      const joint = reply.joint_move.map((move) => (move === null ? reply.outcomes[0].move : move));
      moves = [...moves, joint];
      const parts = joint.map((move, role) => [move, role]).filter(([, role]) => here.legal[role].length > 1);
      const text = parts.map(([move, role]) => (role === random() ? `by chance, say, ${plain(move)}` : `${page.intro.roles[role]}: ${plain(move)}`)).join(", ");
      show(`${text || "one way to go on"} (${known(reply.outcomes[0]).text})`, moves);
    }
    show("and so on");
  } catch (error) {
    show(error.message);
  }
}

// Controls

function controls() {
  const { intro } = page;
  const players = intro.roles.map((role, place) => {
    const kinds = role === "random" ? CHANCES : DECIDERS;
    page.players[place] = kinds[0][0];
    const options = kinds.map(([kind, text]) => el("option", { value: kind }, text));
    const select = el("select", { "data-player": role, onchange: (event) => (page.players[place] = event.target.value) }, ...options);
    return el("label", {}, role === "random" ? "chance" : role, select);
  });
  $("players").replaceChildren(...players);
  const winners = intro.roles.filter((role) => role !== "random");
  $("role").replaceChildren(...winners.map((role) => el("option", { value: role }, role)));
  $("order").textContent = intro.roles.join(", ");
  $("role").addEventListener("change", (event) => {
    page.role = intro.roles.indexOf(event.target.value);
    go(page.at);
  });
  $("depth").addEventListener("change", (event) => {
    const text = event.target.value.trim();
    page.depth = text === "" ? null : Math.min(1e6, Math.max(0, Math.trunc(Number(text)) || 0));
    event.target.value = page.depth ?? "";
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
  $("line").addEventListener("toggle", () => $("line").open && drawBestLine());
  $("copy").addEventListener("click", copyLog);
  $("load").addEventListener("click", loadLog);
  document.addEventListener("keydown", key);
  window.addEventListener("popstate", fromAddress);
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
  const number = /^[1-9]$/.test(event.key) && document.querySelector(`button[data-number="${event.key}"]`);
  const focused = target.dataset && target.dataset.move;
  const actions = {
    ArrowLeft: undo,
    ArrowRight: redo,
    Home: () => go(0),
    End: () => go(page.moves.length),
    r: goOn,
    s: () => $("stop").hidden || stop(),
    t: turnBoard,
    w: () => {
      const move = focused && page.here.legal[page.role].includes(focused) ? focused : (page.value && page.value.best) || page.chosen[page.role];
      if (move) ask(move);
    },
  };
  const action = number ? () => number.click() : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** Shows what the address says; at a wrong one, the start. */
async function fromAddress() {
  try {
    readAddress();
  } catch (error) {
    trouble(error);
    if (page.here) return;
    Object.assign(page, { role: page.intro.roles.indexOf(page.intro.role), depth: page.intro.depth, moves: [], at: 0, start: null });
    const { message } = error;
    await go(0, { push: false });
    trouble(new Error(`${message}; this is the start`));
    return;
  }
  $("role").value = page.intro.roles[page.role];
  $("depth").value = page.depth ?? "";
  await go(page.at, { push: false });
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
    range.most = intro.objective === "points" ? 100 : 1;
    page.hints = drawingHints(intro.rules);
    page.contents = new Contents(intro.roles.filter((role) => role !== "random"));
    document.title = `${intro.game} – sqasp explore`;
    $("title").textContent = intro.game;
    $("program").textContent = intro.program;
    $("objective").textContent = intro.objective === "win" ? "" : intro.objective;
    $("rules").textContent = intro.rules;
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
