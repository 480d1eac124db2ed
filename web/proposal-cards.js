/** The cards of proposals, newest first, each with the name of its agent. */
import { agentNames } from './agent-names.js';
import { fill, h } from './dom.js';
import { proposalCard } from './proposal-card.js';

/** @typedef {import('./wire.ts').Proposal} Proposal */

export class ProposalCards {
  element = h('div', { class: 'proposals' });
  /** @type {Map<string, ReturnType<typeof proposalCard>>} */
  #cards = new Map();
  /** @type {Map<string, Promise<string>>} */
  #names = new Map();

  /**
   * @param {import('./shell.js').Context} context
   * @param {AbortSignal} signal Ends the reading of names.
   */
  constructor(context, signal) {
    this.context = context;
    this.signal = signal;
  }

  get size() {
    return this.#cards.size;
  }

  /** Number of proposals that wait for an answer. */
  get pending() {
    return [...this.#cards.values()].filter(({ proposal }) => proposal.state === 'pending_approval').length;
  }

  ids() {
    return [...this.#cards.keys()];
  }

  /** @param {string} id */
  has(id) {
    return this.#cards.has(id);
  }

  /** Shows a proposal in its place, or what became of it. @param {Proposal} proposal */
  include(proposal) {
    const known = this.#cards.get(proposal.id);
    if (known !== undefined) return known.update(proposal);
    const card = proposalCard(this.context, proposal);
    const older = [...this.element.children].find((child) => {
      const other = this.#cards.get(child.getAttribute('data-proposal') ?? '');
      return other !== undefined && other.proposal.createdAt < proposal.createdAt;
    });
    this.#cards.set(proposal.id, card);
    this.element.insertBefore(card.element, older ?? null);
    card.tick(this.context.feed.now());
    void this.nameOf(proposal.agentId).then((name) => card.nameAgent(name));
  }

  /** Applies an announcement about a shown proposal. @param {import('./feed-messages.ts').ProposalChange} change */
  patch(change) {
    this.#cards.get(change.proposalId)?.patch(change);
  }

  tick() {
    for (const card of this.#cards.values()) card.tick(this.context.feed.now());
  }

  clear() {
    for (const card of this.#cards.values()) card.end();
    this.#cards.clear();
    fill(this.element);
  }

  /** @param {string} id Of an agent. @returns {Promise<string>} The beginning of the id where it has no name. */
  nameOf(id) {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = agentNames(this.signal, [id]).then(
      (names) => names.get(id) ?? id.slice(0, 8),
      () => id.slice(0, 8),
    );
    this.#names.set(id, name);
    return name;
  }
}
