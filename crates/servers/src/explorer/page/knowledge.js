// Games that hide something: what the role knows of a position, and moves that it does not see.

import { $, el } from "./elements.js";
import { Fraction, brief, known, odds, view } from "./numbers.js";
import { anyOf } from "./play.js";
import { page, random, rivals } from "./state.js";
import { inWords, natural, plain } from "./terms.js";

/** The usual names of the move of a role that has no choice. */
const WAITS = /^(noop|wait|pass)$/;

/** Whether the true state is shown: where nothing is hidden, at the end, and where it is asked for. */
export const isOpen = () => !page.intro.is_hidden || page.reveal || page.here.terminal;

/** The facts that are shown. */
export const shownFacts = () => (isOpen() ? page.here.facts : (page.knowledge && page.knowledge.known) || []);

/** One of these, as often as their probabilities say. */
function sample(list) {
  let rest = crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
  for (const each of list) {
    rest -= Fraction.of(each.probability).number;
    if (rest < 0) return each;
  }
  return list[list.length - 1];
}

/** The opponents that choose, and their joint moves in their mixture: by what they know themselves, or at the same time. */
function coalition() {
  const { opponents = rivals(), replies = [] } = page.knowledge || page.mixture || {};
  return { opponents, replies };
}

/** A joint move of the opponents by their mixture, as a map from roles; empty where none is known. */
export function replyByMixture() {
  const { opponents, replies } = coalition();
  if (!replies.length) return new Map();
  const { moves } = sample(replies);
  return new Map(opponents.map((name, place) => [name, moves[place]]));
}

/** Chooses for all other roles: opponents by their mixture, where they have one, and chance. */
export function chooseUnseen() {
  const { here, intro } = page;
  const reply = replyByMixture();
  here.legal.forEach((legal, role) => {
    if (!page.chosen[role]) page.chosen[role] = reply.get(intro.roles[role]) || anyOf(legal);
  });
}

/** A move by the role's mixture; without one the move that is worth most. */
export function mixedMove() {
  const { moves } = page.value;
  if (moves.some(({ probability }) => probability)) return sample(moves).move;
  const best = moves.reduce((best, each) => (each.lower && (!best.lower || Fraction.of(each.lower).compare(Fraction.of(best.lower)) > 0) ? each : best));
  return best.move;
}

/** The move of a role by the mixtures, given a reply of the opponents by theirs; any legal one where there is none. */
export const moveByMixture = (role, reply) => (role === page.role ? mixedMove() : reply.get(page.intro.roles[role]) || anyOf(page.here.legal[role]));

/** A probability, as values are shown. */
const shareText = (share) => (view.asFractions ? brief(share) : `${(100 * share.number).toFixed(1)}\u00a0%`);

/** What is known of moves, with how often they are played; `shares` has the moves and their probabilities. */
export function withShares(judged, shares) {
  const nothing = { text: "", short: "", long: "its worth is not told", kind: "wait", lower: view.least.number, upper: view.most.number };
  const all = shares.map(({ move, probability }) => ({ move, share: probability ? Fraction.of(probability) : null }));
  const worth = (move) => (judged.has(move) ? judged.get(move).lower : 0);
  all.sort((a, b) => (b.share ? b.share.number : 0) - (a.share ? a.share.number : 0) || worth(b.move) - worth(a.move) || natural(a.move, b.move));
  return new Map(
    all.map(({ move, share }) => {
      // Where no value is known the bar shows how often a move is played.
      const drawn = view.least.number + (share ? share.number * (view.most.number - view.least.number) : 0);
      const found = judged.get(move) || { ...nothing, lower: drawn, upper: share ? drawn : nothing.upper };
      if (!share) return [move, found];
      const isPlayed = share.num > 0n;
      const kind = isPlayed || found.kind !== "best" ? found.kind : "wait";
      return [move, { ...found, kind, key: isPlayed ? move : "never", note: isPlayed ? `plays ${shareText(share)}` : "never", told: isPlayed ? `to be played with probability ${share}` : "never to be played" }];
    }),
  );
}

