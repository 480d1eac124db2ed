/** Trade proposals as they come and what becomes of them: of the whole organization, or of one agent. */
import { h, say } from './dom.js';
import { read } from './http.js';
import { ProposalCards } from './proposal-cards.js';
import { plain, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').Proposal} Proposal */
/** @typedef {import('./feed-messages.ts').ProposalChange} ProposalChange */

const STATES = [
  'pending_approval',
  'approved',
  'executing',
  'unknown',
  'filled',
  'partially_filled',
  'declined',
  'expired',
  'cancelled',
  'blocked_by_risk',
  'failed',
];
const PER_PAGE = 25;
/** Beyond so many the page is read anew instead of growing. */
const MOST_CARDS = 300;
/** Announcements come in bursts: they are gathered for so long, and more changes than this are read as a page. */
const GATHER_MS = 120;
const READ_SINGLY = 8;

/**
 * @param {import('./shell.js').Context} context
 * @param {string} agentId Empty for all agents.
 * @returns {import('./shell.js').View}
 */
export function proposalsView(context, agentId) {
  return new ProposalsView(context, agentId);
}

class ProposalsView {
  title = 'Proposals';
  #abort = new AbortController();
  /** The newest announcement of each proposal that is to be read. @type {Map<string, ProposalChange>} */
  #changed = new Map();
  /** @type {number | undefined} */
  #gathering;
  /** The state that is looked for; empty for any. */
  #wanted = '';
  /** Grows with each list that is begun: what belongs to one before is dropped. */
  #generation = 0;
  /** @type {string | null} */
  #cursor = null;

  /** @param {import('./shell.js').Context} context @param {string} agentId */
  constructor(context, agentId) {
    this.context = context;
    this.agentId = agentId;
    this.cards = new ProposalCards(context, this.#abort.signal);
    this.note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
    this.more = h('button', { type: 'button', hidden: true, onclick: () => void this.#load(false) }, 'Earlier proposals');
    const states = STATES.map((state) => h('option', { value: state }, plain(state)));
    this.state = h('select', { name: 'state', onchange: () => this.#restrict() }, h('option', { value: '' }, 'all'), states);
    this.element = h(
      'section',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Proposals'), this.note),
      h('div', { class: 'filters' }, h('label', {}, 'State ', this.state), h('span', {}, this.#whose())),
      this.cards.element,
      h('div', { class: 'pager' }, this.more),
    );
    this.list = { label: 'Search proposals', cards: '.proposals > .proposal', filters: [this.state] };
    this.stop = this.#follow();
    this.ticking = setInterval(() => this.cards.tick(), 1_000);
  }

  /** Says whose they are where they are those of one agent. */
  #whose() {
    if (this.agentId === '') return [];
    const of = h('a', { href: `#/agents/${encodeURIComponent(this.agentId)}` }, '…');
    void this.cards.nameOf(this.agentId).then((name) => say(of, name));
    return ['of ', of, ' · ', h('a', { href: '#/proposals' }, 'all agents')];
  }

  #follow() {
    return this.context.feed.subscribe({
      // A proposal announces itself as an actor of its own: the channel is received whole, not narrowed to the agent.
      channel: 'proposals',
      // The first time nothing was read yet; afterwards the connection was lost.
      begin: () => void (this.#generation === 0 ? this.#load(true) : this.#readAgain()),
      receive: ({ data }) => {
        if (this.agentId === '' || data.agentId === this.agentId) this.#receive(data);
      },
      refuse: (detail) => this.context.fail(new Error(detail)),
    });
  }

  #restrict() {
    this.#wanted = this.state.value;
    void this.#load(true);
  }

  /** @param {string | null} from */
  #address(from) {
    const filters = [
      `limit=${PER_PAGE}`,
      this.#wanted === '' ? '' : `state=${this.#wanted}`,
      this.agentId === '' ? '' : `agentId=${encodeURIComponent(this.agentId)}`,
      from === null ? '' : `cursor=${from}`,
    ];
    return `/v1/agent-orders?${filters.filter((part) => part !== '').join('&')}`;
  }

  /**
   * Reads the first page, or the next one.
   * @param {boolean} anew
   */
  async #load(anew) {
    const mine = anew ? ++this.#generation : this.#generation;
    const { signal } = this.#abort;
    this.more.disabled = true;
    try {
      /** @type {import('./wire.ts').Page<Proposal>} */
      const page = await read(this.#address(anew ? null : this.#cursor), { signal });
      if (mine !== this.#generation) return;
      if (anew) this.cards.clear();
      this.#goesOn(page.nextCursor);
      for (const proposal of page.items) this.cards.include(proposal);
      this.#count();
    } catch (error) {
      if (signal.aborted) return;
      say(this.note, 'The proposals could not be loaded.');
      this.context.fail(error);
    } finally {
      this.more.disabled = false;
    }
  }

  /** @param {string | null} cursor Null on the last page. */
  #goesOn(cursor) {
    this.#cursor = cursor;
    this.more.hidden = cursor === null;
  }

  #count() {
    const { size, pending } = this.cards;
    const none =
      this.#wanted === '' ? 'No proposals yet. Agents create them at autonomy confirm and above.' : `No ${plain(this.#wanted)} proposals.`;
    say(this.note, size === 0 ? none : `${size} shown, ${pending} awaiting approval`);
  }

  /** @param {import('./wire.ts').News<'proposals'>} change */
  #receive(change) {
    if (change.what === 'recommended') {
      const { side, quantity, instrument, limitPrice } = change;
      void this.cards
        .nameOf(change.agentId)
        .then((name) => this.context.notify(`${name} recommends an ${side}: ${quantity} ${symbolOf(instrument)}, limit ${limitPrice}.`));
      return;
    }
    this.#changed.set(change.proposalId, change);
    this.#gathering ??= setTimeout(() => void this.#readChanged(), GATHER_MS);
  }

  async #readChanged() {
    const changes = this.#changed;
    this.#changed = new Map();
    this.#gathering = undefined;
    if (this.cards.size > MOST_CARDS) return this.#load(true);
    if (changes.size > READ_SINGLY) {
      for (const change of changes.values()) this.cards.patch(change);
      await this.#readNewest();
    } else await Promise.all([...changes.keys()].map((id) => this.#readOne(id)));
    this.#count();
  }

  /** After a lost connection: what is shown is read again where it stands. */
  async #readAgain() {
    const page = await this.#readNewest();
    const others = this.cards.ids().filter((id) => !page.has(id));
    if (others.length > READ_SINGLY) return this.#load(true);
    await Promise.all(others.map((id) => this.#readOne(id)));
    this.#count();
  }

  /**
   * Reads the first page into what is shown, which stays as it is: open details and half-written reasons too.
   * @returns {Promise<ReadonlySet<string>>} What is on the page; nothing where it could not be read.
   */
  async #readNewest() {
    const mine = this.#generation;
    const { signal } = this.#abort;
    try {
      /** @type {import('./wire.ts').Page<Proposal>} */
      const page = await read(this.#address(null), { signal });
      if (mine !== this.#generation) return new Set();
      // So many that some in between are on neither page: begin anew.
      if (page.nextCursor !== null && !page.items.some(({ id }) => this.cards.has(id))) {
        this.cards.clear();
        this.#goesOn(page.nextCursor);
      }
      for (const proposal of page.items) this.cards.include(proposal);
      return new Set(page.items.map(({ id }) => id));
    } catch (error) {
      if (!signal.aborted) this.context.fail(error);
      return new Set();
    }
  }

  /** @param {string} id */
  async #readOne(id) {
    const mine = this.#generation;
    const { signal } = this.#abort;
    try {
      /** @type {Proposal} */
      const proposal = await read(`/v1/agent-orders/${id}`, { signal });
      if (mine !== this.#generation) return;
      // What was listed stays, so that one sees what became of it.
      if (this.cards.has(id) || this.#wanted === '' || proposal.state === this.#wanted) this.cards.include(proposal);
    } catch (error) {
      if (!signal.aborted) this.context.fail(error);
    }
  }

  end() {
    this.#abort.abort();
    this.stop();
    clearTimeout(this.#gathering);
    clearInterval(this.ticking);
    this.cards.clear();
  }
}
