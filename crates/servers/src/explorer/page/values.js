// How values look: rows of moves of equal worth, and the reasons for the worth of a move.

import { el } from "./elements.js";
import { Fraction, between, difference, digitsFor, extent, known, odds, part, view } from "./numbers.js";
import { isThrow, moveFace } from "./scene.js";
import { namesOf, natural, plain } from "./terms.js";

/** The names of losses, as parts of the largest value: from which loss on, the class, the sign and the word. */
const LOSSES = [
  [0.15, "bad", "??", "blunder"],
  [0.1, "poor", "?", "mistake"],
  [0.05, "fair", "?!", "inaccuracy"],
  [0, "good", "", ""],
];

/** The class, the sign and the word of what a move loses. */
export function lossOf(loss) {
  if (loss <= 0) return { kind: "best", sign: "", word: "" };
  const [, kind, sign, word] = LOSSES.find(([least]) => loss >= least);
  return { kind, sign, word };
}

/**
 * For each move what it is worth for the role that values are about, and what it loses for the role that makes it.
 * `side` is 1 where that role makes them, -1 where its opponents do, 0 where no role chooses. Gives a map from moves to
 * `{text, short, long, note, kind, exact, low, lower, upper}`, the best first.
 */
export function judge(values, side) {
  const sign = view.isSmall ? -side : side;
  const digits = digitsFor(values.map((each) => known(each)).filter(({ exact }) => exact).map(({ low }) => low));
  const all = values.map((each) => ({ each, known: known(each, digits) })).filter((each) => each.known.low);
  const good = ({ known }) => (sign < 0 ? known.high : known.low);
  const best = all.map(good).reduce((best, value) => (best === null || value.compare(best) * sign > 0 ? value : best), null);
  const isExact = all.length > 0 && all.every(({ known }) => known.exact);
  return new Map(
    all.map(({ each, known }) => {
      const hope = sign < 0 ? known.low : known.high;
      const lost = sign < 0 ? hope.minus(best) : best.minus(hope);
      const loss = extent(lost.number);
      const { kind, sign: mark, word } = lossOf(loss);
      const isBest = each.best || (isExact && loss === 0);
      const losing = loss > 0 ? `−${difference(lost, digits).slice(1)}${isExact ? "" : " or more"}` : "";
      const note = sign === 0 ? "" : isBest ? "best" : losing;
      const told = isBest || !losing ? note : `loses ${losing.slice(1)}${word ? `, ${word}` : ""}`;
      return [each.move, { ...known, note: sign && mark ? `${note} ${mark}` : note, told, kind: sign === 0 ? "wait" : isBest ? "best" : loss > 0 ? kind : "wait" }];
    }),
  );
}

/** What the moves of an opponent are worth, from the replies to the role's move. */
export function repliesOf(replies, role) {
  const least = new Map();
  for (const { joint_move, value, lower, upper } of replies) {
    // The worst first, so with several opponents the first one with this move is its worst.
    if (!least.has(joint_move[role])) least.set(joint_move[role], { move: joint_move[role], value, lower, upper });
  }
  return [...least.values()];
}

/** Items in groups of which the same is known. */
function alike(items, value) {
  const groups = new Map();
  for (const item of items) {
    const found = value(item);
    const key = found && (found.low || found.key) ? `${found.exact} ${found.low} ${found.high} ${found.key}` : "";
    groups.set(key, [...(groups.get(key) || []), item]);
  }
  return [...groups.values()];
}

/** The most moves of a row that are shown at first. */
const MAX_SHOWN = 16;

/** The most characters of a move that has its bar beside it. */
const LONG = 9;

/** A bar as long as the value is large. */
const meter = (found) => el("i", { class: "meter", "--part": found ? part(found.lower) : 0, "--open": found ? between(found) : 1 });

/**
 * Moves with what they are worth; those of equal worth share a row, the best first, and outcomes of chance by their names. `why` is
 * missing where there is nothing to explain; `note` says what values wait for; `open` has the rows of which all moves are shown.
 */
export function moveList({ title, moves, judged, chosen, pick, why, note, numbered, open, more, isChance }) {
  const order = new Map([...judged.keys()].map((move, at) => [move, at]));
  const rank = (move) => (isChance ? 0 : (order.get(move) ?? moves.length));
  const sorted = [...moves].sort((left, right) => rank(left) - rank(right) || natural(left, right));
  let number = 0;
  const rows = alike(sorted, (move) => judged.get(move)).map((group) => {
    const found = judged.get(group[0]);
    const key = `${title} ${group[0]}`;
    const shown = open.has(key) || group.length <= MAX_SHOWN + 1 ? group : group.slice(0, MAX_SHOWN);
    const buttons = shown.map((move) => {
      const label = `${plain(move)}: ${found ? found.long : "not known"}${found && found.told ? `, ${found.told}` : ""}`;
      number += 1;
      return el(
        "button",
        {
          type: "button",
          class: `move ${found ? found.kind : "wait"}${chosen === move ? " chosen" : ""}`,
          title: label,
          "aria-label": label,
          "aria-pressed": chosen === move ? "true" : undefined,
          "data-move": move,
          "data-number": numbered && number < 10 ? number : undefined,
          onclick: () => pick(move),
        },
        ...moveFace(move),
      );
    });
    const rest = group.length - shown.length;
    if (rest) buttons.push(el("button", { type: "button", class: "ask", onclick: () => more(key) }, `and ${rest} more`));
    const asked = group.includes(chosen) ? chosen : group[0];
    return el(
      "li",
      { class: found ? found.kind : "wait" },
      el("div", { class: `names${buttons.length > 1 || plain(group[0]).length > LONG ? " long" : ""}` }, ...buttons),
      note ? el("i", {}) : meter(found),
      el("span", { class: "worth", title: found ? found.long : "" }, found ? found.text : note ? "" : "…"),
      el("span", { class: "loss" }, isChance ? odds(new Fraction(BigInt(group.length), BigInt(moves.length))) : found ? found.note : ""),
      why ? el("button", { type: "button", class: "ask", title: `What may follow ${plain(asked)}, and why it is worth that`, "aria-label": `Why is ${plain(asked)} worth that?`, onclick: () => why(asked) }, "why?") : null,
    );
  });
  return el("div", {}, el("h2", {}, title), note ? el("p", { class: "note" }, note) : null, el("ul", { class: "moves" }, ...rows));
}

