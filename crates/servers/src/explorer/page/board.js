// Boards drawn as grids: facts with two coordinates, and the moves that name cells.

import { el } from "./elements.js";
import { argumentsOf, inWords, parseTerms, parts, plain, termText } from "./terms.js";

/** The features whose facts are on a board. */
const features = (shape) => shape.features || [shape.feature];

/** How a board lies: whether the first coordinate grows across, and which coordinates grow against reading order. */
export function layout(shape, hints, turns) {
  // Letters and numbers together lie as in chess.
  const isChess = shape.lines[0].every((name) => /^[a-z]$/.test(name)) && shape.lines[1].every((name) => /\d$/.test(name));
  const [first, second] = features(shape).map((name) => hints.boards.get(name)).find(Boolean) || (isChess ? ["across", "up"] : ["down", "across"]);
  const across = (word) => word === "across" || word === "back";
  const against = (word) => word === "back" || word === "up";
  const lay = { across: across(first) && !across(second), flip: [against(first), against(second)] };
  for (let turn = 0; turn < turns % 8; turn += 1) {
    if (turn % 2 === 0) lay.across = !lay.across;
    else lay.flip = [!lay.flip[0], lay.flip[0] ? !lay.flip[1] : lay.flip[1]];
  }
  return lay;
}

/** Whether a fact is on a board. */
export function isOn(shape, fact) {
  const [term] = parseTerms(fact);
  return Array.isArray(term) && features(shape).includes(term[0]) && term.length === shape.arity + 1;
}

/** The cells that a move names, in order, as pairs of places in the lines of the board. */
export function cellsOf(move, shape) {
  const flat = argumentsOf(move).flat(9);
  const cells = [];
  for (let at = 0; at + 1 < flat.length; at += 1) {
    const cell = [shape.lines[0].indexOf(flat[at]), shape.lines[1].indexOf(flat[at + 1])];
    if (cell[0] >= 0 && cell[1] >= 0) {
      cells.push(cell);
      at += 1;
    }
  }
  if (cells.length === 0 && flat.length === 1 && shape.lines[0].includes(flat[0])) {
    // A move such as `drop 3` names a whole line.
    const line = shape.lines[0].indexOf(flat[0]);
    return { line, cells };
  }
  return { line: -1, cells };
}

const EMPTY = ["b", "blank", "empty", "e", "none", "dirt", "0"];

/** Pieces of chess, by their names. */
const CHESS = { king: "♔♚", queen: "♕♛", rook: "♖♜", bishop: "♗♝", knight: "♘♞", pawn: "♙♟" };

function chessGlyph(name) {
  const words = name.split(/[\s_]+/);
  const kind = words.find((word) => CHESS[word]);
  const side = words.includes("white") ? 0 : words.includes("black") ? 1 : -1;
  return kind && side >= 0 && words.length === 2 ? CHESS[kind][side] : undefined;
}

/** How the content of a cell looks: text, class and tooltip. */
function piece(content, hints, contents) {
  const name = content.map(termText).join(" ");
  if (EMPTY.includes(name)) return { text: "", kind: "", name };
  const hue = `p${Math.max(0, contents.indexOf(name)) % 8}`;
  const glyph = hints.pieces.get(name) || chessGlyph(name);
  if (glyph) return { text: glyph, kind: hue, name };
  const words = plain(name);
  const clash = contents.some((other) => other !== name && other[0] === words[0] && !EMPTY.includes(other));
  if (/^\d+$/.test(words) || words.length <= 2) return { text: words, kind: hue, name };
  return clash ? { text: words, kind: `${hue} word`, name } : { text: words[0].toUpperCase(), kind: hue, name };
}

/** How several facts in one cell look. */
function several(pieces) {
  const list = (key) => pieces.map((each) => each[key]).filter(Boolean).join(", ");
  return { text: list("text"), kind: pieces.length ? "word" : "", name: list("name") };
}

/** All contents that the rules can put on a board, in a fixed order, so that colours stay. */
export class Contents {
  constructor(roles) {
    this.names = [...roles];
  }

  of(facts, shape) {
    for (const fact of facts) {
      const name = rest(fact, shape).map(termText).join(" ");
      if (!this.names.includes(name)) this.names.push(name);
    }
    return this.names;
  }
}

/** What a fact says about its cell. */
function rest(fact, shape) {
  const others = argumentsOf(fact).filter((_, place) => !shape.places.includes(place));
  return shape.features ? [parts(fact).name, ...others] : others;
}

/**
 * A board as a table. `marks` gives for a cell, by its places in both lines, what can be done there:
 * `{name, label, note, loss, kind, click, isFrom, isLine}`, or nothing. `before` are the facts of the position before, to show what is new.
 */
export function drawBoard({ shape, facts, before, hints, contents, lay, marks }) {
  const own = facts.filter((fact) => isOn(shape, fact));
  const names = contents.of(own, shape);
  const at = new Map();
  for (const fact of own) {
    const given = argumentsOf(fact).map(termText);
    const key = shape.lines.map((line, which) => line.indexOf(given[shape.places[which]])).join();
    at.set(key, [...(at.get(key) || []), fact]);
  }
  const order = shape.lines.map((line, which) => {
    const places = line.map((_, place) => place);
    return lay.flip[which] ? places.reverse() : places;
  });
  const [down, across] = lay.across ? [1, 0] : [0, 1];
  const rows = order[down].map((downAt) => {
    const cells = order[across].map((acrossAt) => {
      const cell = lay.across ? [acrossAt, downAt] : [downAt, acrossAt];
      const here = at.get(cell.join()) || [];
      const pieces = here.map((fact) => piece(rest(fact, shape), hints, names));
      const content = pieces.length === 1 ? pieces[0] : several(pieces);
      const found = marks(cell);
      // A move that names a line is made by its empty cells.
      const mark = found && found.isLine && content.text ? null : found;
      const where = `${shape.lines[0][cell[0]]} ${shape.lines[1][cell[1]]}`;
      const label = `${shape.feature} ${where}: ${content.name || "empty"}${mark ? `. ${mark.label}` : ""}`;
      const fresh = before && here.some((fact) => !before.includes(fact)) && content.text ? " fresh" : "";
      const inner = [
        mark ? el("span", { class: "unseen" }, `${where}, ${content.name || "empty"}, ${mark.name}: `) : null,
        content.text ? el("b", { class: content.kind, "aria-hidden": mark ? "true" : undefined }, content.text) : null,
        mark && mark.note ? el("span", {}, mark.note) : null,
        mark && mark.loss ? el("small", {}, mark.loss) : null,
      ];
      const classes = `cell${fresh}${mark ? ` ${mark.kind}` : ""}${mark && mark.isFrom ? " from" : ""}`;
      const shown = mark
        ? el("button", { type: "button", class: classes, title: label, "data-cell": where, onclick: mark.click }, ...inner)
        : el("div", { class: classes, title: label }, ...inner);
      return el("td", {}, shown);
    });
    return el("tr", {}, el("th", { scope: "row" }, shape.lines[down][downAt]), ...cells);
  });
  const heads = order[across].map((place) => el("th", { scope: "col" }, shape.lines[across][place]));
  return el(
    "table",
    { class: "board", "--columns": shape.lines[across].length, "--rows": shape.lines[down].length },
    el("caption", { class: shape.proved ? "unseen" : "", title: shape.proved ? "" : "It is not proved to be a board: a cell may have several facts." }, inWords(shape.feature)),
    el("thead", {}, el("tr", {}, el("td"), ...heads)),
    el("tbody", {}, ...rows),
  );
}