/** How often an opponent plays its moves. */
export function repliesOf(role) {
  const { opponents, replies } = coalition();
  const place = opponents.indexOf(page.intro.roles[role]);
  if (place < 0 || !replies.length) return [];
  const sum = (move) => replies.filter(({ moves }) => moves[place] === move).reduce((sum, { probability }) => sum.plus(Fraction.of(probability)), new Fraction(0n));
  return page.here.legal[role].map((move) => ({ move, probability: sum(move) }));
}

/** What the worth of the position means. */
export function aboutWorth(name, opponents, counted) {
  const { knowledge } = page;
  if (!knowledge || knowledge.wrong) return [];
  const isProved = !knowledge.remark;
  const against = opponents ? `, while ${opponents} ${opponents.includes(" and ") ? "keep" : "keeps"} to ${isProved ? "a best mixture" : "the best mixture found so far"}` : "";
  const notes = [];
  if (knowledge.lower) notes.push(`${name} ${counted}, by what it knows${against}`);
  else if (isProved && knowledge.states.length) notes.push(`best play of ${opponents} never leads here, so nothing tells what is likely, and what moves are worth`);
  if (isProved) return notes;
  notes.push(knowledge.remark);
  const game = knowledge.game && known(knowledge.game);
  if (game && game.low && game.text !== "not known") notes.push(`the game is worth ${game.text}`);
  else if (knowledge.lower) notes.push("nothing is proved yet of what the game is worth");
  return notes;
}

/** What the role did and saw, and the states that it holds possible. */
export function drawKnowledge(go, opponents) {
  const { intro, knowledge, here } = page;
  // The old text stays until the new one is known.
  if (!intro.is_hidden || !knowledge) return;
  $("seen").hidden = $("possible").hidden = Boolean(knowledge.wrong);
  if (knowledge.wrong) return;
  const name = intro.roles[page.role];
  const steps = knowledge.steps.map(({ move, sees }, at) => {
    const others = intro.roles.map((role, place) => [role, page.moves[at][place], place]).filter(([, , place]) => place !== page.role);
    const all = isOpen() ? el("small", {}, others.map(([role, made, place]) => `${place === random() ? "chance" : role}: ${plain(made)}`).join(", ")) : null;
    const said = [WAITS.test(move) ? "" : inWords(move), sees.length ? `saw ${sees.map(inWords).join(", ")}` : ""].filter(Boolean);
    const text = said.join(", and ") || "waited";
    return el("li", {}, el("button", { type: "button", onclick: () => go(at + 1) }, el("span", { class: "parts" }, text, all)));
  });
  $("seen").replaceChildren(el("h2", {}, `What ${name} did and saw`), steps.length ? el("ol", {}, ...steps) : el("p", { class: "note" }, "Nothing yet."));
  const { states, more } = knowledge;
  const count = states.length + more;
  if (here.terminal || !count) {
    $("possible").replaceChildren(here.terminal ? "" : el("p", { class: "note" }, `Too many states are possible for ${name}: they are not listed.`));
    return;
  }
  const truth = here.facts.filter((fact) => !knowledge.known.includes(fact)).join(" ");
  const rows = states.map(({ facts, probability }) => {
    const share = probability ? Fraction.of(probability) : null;
    const isTrue = isOpen() && facts.join(" ") === truth;
    return el(
      "li",
      { class: isTrue ? "best" : "" },
      el("span", {}, facts.length ? facts.map((fact) => page.scenery.words(fact)).join(", ") : count > 1 ? "no other fact" : "all facts shown", isTrue && count > 1 ? el("b", {}, " (true)") : ""),
      el("i", { class: "meter", "--part": share ? share.number : 0 }),
      el("span", { class: "worth", title: share ? odds(share) : "" }, share ? shareText(share) : "?"),
    );
  });
  const hidden = states.some(({ probability }) => probability);
  const why = hidden ? `Percents: how often chance${opponents ? ` and the mixture of ${opponents}` : ""} lead to it, of all plays that look like this to ${name}.` : "";
  $("possible").replaceChildren(
    el("h2", {}, `Possible, by what ${name} knows: ${count} ${count === 1 ? "state" : "states"}`),
    el("ul", { class: "states", tabindex: 0, "aria-label": "States that are possible" }, ...rows),
    more ? el("p", { class: "note" }, `${more} more are left out.`) : "",
    el("p", { class: "note" }, count > 1 ? `Listed is only what differs. ${why}` : ""),
  );
}
