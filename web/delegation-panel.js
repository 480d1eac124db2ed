/** Wallets from which an agent or a Take may trade autonomously: the signed delegations, and the form to request another one. */
import { fill, h, say } from './dom.js';
import { clearProblem, fieldRow, showProblems } from './form-fields.js';
import { change, read } from './http.js';
import { shortAddress } from './linked-wallets.js';
import { createProblemNote } from './problem-note.js';
import { signingPlace } from './signing-place.js';
import { dataTable, factList, number } from './tables.js';
import { clockAndZone, dayAndTime } from './words.js';

/** @typedef {import('./api.ts').Delegation} Delegation */
/** @typedef {import('./api.ts').DelegationChallenge} Challenge */
/** @typedef {{ readonly wallet: string, readonly signerWallet: string, readonly maxNotionalUsd: string, readonly expiresAt: string }} Wish */

const DAY_MS = 86_400_000;
/** Maximum wait of a text for its signature. */
const CHALLENGE_MS = 600_000;
const FIELDS = /** @type {const} */ ([
  { name: 'wallet', label: 'Wallet on the primary chain', kind: 'text' },
  { name: 'signerWallet', label: 'Wallet id at the remote signer', kind: 'text' },
  { name: 'maxNotionalUsd', label: 'Max per transaction (USD)', kind: 'decimal', hint: '500' },
  { name: 'days', label: 'Valid for (days, max 90)', kind: 'decimal', hint: '30' },
]);
/** Lines of the text, by term. @type {readonly (readonly [line: string, term: keyof Wish])[]} */
const LINES = [
  ['Wallet', 'wallet'],
  ['Wallet at the signer', 'signerWallet'],
  ['Most per transaction', 'maxNotionalUsd'],
  ['Expires', 'expiresAt'],
];

/** @typedef {{ readonly context: import('./shell.js').Context, readonly trader: 'agentId' | 'takeId', readonly id: string, readonly signal: AbortSignal }} Options */

/** @param {Options} options */
export function delegationPanel(options) {
  const panel = new DelegationPanel(options);
  void panel.refresh();
  return panel.element();
}

