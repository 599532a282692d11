// The games of a folder: a card for each with a picture of its start; variants of one game share a card.

import { Contents, drawBoard, isOn, layout } from "./board.js";
import { $, el } from "./elements.js";
import { known, setScale, view } from "./numbers.js";
import { aboutGame } from "./rules.js";
import { Scenery, hintsOf } from "./scene.js";
import { Server } from "./source.js";
import { natural } from "./terms.js";

const players = (game) => game.roles.filter((role) => role !== "random").length;

/**
 * The kinds of games, and whether a game is of each; `value` is that of the start, if it was asked for.
 * @type {Map<string, (game: import("./source.js").Introduction, value: {is_endless: boolean} | null) => boolean>}
 */
const KINDS = new Map([
  ["chance", (game) => game.roles.includes("random")],
  ["no chance", (game) => !game.roles.includes("random")],
  ["hidden", (game) => game.is_hidden],
  ["moves at once", (game) => game.is_simultaneous],
  ["endless", (_, value) => Boolean(value && value.is_endless)],
  ["one player", (game) => players(game) === 1],
  ["more than two players", (game) => players(game) > 2],
]);

/** The kinds that are said of a game in the list: all but the usual ones. */
const TOLD = ["chance", "hidden", "moves at once", "endless"];

/** The start of a game as it is drawn. Of a game that hides something only the board is shown. */
function picture({ game, boards, position }) {
  const hints = hintsOf(game);
  const scenery = new Scenery(game, hints);
  const facts = game.is_hidden ? [] : position.facts;
  const shapes = scenery.boards(boards, facts, position.legal.flat());
  const contents = new Contents(game.roles.filter((role) => role !== "random"));
  const drawn = shapes.map((shape) => drawBoard({ shape, facts, before: null, hints, contents, lay: layout(shape, hints, 0), marks: () => null }));
  const loose = facts.filter((fact) => !shapes.some((shape) => isOn(shape, fact)));
  const { elements, rest } = scenery.draw(loose, { active: [], thrown: null, isOver: false, at: 0 });
  const words = drawn.length + elements.length || !rest.length ? [] : [el("ul", { class: "facts" }, ...rest.map((fact) => el("li", {}, scenery.words(fact))))];
  return [...drawn, ...elements, ...words];
}

/** A card: the game and its variants, as far as they are read. */
class Card {
  constructor(title, games) {
    this.variants = games.map((game) => ({ ...game, rest: game.title.slice(title.length).replace(/^[,:(\s]+/, ""), card: null, value: null, error: "" }));
    this.title = title || games[0].name.replaceAll("_", " ");
    this.element = el("li", {});
    this.draw();
  }

  /** Takes what the server says of a variant. */
  take(variant, found) {
    Object.assign(variant, found);
    this.draw();
  }

  /** The worth of a variant at the start. */
  worth({ card, value }) {
    if (!value) return null;
    setScale(card.game.objectives[value.objective], card.game.roles.indexOf(value.role));
    const { text, long } = known(value);
    return text === "not known" ? null : el("b", { class: "worth", title: long }, `${text}${!view.most.den ? " steps" : view.isMean ? " points" : ""} for ${value.role}`);
  }

  draw() {
    const [first] = this.variants;
    const shown = this.variants.find(({ card }) => card);
    const tags = ({ card, value }) => (card ? TOLD.filter((kind) => KINDS.get(kind)(card.game, value)).map((kind) => el("span", { class: "tag luck" }, kind)) : []);
    const count = ({ card }) => (card ? el("span", { class: "tag" }, `${players(card.game)} player${players(card.game) === 1 ? "" : "s"}`) : "");
    // A text that is that of the variant above says nothing.
    const row = (variant, at) =>
      el("li", {}, el("a", { href: `${variant.link}/` }, variant.name), variant.rest && variant.rest !== this.variants[at - 1]?.rest ? ` ${variant.rest} ` : " ", count(variant), ...tags(variant), this.worth(variant), variant.error ? el("small", {}, variant.error) : "");
    const image = el("a", { class: "picture", href: `${(shown || first).link}/`, "aria-hidden": "true", tabindex: "-1" }, ...(shown ? picture(shown.card) : []));
    const about = shown ? aboutGame(shown.card.game.rules).slice((first.title || "").length).replace(/^[.\s]+/, "") : "";
    this.element.replaceChildren(image, el("h2", {}, this.title), ...(about ? [el("p", {}, about)] : []), el("ul", {}, ...this.variants.map(row)));
  }

  /** Shows it if a variant has all words and is of the kind; those that are not read yet are of none. */
  filter(words, kind) {
    const isFound = ({ name, title, card, value }) => words.every((word) => `${name} ${title}`.toLowerCase().includes(word)) && (!kind || (card && KINDS.get(kind)(card.game, value)));
    this.element.hidden = !this.variants.some(isFound);
  }
}

/** Games whose titles begin alike, up to the first comma, in cards. */
function cardsOf(games) {
  const groups = new Map();
  for (const game of games) {
    const title = game.title.split(/[,:(.]/)[0].trim();
    const key = title || game.name;
    groups.set(key, [...(groups.get(key) || []), game]);
  }
  const cards = [...groups.values()].map((group) => new Card(group[0].title && group[0].title.split(/[,:(.]/)[0].trim(), group));
  return cards.sort((one, other) => natural(one.title, other.title));
}

try {
  const server = new Server();
  const cards = cardsOf(await server.post("games", {}));
  // Values are asked for when a card is seen, or where they say of which kind a game is, one after the other.
  let last = Promise.resolve();
  const asked = new Set();
  const ask = (card) => {
    if (asked.has(card) || !card.variants.every((each) => each.card || each.error)) return;
    asked.add(card);
    for (const variant of card.variants.filter((each) => each.card)) last = last.then(() => read(card, variant, "value")).then(find, () => {});
  };
  const find = () => {
    if ($("kind").value === "endless") cards.forEach(ask);
    cards.forEach((card) => card.filter($("find").value.toLowerCase().split(/\s+/), $("kind").value));
  };
  $("kind").append(...[...KINDS.keys()].map((kind) => el("option", { value: kind }, kind)));
  $("find").addEventListener("input", find);
  $("kind").addEventListener("change", find);
  $("games").replaceChildren(...cards.map(({ element }) => element));
  find();
  /** @param {Card} card @param {any} variant @param {string} part */
  const read = (card, variant, part) => server.post(part, { link: variant.link }).then((found) => card.take(variant, { [part]: found }));
  for (const card of cards) {
    for (const variant of card.variants) {
      await read(card, variant, "card").catch((error) => card.take(variant, { error: error.message }));
      find();
    }
  }
  const seen = new IntersectionObserver((entries) => entries.filter(({ isIntersecting }) => isIntersecting).forEach(({ target }) => ask(cards.find(({ element }) => element === target))));
  cards.forEach(({ element }) => seen.observe(element));
} catch (error) {
  $("trouble").textContent = error.message;
  $("trouble").hidden = false;
}
