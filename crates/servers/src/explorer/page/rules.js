// The rules as text, with those marked that made the last step.

import { el } from "./elements.js";

/** The longest text about a game. */
const MAX_ABOUT = 420;

/** What the author says of a game: the first sentences of its first comment, without lines for programs. */
export function aboutGame(rules) {
  const lines = rules.split("\n");
  const end = lines.findIndex((line) => !line.startsWith(";") || /^;+\s*(uses\b|parameter\b|board \S+:|pieces:|show \S+ as )/.test(line));
  const comment = lines.slice(0, Math.max(0, end)).map((line) => line.replace(/^;+\s*/, "")).join("\n");
  const paragraphs = comment.split(/\n{2,}/).slice(0, 2).map((text) => text.replaceAll("\n", " ").trim());
  const all = paragraphs.map((text) => (/[.!?:]$/.test(text) ? text : `${text}.`)).join(" ").slice(0, MAX_ABOUT);
  const [sentences = ""] = all.match(/^.*[.!?](?= |$)/) || [];
  return sentences === "." ? "" : sentences;
}

/** Shows the rules. `fired` are the places of rules, and the facts, moves and values that they gave; `before` the facts before the step. */
export function showRules(place, rules, fired, before) {
  const pieces = [];
  let end = 0;
  const byPlace = new Map();
  for (const { place, relation, derived } of fired) {
    const key = place.join();
    const known = byPlace.get(key) || { place, derived: [], isNew: false };
    known.derived.push(...derived);
    known.isNew ||= relation !== "next" || derived.some((fact) => !before.includes(fact));
    byPlace.set(key, known);
  }
  for (const { place, derived, isNew } of [...byPlace.values()].sort((a, b) => a.place[0] - b.place[0])) {
    pieces.push(rules.slice(end, place[0]));
    pieces.push(el("mark", { class: isNew ? "made" : "kept", title: derived.join("\n") || "holds" }, rules.slice(...place)));
    [, end] = place;
  }
  place.replaceChildren(...pieces, rules.slice(end));
  const first = place.querySelector("mark.made");
  if (first) place.scrollTop = first.offsetTop - place.offsetTop - 40;
}