class DelegationPanel {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    const { me, fail } = options.context;
    this.mayGrant = me.permissions.includes('trade:execute');
    this.title = this.mayGrant ? null : 'Requires trade:execute';
    this.note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
    this.problem = createProblemNote(fail);
    this.list = h('div', {});
    this.signing = h('div', {});
    this.rows = new Map(FIELDS.map((field) => [/** @type {string} */ (field.name), fieldRow(field)]));
    for (const { input } of this.rows.values()) input.disabled = !this.mayGrant;
    this.ask = h('button', { type: 'submit', disabled: !this.mayGrant, title: this.title }, 'Create text to sign');
  }

  element() {
    const form = h(
      'form',
      { class: 'manifest-form', onsubmit: (/** @type {Event} */ event) => void this.#challenge(event) },
      [...this.rows.values()].map(({ element }) => element),
      h('div', { class: 'dialog-buttons' }, this.ask),
    );
    return h(
      'div',
      { class: 'panel delegations' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Delegated wallets'), this.note),
      h(
        'p',
        { class: 'faint panel-words' },
        'It can trade from a delegated wallet without a prompt per trade. Delegating requires both the owner’s signature and trade:execute.',
      ),
      this.list,
      form,
      this.problem.element,
      this.signing,
    );
  }

  async refresh() {
    const { context, trader, id, signal } = this.options;
    try {
      /** @type {import('./wire.ts').Page<Delegation>} */
      const { items } = await read(`/v1/delegations?limit=50&${trader}=${encodeURIComponent(id)}`, { signal });
      say(this.note, items.length === 0 ? 'No delegated wallet.' : 'The newest delegation counts.');
      fill(this.list, items.length === 0 ? null : delegationTable(items, context.feed.now(), (one) => this.#revokeButton(one)));
    } catch (error) {
      if (signal.aborted) return;
      say(this.note, 'The delegations could not be loaded.');
      context.fail(error);
    }
  }

  /** @param {Delegation} delegation */
  #revokeButton({ id }) {
    return h('button', { type: 'button', disabled: !this.mayGrant, title: this.title, onclick: () => void this.#revoke(id) }, 'Revoke');
  }

  /** @param {string} id */
  async #revoke(id) {
    this.problem.clear();
    try {
      await change('POST', `/v1/delegations/${id}/revoke`);
      this.options.context.notify('Revoked. It can sign nothing more.');
      await this.refresh();
    } catch (error) {
      this.problem.show(error);
    }
  }

  /** @returns {Wish} @throws RangeError if the days are no number. */
  #wish() {
    const text = (/** @type {string} */ name) => this.rows.get(name)?.input.value.trim() ?? '';
    const now = Math.floor(this.options.context.feed.now() / 1_000) * 1_000;
    const expiresAt = new Date(now + Math.round(Number(text('days')) * DAY_MS)).toISOString();
    return { wallet: text('wallet'), signerWallet: text('signerWallet'), maxNotionalUsd: text('maxNotionalUsd'), expiresAt };
  }

  /** @param {Event} event */
  async #challenge(event) {
    event.preventDefault();
    this.problem.clear();
    fill(this.signing);
    for (const row of this.rows.values()) clearProblem(row);
    this.ask.disabled = true;
    try {
      const wish = this.#wish();
      const { trader, id } = this.options;
      /** @type {Challenge} */
      const made = await change('POST', '/v1/delegations/challenge', { [trader]: id, ...wish });
      fill(this.signing, this.#toSign(made, wish));
    } catch (error) {
      const said = error instanceof RangeError ? new Error('Enter the validity as a number of days, for example 30.') : error;
      showProblems(said, this.rows, this.problem);
    } finally {
      this.ask.disabled = !this.mayGrant;
    }
  }

  /** @param {Challenge} made @param {Wish} wish */
  #toSign({ text, issuedAt, nonce }, wish) {
    const { context, trader, id, signal } = this.options;
    const { fail, notify } = context;
    const differences = differencesOf(text, { ...wish, [trader]: id }, trader);
    if (differences.length > 0)
      return h('p', { class: 'problem', role: 'alert' }, `Not signed: the text differs from your request. ${differences.join('; ')}.`);
    const handIn = async (/** @type {string} */ signature) => {
      await change('POST', '/v1/delegations', { [trader]: id, ...wish, issuedAt, nonce, signature });
      notify('Delegated.');
      fill(this.signing);
      await this.refresh();
    };
    return h(
      'div',
      { class: 'wallet-signing' },
      factList([
        ['Trader', trader === 'agentId' ? 'this agent, without asking each time' : 'this Take, without asking each time'],
        ['From', h('code', { title: wish.wallet }, shortAddress(wish.wallet))],
        ['Max per transaction', h('span', {}, number(wish.maxNotionalUsd), ' USD')],
        ['Until', dayAndTime(wish.expiresAt)],
        ['Sign before', clockAndZone(Date.parse(issuedAt) + CHALLENGE_MS)],
      ]),
      h('pre', { class: 'wallet-text', tabindex: '0', role: 'region', 'aria-label': 'Text to sign' }, text),
      signingPlace(({ textSigning }) => textSigning({ address: wish.wallet, text, handIn, fail, signal }), fail),
    );
  }
}

/**
 * Returns the lines in which a text differs from the request.
 * @param {string} text
 * @param {Readonly<Record<string, string>>} wish
 * @param {'agentId' | 'takeId'} trader
 * @returns {readonly string[]}
 */
function differencesOf(text, wish, trader) {
  const said = new Map(
    text.split('\n').map((line) => /** @type {const} */ ([line.split(': ')[0] ?? '', line.slice(line.indexOf(': ') + 2)])),
  );
  /** @type {readonly (readonly [line: string, term: string])[]} */
  const lines = [[trader === 'agentId' ? 'Agent' : 'Take', trader], ...LINES];
  return lines.flatMap(([line, term]) => {
    const [asked = '', given = ''] = [wish[term], said.get(line)];
    const isSame = term === 'maxNotionalUsd' ? given === `${plainAmount(asked)} US dollars` : given === asked;
    return isSame ? [] : [`${line} is “${given}” instead of “${asked}”`];
  });
}

/** `500.00` as the service spells it: `500`. @param {string} amount */
function plainAmount(amount) {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/**
 * @param {readonly Delegation[]} delegations Newest first.
 * @param {number} now
 * @param {(delegation: Delegation) => HTMLElement} revoke
 */
function delegationTable(delegations, now, revoke) {
  return dataTable({
    caption: 'Delegations, newest first',
    head: ['wallet', 'status', 'max per transaction, USD', 'expires', 'granted by', 'actions'],
    rows: delegations.map((one, index) => {
      const status = statusOf(one, now, index === 0);
      return [
        h('code', { title: one.wallet }, shortAddress(one.wallet)),
        status,
        number(one.maxNotionalUsd),
        dayAndTime(one.expiresAt),
        one.grantedBy,
        status === 'holds' ? revoke(one) : '',
      ];
    }),
  });
}

/** @param {Delegation} delegation @param {number} now @param {boolean} isNewest */
function statusOf({ revokedAt, revokedBy, expiresAt }, now, isNewest) {
  if (revokedAt !== null) return `revoked by ${revokedBy}`;
  if (Date.parse(expiresAt) <= now) return 'expired';
  return isNewest ? 'holds' : 'replaced';
}
