// The list of the games of a folder.

import { $, el } from "./elements.js";
import { Server } from "./source.js";

/** Shows the games whose names or titles have these words. */
function show(games, words) {
  const isFound = ({ name, title }) => words.every((word) => `${name} ${title}`.toLowerCase().includes(word));
  const row = ({ name, title, link }) => el("li", {}, el("a", { href: `${link}/` }, title || name), " ", el("small", {}, name));
  $("games").replaceChildren(...games.filter(isFound).map(row));
}

try {
  const games = await new Server().post("games", {});
  const find = () => show(games, $("find").value.toLowerCase().split(/\s+/));
  $("find").addEventListener("input", find);
  find();
} catch (error) {
  $("trouble").textContent = error.message;
  $("trouble").hidden = false;
}
