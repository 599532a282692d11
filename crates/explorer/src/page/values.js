// How values look: rows of moves, the table that says why, and the curve over the play.

import { el } from "./board.js";
import { Fraction, decimal, known, plain } from "./terms.js";

/** The class of what a move loses, as a part of the largest value. */
export function lossKind(loss) {
  if (loss <= 0) return "best";
  if (loss < 0.02) return "good";
  if (loss < 0.08) return "fair";
  if (loss < 0.2) return "poor";
  return "bad";
}

/**
 * For each move what it is worth for the role that values are about, and what it loses for the one who makes it.
 * `sign` is 1 where that one wants much, -1 where it wants little. Gives a map from moves to
 * `{told, text, long, loss, kind, note}`.
 */
export function judge(values, sign, scale) {
  const judged = new Map();
  const all = values.map((each) => ({ ...each, known: known(each) })).filter((each) => each.known.low);
  const good = (each) => (sign > 0 ? each.known.low : each.known.high);
  const best = all.reduce((best, each) => (best === null || good(each).compare(best) * sign > 0 ? good(each) : best), null);
  const isExact = all.length > 0 && all.every((each) => each.known.exact);
  for (const each of all) {
    const hope = sign > 0 ? each.known.high : each.known.low;
    const loss = (best.minus(hope).number * sign) / scale;
    const surely = isExact || loss > 0;
    const kind = surely ? lossKind(loss) : "wait";
    let note = "";
    if (isExact) note = loss > 0 ? `loses ${decimal(sign > 0 ? best.minus(hope) : hope.minus(best))}` : "best";
    else if (loss > 0) note = `loses ${decimal(sign > 0 ? best.minus(hope) : hope.minus(best))} or more`;
    else if (each.best) note = "best";
    judged.set(each.move, { text: each.known.text, short: each.known.short, long: each.known.long, kind: each.best ? "best" : kind, loss, note, exact: each.known.exact });
  }
  return judged;
}

/** What the moves of an opponent are worth, from the replies to the role's move. */
export function repliesOf(replies, role) {
  const least = new Map();
  for (const reply of replies) {
    const move = reply.joint_move[role];
    const known = least.get(move);
    // The worst first, so with several opponents the first one with this move is its worst.
    if (!known) least.set(move, { move, value: reply.value, lower: reply.lower, upper: reply.upper });
  }
  return [...least.values()];
}

/** What chance may do after a reply. */
export function outcomesOf(reply) {
  return reply.outcomes.map(({ move, value, lower, upper, probability }) => ({ move, value, lower, upper, probability }));
}

/** A list of moves with what they are worth. `why` is missing where there is nothing to explain. */
export function moveList({ title, moves, judged, chosen, pick, why, numbered }) {
  const rank = (move) => {
    const found = judged.get(move);
    return found ? found.place : moves.length;
  };
  [...judged.keys()].forEach((move, place) => (judged.get(move).place = place));
  const sorted = [...moves].sort((left, right) => rank(left) - rank(right));
  const rows = sorted.map((move, place) => {
    const found = judged.get(move);
    const label = found ? `${plain(move)}: ${found.long}${found.note ? `, ${found.note}` : ""}` : `${plain(move)}: not known`;
    const row = el(
      "button",
      {
        type: "button",
        class: `move ${found ? found.kind : "wait"}${chosen === move ? " chosen" : ""}`,
        title: label,
        "aria-label": label,
        "aria-pressed": chosen === move ? "true" : undefined,
        "data-move": move,
        "data-number": numbered && place < 9 ? place + 1 : undefined,
        onclick: () => pick(move),
      },
      el("span", {}, plain(move)),
      el("span", {}, found ? found.text : "…"),
      el("span", { class: "note" }, found ? found.note : ""),
    );
    const explain = why && el("button", { type: "button", class: "ask", title: `What may follow ${plain(move)}, and why it is worth that`, "aria-label": `Why is ${plain(move)} worth that?`, onclick: () => why(move) }, "why?");
    return el("li", {}, row, explain);
  });
  return el("div", {}, el("h2", {}, title), el("ul", { class: "moves" }, ...rows));
}

