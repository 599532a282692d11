// Where the page gets its answers: from `sqasp explore`, by the evaluator's protocol over HTTP.

/**
 * The objects of the server's replies, as Rust writes them (`Introduction` and `PositionView` of `servers::explorer`, `EvaluationReply` of `servers::evaluator`).
 *
 * @typedef {{num: string, den: string}} Ratio
 * @typedef {Ratio | "infinite"} Amount
 * @typedef {{value?: Amount | null, lower?: Amount, upper?: Amount, estimate?: number}} Worth
 * @typedef {{name: string, is_mean: boolean, is_small: boolean, least: Ratio[], largest: Amount[]}} Objective
 * @typedef {{boards: Record<string, [string, string]>, pieces: Record<string, string>, shows: Record<string, string>, mistakes: string[]}} Hints
 * @typedef {{program: string, game: string, roles: string[], role: string, depth: number | null, is_hidden: boolean, is_simultaneous: boolean, is_selfish: boolean,
 *   objectives: Objective[], features: object[], hints: Hints, rules: string}} Introduction
 * @typedef {{facts: string[], terminal: boolean, legal: string[][], goals: string[][]}} Position
 * @typedef {Worth & {move: string, probability?: Ratio, best: boolean}} MoveValue
 * @typedef {Worth & {role: string, terminal: boolean, depth?: number, cut_off?: boolean, unreached?: boolean, stopped_by?: string, best?: string, moves?: MoveValue[],
 *   equilibrium?: {all: boolean, wide: boolean, roles: (Worth & {role: string})[]}, states: number, seconds: number}} Evaluation
 * @typedef {Partial<Evaluation> & {wrong?: string}} Known An evaluation, or the reason why there is none.
 */

/** The server does not answer. */
export class Lost extends Error {}

/** Asks the server that the page came from. */
export class Server {
  constructor() {
    // Every tab is an asker of its own; a copied tab gets a new name, because this is not stored.
    this.tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join("");
    this.lanes = new Map();
    /** Which of the offered objectives counts. */
    this.objective = 0;
  }

  async post(path, body, signal) {
    let response;
    try {
      response = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      if (signal && signal.aborted) throw error;
      throw new Lost("the server does not answer: `sqasp explore` has ended, or is being started again");
    }
    if (!response.ok) throw new Error((await response.text()).trim());
    const answer = await response.json();
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  /** @returns {Promise<Introduction>} */
  introduction() {
    return this.post("game", {});
  }

  boards() {
    return this.post("boards", {});
  }

  /** @returns {Promise<Position>} */
  position(place) {
    return this.post("position", place);
  }

  /** The rules that fired in a step from a state. */
  fired(state, joint) {
    return this.post("fired", { state, history: [joint] });
  }

  /** The value of a position where roles choose at the same time, and the best mixtures. */
  mixture(request) {
    return this.post(`mixture?asker=${this.tab}.mixture&objective=${this.objective}`, request);
  }

  /** What a role knows of a position where the rules hide something. */
  knowledge(request) {
    return this.post(`knowledge?asker=${this.tab}.knowledge&objective=${this.objective}`, request);
  }

  /**
   * Asks a question and calls `hear(reply, isDone)` with what is known, better and better. A lane has one question at a
   * time: a new one ends the old one. Gives a promise of the last reply; nothing if another question came first.
   * @param {string} lane @param {object} request @param {(reply: any, isDone: boolean) => void} hear
   */
  async ask(lane, request, hear = () => {}) {
    this.leave(lane);
    const controller = new AbortController();
    this.lanes.set(lane, controller);
    const path = `ask?asker=${this.tab}.${lane}&objective=${this.objective}`;
    try {
      for (;;) {
        const { done, reply } = await this.post(path, request, controller.signal);
        if (controller.signal.aborted) return undefined;
        if (reply && reply.status === "error") throw new Error(reply.message);
        if (reply) hear(reply, done);
        if (done) return reply || undefined;
      }
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.lanes.get(lane) === controller) this.lanes.delete(lane);
    }
  }

  /** The answers of a lane are not wanted any more. The server hears of it with the next question, or after a while. */
  leave(lane) {
    const controller = this.lanes.get(lane);
    if (controller) controller.abort();
    this.lanes.delete(lane);
  }

  /** Ends all work for this tab. */
  async stop() {
    const lanes = [...this.lanes.keys(), "knowledge"];
    for (const lane of lanes) this.leave(lane);
    await Promise.all(lanes.map((lane) => this.post(`stop?asker=${this.tab}.${lane}`, {})));
  }
}
