// Players other than you: by the values, by a short look ahead, or by chance.

/** The kinds of players, and their names. */
export const DECIDERS = [
  ["you", "you"],
  ["best", "perfect play"],
  ["short", "looks two steps ahead"],
  ["random", "random moves"],
];

/** The same for chance. */
export const CHANCES = [
  ["roll", "roll for me"],
  ["pick", "I pick"],
];

/** How many steps a short look sees. */
const SHORT = 2;

/** How long a decision may take, in seconds. */
const TIME = 3;

/** One of these, evenly. */
export function anyOf(list) {
  // Of equally many numbers for each.
  const most = Math.floor(2 ** 32 / list.length) * list.length;
  for (;;) {
    const [number] = crypto.getRandomValues(new Uint32Array(1));
    if (number < most) return list[number % list.length];
  }
}

/**
 * The move of a role. `position` is `{state, role, depth}` of a question; `focus` is the move of the role that values
 * are about, if an opponent decides. Where no value can be had it is any legal move.
 */
export async function decide(source, kind, { position, legal, place, focus }) {
  if (kind === "random" || legal.length === 1) return anyOf(legal);
  const request = { ...position, time: TIME };
  if (kind === "short") request.depth = position.depth === undefined ? SHORT : Math.min(SHORT, position.depth);
  try {
    if (focus === undefined) {
      const reply = await source.ask("decide", request);
      if (!reply || !reply.moves) return undefined;
      const best = reply.moves.filter((each) => each.best);
      return best.length ? anyOf(best).move : reply.best || anyOf(legal);
    }
    const reply = await source.ask("decide", { ...request, command: "replies", move: focus });
    if (!reply || !reply.replies) return undefined;
    return reply.replies.length ? reply.replies[0].joint_move[place] : anyOf(legal);
  } catch {
    return anyOf(legal);
  }
}
