/** Basis of an answer to a proposal: the distance of its limit from the market, the stop and the target, and the rules behind it. */
import { qualityBadge } from './aged-quality.js';
import { partsOf } from './timeframes.js';
import { flagChips } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { Refused, read } from './http.js';
import { may, withheldWords } from './permissions.js';
import { sentenceOf } from './problem-note.js';
import { factList } from './tables.js';
import { forPeople, percentText, priceText, quoteText } from './words.js';

/** @typedef {import('./wire.ts').Proposal} Proposal */
/** @typedef {import('./wire.ts').QuoteRow} QuoteRow */

const SIGNIFICANT = 8;

/** Live until it ends. */
export class ProposalGround {
  #abort = new AbortController();
  /** @type {{ readonly stopLossPct: number, readonly takeProfitPct: number } | null} */
  #rules = null;
  market = h('span', {}, 'no quote yet');
  stop = h('span', {}, '…');
  target = h('span', {}, '…');
  unsubscribe = () => {};
  why = h('div', { class: 'proposal-why' }, h('p', { class: 'faint' }, 'Loading the reasons…'));

  /** @param {import('./shell.js').Context} context @param {Proposal} proposal */
  constructor(context, proposal) {
    this.context = context;
    this.proposal = proposal;
    const exits = /** @type {const} */ ([
      ['Stop', this.stop],
      ['Target', this.target],
    ]);
    const isEntry = proposal.side === 'entry';
    this.element = h('div', { class: 'proposal-ground' }, factList([['Market', this.market], ...(isEntry ? exits : [])]), this.why);
    if (may('market:read')) this.unsubscribe = this.#followMarket();
    else say(this.market, withheldWords('market:read', 'The quote'));
    if (isEntry) this.#readRules().catch((error) => this.#sayExits(sentenceOf(error)));
    void this.#readWhy();
  }

  end() {
    this.#abort.abort();
    this.unsubscribe();
  }

  #followMarket() {
    return this.context.feed.subscribe({
      channel: 'quotes',
      params: partsOf(this.proposal.instrument),
      refuse: (detail) => say(this.market, detail),
      receive: ({ data }) => {
        for (const quote of [data].flat()) this.#take(quote);
      },
    });
  }

  /** @param {QuoteRow} quote */
  #take(quote) {
    const { venue, instrument } = partsOf(this.proposal.instrument);
    if (quote.venue !== venue || quote.instrument !== instrument) return;
    const { side, limitPrice } = this.proposal.order;
    const [name, across] = side === 'buy' ? /** @type {const} */ (['ask', quote.ask]) : /** @type {const} */ (['bid', quote.bid]);
    if (across === null || across === undefined) return say(this.market, `no ${name}`);
    const room = (Number(limitPrice) - Number(across)) * (side === 'buy' ? 1 : -1);
    const part = `${percentText(Math.abs((100 * room) / Number(across)))}, ${amountText(Math.abs(room))}`;
    mark(this.market, 'data-room', room >= 0 ? 'enough' : 'none');
    fill(
      this.market,
      `${name} ${quoteText(across)}, `,
      room >= 0 ? `${part} inside the limit` : `${part} beyond the limit, so no fill is possible`,
      ' ',
      qualityBadge(quote),
      ' ',
      flagChips(quote.flags),
    );
    this.#drawExits(Number(across));
  }

  /** @param {number} price What would be paid: the market's price, or the one decided on while there is none. */
  #drawExits(price) {
    if (this.#rules === null) return;
    say(this.stop, exitText(price, -this.#rules.stopLossPct));
    say(this.target, exitText(price, this.#rules.takeProfitPct));
  }

  /** @param {string} words */
  #sayExits(words) {
    if (!this.#abort.signal.aborted) for (const place of [this.stop, this.target]) say(place, words);
  }

  async #readRules() {
    const { agentId, manifestVersion, decisionPrice } = this.proposal;
    /** @type {import('./wire.ts').Agent & { readonly manifest: { readonly stopLossPct: number, readonly takeProfitPct: number } }} */
    const agent = await read(`/v1/agents/${agentId}`, { signal: this.#abort.signal });
    if (agent.manifestVersion !== manifestVersion) return this.#sayExits(`unknown: manifest version ${manifestVersion} was replaced`);
    this.#rules = agent.manifest;
    this.#drawExits(Number(decisionPrice));
  }

  async #readWhy() {
    const { agentId, decisionId } = this.proposal;
    if (decisionId === null) return fill(this.why, h('p', { class: 'faint' }, 'Requested by a person, not by a decision of the agent.'));
    const { signal } = this.#abort;
    try {
      /** @type {import('./wire.ts').Explanation} */
      const { summary, why } = await read(`/v1/agents/${agentId}/decisions/${decisionId}/explain`, { signal });
      const reasons = why.map((reason) => h('li', {}, forPeople(reason)));
      fill(this.why, h('p', {}, forPeople(summary)), h('ul', {}, reasons));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.signedOut) return this.context.fail(error);
      const isMissing = error instanceof Refused && error.status === 404;
      fill(this.why, h('p', { class: 'faint' }, isMissing ? 'The decision was not found.' : sentenceOf(error)));
    }
  }
}

/** Describes an exit: `57000.00 (−5 %, 3000.00 away)`. For display only. @param {number} price @param {number} percent */
function exitText(price, percent) {
  const away = (price * Math.abs(percent)) / 100;
  return `${amountText(price * (1 + percent / 100))} (${percent > 0 ? '+' : '−'}${Math.abs(percent)} %, ${amountText(away)} away)`;
}

/** @param {number} value */
function amountText(value) {
  return priceText(value >= 1000 ? value.toFixed(2) : String(Number(value.toPrecision(SIGNIFICANT))));
}