/** The most rows of a table that says why. */
const MAX_ROWS = 400;

/** Replies and outcomes of a move, with their weights and values. */
export function whyTable({ reply, isDone, roles, random, play, close }) {
  const role = roles.indexOf(reply.role);
  const rows = [];
  const best = reply.replies[0];
  for (const each of reply.replies) {
    const others = each.joint_move.map((move, at) => [move, at]).filter(([, at]) => at !== role && at !== random);
    const text = others.map(([move, at]) => `${roles[at]}: ${plain(move)}`).join(", ") || "nobody replies";
    const worth = known(each);
    const isWorst = each === best && reply.replies.length > 1;
    rows.push(el("tr", {}, el("th", { scope: "row", colspan: "2" }, text + (isWorst ? " (the worst for the role)" : "")), el("td", { title: worth.long }, worth.text), el("td", {}, "")));
    for (const outcome of each.outcomes) {
      const known_ = known(outcome);
      const joint = each.joint_move.map((move, at) => (at === random ? outcome.move : move));
      const name = outcome.move === undefined || outcome.move === null ? "then" : plain(outcome.move);
      rows.push(
        el(
          "tr",
          {},
          el("td", {}, name),
          el("td", {}, random < 0 ? "" : `× ${Fraction.of(outcome.probability)}`),
          el("td", { title: known_.long }, known_.text + (outcome.terminal ? ", the end" : "")),
          el("td", {}, el("button", { type: "button", onclick: () => play(joint) }, "show")),
        ),
      );
    }
  }
  const cut = rows.length > MAX_ROWS;
  const several = reply.replies.length > 1;
  const sum = random < 0 ? "" : " Each reply is worth the mean of its outcomes.";
  const head = `${roles[role]}: ${plain(reply.move)} is worth ${best ? known(best).text : "nothing that is known"}.${several ? " The opponents choose the reply that leaves the least." : ""}${sum}`;
  return [
    el("h2", {}, "Why?"),
    el("p", {}, head, isDone ? "" : " Still computing.", " ", el("button", { type: "button", onclick: close }, "Close")),
    el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, ...rows.slice(0, MAX_ROWS)))),
    cut ? el("p", { class: "note" }, `${rows.length - MAX_ROWS} more rows are left out.`) : null,
  ].filter(Boolean);
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** The value over the play: a line where it is exact, an area between bounds. `values` has what is known after each step. */
export function curve(values, scale, now, jump) {
  const [width, height, edge] = [300, 90, 8];
  const x = (at) => edge + ((width - 2 * edge) * at) / Math.max(1, values.length - 1);
  const y = (value) => height - edge - ((height - 2 * edge) * value) / scale;
  const places = values.map((told, at) => ({ at, ...known(told), told })).filter((each) => each.told);
  const points = places.map((each) => `${x(each.at)},${y((each.lower + each.upper) / 2)}`);
  const area = [...places.map((each) => `${x(each.at)},${y(each.upper)}`), ...places.reverse().map((each) => `${x(each.at)},${y(each.lower)}`)];
  const dots = places.map((each) => {
    const title = svg("title", {});
    title.textContent = `after step ${each.at}: ${each.text}`;
    return svg("circle", { cx: x(each.at), cy: y((each.lower + each.upper) / 2), r: each.at === now ? 4 : 3, class: each.at === now ? "now" : "", onclick: () => jump(each.at) }, title);
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The value over the play; the list below has the steps" },
    svg("line", { class: "axis", x1: edge, x2: width - edge, y1: y(0), y2: y(0) }),
    svg("line", { class: "axis", x1: edge, x2: width - edge, y1: y(scale), y2: y(scale) }),
    svg("polygon", { class: "open", points: area.join(" ") }),
    svg("polyline", { class: "line", points: points.join(" ") }),
    ...dots,
  );
}
