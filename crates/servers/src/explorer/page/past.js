// The play so far: what each decision lost and what luck gave, from the values of moves and replies on the way.

import { el, svg } from "./elements.js";
import { Fraction, difference, extent, gain, known, part, view, ZERO } from "./numbers.js";
import { plain } from "./terms.js";
import { lossOf, repliesOf } from "./values.js";

/**
 * What a step lost and gained, from the reply about the position before (`evaluated`, with moves) and the replies to the role's move.
 * Gives `{own, others, luck}`: the role's loss, that of its opponents, and what chance gave the role; each only where it is known exactly.
 */
export function judgeStep({ joint, role, random, evaluated, replies }) {
  const exact = (told) => (told && told.value ? Fraction.of(told.value) : null);
  const found = {};
  const move = evaluated && evaluated.moves && evaluated.moves.find((each) => each.move === joint[role]);
  if (evaluated && evaluated.moves && evaluated.moves.length > 1 && exact(evaluated) && exact(move)) found.own = gain(exact(evaluated), exact(move));
  if (!replies || !replies.replies.length) return found;
  const reply = replies.replies.find(({ joint_move }) => joint_move.every((own, at) => at === random || own === joint[at]));
  if (replies.replies.length > 1 && exact(reply) && exact(replies.replies[0])) found.others = gain(exact(reply), exact(replies.replies[0]));
  const outcome = reply && random >= 0 && reply.outcomes.find((one) => one.move === joint[random]);
  if (outcome && reply.outcomes.length > 1 && exact(outcome) && exact(reply)) found.luck = gain(exact(outcome), exact(reply));
  return found;
}

/** A loss with its sign and its word, if it is one. */
function tag(loss) {
  if (!loss || loss.compare(ZERO) <= 0) return loss ? el("span", { class: "tag best" }, "best") : null;
  const { kind, sign, word } = lossOf(extent(loss.number));
  return el("span", { class: `tag ${kind}` }, `${difference(ZERO.minus(loss))}${word ? ` ${word} ${sign}` : ""}`);
}

/** A step of the list: the moves, what they lost, and what the position after it is worth. */
export function stepLine({ joint, legal, judged, value, roles, role, random, isNow, click }) {
  const names = joint
    ? joint.map((move, at) => ({ move, at })).filter(({ at }) => !legal || legal[at].length > 1)
    : [];
  const lines = names.map(({ move, at }) => {
    const opponents = names.filter((one) => one.at !== role && one.at !== random);
    const mark = at === role ? tag(judged.own) : at === random ? judged.luck && el("span", { class: "tag luck" }, `luck ${difference(judged.luck)}`) : opponents[0].at === at ? tag(judged.others) : null;
    return el("span", {}, `${at === random ? "chance" : roles[at]}: ${plain(move)} `, mark);
  });
  if (!lines.length) lines.push(el("span", {}, joint ? plain(joint[0]) : "start"));
  return el("li", {}, el("button", { type: "button", "aria-current": isNow ? "step" : undefined, onclick: click }, el("span", { class: "parts" }, ...lines), el("span", { class: "worth" }, value ? known(value).text : "")));
}

/** The sums over a play, as a sentence for each side. */
export function summary(steps, { name, others }) {
  const given = (key) => steps.map((step) => step[key]).filter(Boolean);
  const sum = (key) => given(key).reduce((all, one) => all.plus(one), ZERO);
  const side = (who, key) => {
    const words = given(key).map((loss) => lossOf(extent(loss.number)).word).filter(Boolean);
    const counts = [...new Set(words)].map((word) => counted(words.filter((other) => other === word).length, word));
    const lost = sum(key).compare(ZERO) > 0 ? difference(sum(key)).slice(1) : "nothing";
    return given(key).length ? `${who} lost ${lost}${counts.length ? ` (${counts.join(", ")})` : ""}. ` : "";
  };
  const luck = given("luck").length ? `Luck gave ${name} ${difference(sum("luck"))}.` : "";
  return `${side(name, "own")}${side(others, "others")}${luck}`;
}

const counted = (count, word) => `${count} ${count === 1 ? word : word.replace(/y$/, "ie").concat("s")}`;

/** The value over the play: a line where it is exact, an area between bounds. `values` has what is known after each step. */
export function curve(values, steps, now, jump, width) {
  const [height, edge] = [90, 10];
  const x = (at) => edge + ((width - 2 * edge) * at) / Math.max(1, values.length - 1);
  const y = (value) => height - edge - (height - 2 * edge) * part(value);
  const places = values.map((told, at) => ({ at, ...known(told), told })).filter((each) => each.told);
  const points = places.map((each) => `${x(each.at)},${y((each.lower + each.upper) / 2)}`);
  const area = [...places.map((each) => `${x(each.at)},${y(each.upper)}`), ...[...places].reverse().map((each) => `${x(each.at)},${y(each.lower)}`)];
  const dots = places.map((each) => {
    const step = (each.at > 0 && steps[each.at - 1]) || {};
    const worst = [step.own, step.others].map((loss) => lossOf(loss ? extent(loss.number) : 0)).find(({ word }) => word);
    return svg("circle", { cx: x(each.at), cy: y((each.lower + each.upper) / 2), r: each.at === now ? 5 : 3.5, class: `${each.at === now ? "now" : ""} ${worst ? worst.kind : ""}`, onclick: () => jump(each.at) }, svg("title", {}, `after step ${each.at}: ${each.text}${worst ? `, ${worst.word}` : ""}`));
  });
  const axis = (value) => svg("line", { class: "axis", x1: edge, x2: width - edge, y1: y(value), y2: y(value) });
  const label = (value, below) => svg("text", { x: edge, y: y(value) + below }, view.isMean ? String(value).replace("Infinity", "∞") : `${100 * value} %`);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The value over the play; the tab History has the steps" },
    ...[view.least.number, (view.least.number + view.most.number) / 2, view.most.number].map(axis),
    svg("polygon", { class: "open", points: area.join(" ") }),
    svg("polyline", { class: "line", points: points.join(" ") }),
    ...dots,
    label(view.most.number, 9),
    label(view.least.number, -2),
  );
}
