// The play so far and the line of best play: their positions and values, asked for one after the other.

import { $, el } from "./elements.js";
import { Fraction, brief, known } from "./numbers.js";
import { curve, judgeStep, stepLine, summary } from "./past.js";
import { isMixed, keep, left, opponents, page, position, question, random, valueKey } from "./state.js";
import { plain } from "./terms.js";

/** The most steps of the line of best play, and the most outcomes of chance that are tried for one that leads on. */
const MAX_LINE = 40;
const MAX_TRIED = 24;

/** The positions of the play, and what their steps lost, as far as they are known. */
const along = { key: "", places: [] };

/** Draws the steps, their sums and the curve; `go` goes to a step. */
export function drawHistory(go) {
  const { intro, role, moves } = page;
  const count = moves.length + 1;
  const judged = Array.from({ length: moves.length }, (_, step) => (along.places[step] && along.places[step].judged) || {});
  const items = Array.from({ length: count }, (_, at) =>
    stepLine({
      joint: at > 0 ? moves[at - 1] : null,
      legal: at > 0 && along.places[at - 1] ? along.places[at - 1].here.legal : null,
      judged: at > 0 ? judged[at - 1] : {},
      value: valueAt(at),
      roles: intro.roles,
      role,
      random: random(),
      isNow: at === page.at,
      click: () => go(at),
    }),
  );
  $("history").replaceChildren(...items);
  $("summary").textContent = summary(judged, { name: intro.roles[role], others: opponents() });
  const values = Array.from({ length: count }, (_, at) => valueAt(at));
  $("curve").replaceChildren(...(values.filter(Boolean).length > 1 ? [curve(values, judged, page.at, (at) => go(at), $("curve").clientWidth || 600)] : []));
}

function valueAt(at) {
  const place = along.places[at];
  return place && page.values.get(valueKey(place.here, at));
}

/** Finds the positions of the play, their values, and what each step lost, one after the other. */
export async function followPlay(go) {
  const key = JSON.stringify([page.start, page.moves, page.role, page.objective, page.depth]);
  if (along.key === key) return;
  Object.assign(along, { key, places: [] });
  const isOld = () => along.key !== key;
  try {
    for (let at = 0; at <= page.moves.length; at += 1) {
      const here = await position(page.moves.slice(0, at));
      if (isOld()) return;
      along.places[at] = { here };
    }
    drawHistory(go);
    // Values of moves at the same time come from the positions that were shown.
    if (isMixed()) return;
    for (let at = 0; at < along.places.length; at += 1) {
      const { here } = along.places[at];
      if (!valueAt(at) || !valueAt(at).moves) {
        const reply = await page.source.ask("curve", question(here, at, { time: 1 }));
        if (isOld()) return;
        if (reply) keep(page.values, valueKey(here, at), reply);
      }
      drawHistory(go);
      if (at === page.moves.length) return;
      const joint = page.moves[at];
      const name = `${valueKey(here, at)} ${joint}`;
      if (!page.judged.has(name)) {
        const open = here.legal.some((legal, role) => role !== page.role && legal.length > 1);
        const replies = open && left(at) !== 0 ? await page.source.ask("curve", question(here, at, { command: "replies", move: joint[page.role], time: 1 })).catch(() => null) : null;
        if (isOld()) return;
        keep(page.judged, name, judgeStep({ joint, role: page.role, random: random(), evaluated: valueAt(at), replies }));
      }
      along.places[at].judged = page.judged.get(name);
      drawHistory(go);
    }
  } catch {
    // What went wrong is said of the position at hand.
  }
}

/** Outcomes of chance, those first that show how play usually goes on: their values are nearest to the mean. */
function typical({ outcomes, ...reply }) {
  const far = (told) => Math.abs(known(told).lower - known(reply).lower);
  return [...outcomes].sort((one, other) => far(one) - far(other));
}

/**
 * The line of best play from here, as far as values are known soon. Where chance decides, a typical outcome is taken, of those that lead to a
 * position which was not there before: so play comes to an end.
 */
export async function drawBestLine(go) {
  const { turn, at } = page;
  const items = [];
  const show = (text, moves) => {
    items.push(el("li", {}, moves ? el("button", { type: "button", onclick: () => go(moves.length, { moves }) }, text) : text));
    $("best-line").replaceChildren(...items.map((item) => item));
  };
  $("best-line").replaceChildren();
  if (isMixed()) return show("Both sides mix their moves: there is no line of best play.");
  let moves = page.moves.slice(0, at);
  const seen = new Set();
  let likely = new Fraction(1n);
  const end = (text) => show(likely.num === likely.den ? text : `${text}; chance makes exactly this play with probability ${brief(likely)}`);
  try {
    for (let step = 0; step < MAX_LINE; step += 1) {
      const here = await position(moves);
      if (here.terminal || left(moves.length) === 0) {
        end(here.terminal ? `the end: ${here.goals.map((goal, role) => (role === random() ? "" : `${page.intro.roles[role]} ${goal[0]}`)).filter(Boolean).join(", ")}` : "no steps are left");
        return;
      }
      seen.add(here.facts.join(" "));
      const value = await page.source.ask("line", question(here, moves.length, { time: 2 }));
      if (turn !== page.turn || !value) return;
      const told = await page.source.ask("line", question(here, moves.length, { command: "replies", move: value.best, time: 2 }));
      if (turn !== page.turn || !told || !told.replies.length) return;
      const [reply] = told.replies;
      let outcome;
      let joint;
      for (const one of typical(reply).slice(0, MAX_TRIED).reverse()) {
        const made = reply.joint_move.map((move) => (move === null ? one.move : move));
        const next = await position([...moves, made]);
        if (turn !== page.turn) return;
        if (!outcome || !seen.has(next.facts.join(" "))) [outcome, joint] = [one, made];
      }
      if (outcome.probability) likely = likely.multiply(Fraction.of(outcome.probability));
      moves = [...moves, joint];
      const parts = joint.map((move, role) => [move, role]).filter(([, role]) => here.legal[role].length > 1);
      const text = parts.map(([move, role]) => (role === random() ? `by chance, say, ${plain(move)}` : `${page.intro.roles[role]}: ${plain(move)}`)).join(", ");
      show(`${text || "one way to go on"} (${known(outcome).text})`, moves);
    }
    end("and so on");
  } catch (error) {
    show(error.message);
  }
}