/** The most rows of a reason, and the most throws of a row that are shown as dice. */
const MAX_ROWS = 200;
const MAX_FACES = 3;

/** Outcomes of chance of equal worth as one, in the order of their names. */
function merged(outcomes) {
  const sorted = [...outcomes].sort((a, b) => natural(a.move || "", b.move || ""));
  const ended = [true, false].flatMap((terminal) => alike(sorted.filter((one) => one.terminal === terminal), (one) => known(one)));
  const groups = ended.sort(([a], [b]) => sorted.indexOf(a) - sorted.indexOf(b));
  return groups.map((group) => ({
    moves: group.map(({ move }) => move),
    odds: group.map(({ probability }) => Fraction.of(probability)).reduce((sum, one) => sum.plus(one)),
    told: group[0],
  }));
}

/** The reason for the worth of a move, or of the position where there `isChoice` of no other one: replies and outcomes of chance, with their weights and values. */
export function whyBlock({ reply, isChoice, isDone, roles, random, play, close, isSelfish }) {
  const role = roles.indexOf(reply.role);
  const rivals = roles.filter((_, at) => at !== role && at !== random);
  const others = ({ joint_move }) => joint_move.map((move, at) => [move, at]).filter(([, at]) => at !== role && at !== random);
  const all = reply.replies.map((each) => ({ each, known: known(each) }));
  const digits = digitsFor([...all.map((one) => one.known), ...reply.replies.flatMap(({ outcomes }) => outcomes.map((one) => known(one)))].filter(({ exact }) => exact).map(({ low }) => low));
  const groups = alike(all, (one) => one.known);
  const worst = view.isSmall ? "most" : "least";
  let rows = 0;
  const blocks = groups.map((group, at) => {
    const [{ each }] = group;
    const choices = others(each).filter(([, place]) => reply.replies.some(({ joint_move }) => joint_move[place] !== each.joint_move[place]));
    const names = choices.length === 1 ? `${roles[choices[0][1]]}: ${namesOf(group.map((one) => one.each.joint_move[choices[0][1]]))}` : choices.map(([move, place]) => `${roles[place]}: ${plain(move)}`).join(", ") + (group.length > 1 ? ` and ${group.length - 1} more` : "");
    const head = names ? `${names}${at === 0 && groups.length > 1 ? ` (${isSelfish ? "its best" : `the ${worst} for ${roles[role]}`})` : ""}` : random < 0 ? "no other role chooses" : "then chance";
    const outcomes = merged(each.outcomes);
    rows += outcomes.length;
    if (rows > MAX_ROWS) return null;
    const lines = outcomes.map(({ moves, odds: likely, told }) => {
      const found = known(told, digits);
      const joint = each.joint_move.map((move, place) => (place === random ? told.move : move));
      const name = told.move === undefined || told.move === null ? "then" : namesOf(moves);
      return el(
        "tr",
        {},
        el("td", {}, ...(moves.length <= MAX_FACES && name !== "then" && isThrow(moves[0]) ? moves.flatMap(moveFace) : [name]), told.terminal ? " (the end)" : ""),
        el("td", { class: "odds" }, odds(likely)),
        el("td", { class: "worth", title: found.long }, found.text),
        el("td", {}, el("button", { type: "button", "aria-label": `Show ${moves[0] ? plain(moves[0]) : "what follows"}`, onclick: () => play(joint) }, "show")),
      );
    });
    const worth = known(each, digits);
    return el(
      "details",
      { open: at === 0 },
      el("summary", { title: worth.long }, el("span", {}, head), el("span", { class: "worth" }, worth.text)),
      el("table", {}, el("tbody", {}, ...lines)),
    );
  });
  const best = reply.replies[0];
  const several = groups.length > 1 && !isSelfish ? ` ${rivals.length === 1 ? `${rivals[0]} chooses` : "The opponents choose"} the reply that leaves ${roles[role]} the ${worst}.` : "";
  const sum = random < 0 ? "" : " A reply is worth the mean of its outcomes.";
  const step = view.most.den ? "" : " The step that is made here is not among those that follow.";
  const left = blocks.filter((block) => block === null).length;
  return [
    el("h2", {}, isChoice ? `Why ${plain(reply.move)}?` : "Why this value?", " ", el("button", { type: "button", class: "ask", onclick: close }, "Close")),
    el("p", {}, `${isChoice ? `${roles[role]}: ${plain(reply.move)}` : `For ${roles[role]} the position`} is worth ${best ? known(best).text : "nothing that is known"}.${several}${sum}${step}${isDone ? "" : " Still computing."}`),
    ...blocks.filter(Boolean),
    left ? el("p", { class: "note" }, `${left} more replies are left out.`) : null,
  ].filter(Boolean);
}
