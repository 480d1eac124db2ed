/** A token to be launched: the form, the curve that it would get, and the wallet that signs. */
import { agentNames } from './agent-names.js';
import { readCatalog } from './catalog.js';
import { curvePicture } from './curve-picture.js';
import { fill, h, say } from './dom.js';
import { clearProblem, fieldRows, showProblems } from './form-fields.js';
import { change, read } from './http.js';
import { madeOnce, submitLaunch } from './launch-signing.js';
import { createProblemNote } from './problem-note.js';
import { withheld } from './permissions.js';
import { signingPlace } from './signing-place.js';
import { factList, number } from './tables.js';
import { clockAndZone, plain, symbolOf } from './words.js';

/** @typedef {import('./api.ts').LaunchPreview} Preview */
/** @typedef {import('./api.ts').PreparedLaunch} PreparedLaunch */
/** @typedef {import('./form-fields.js').Row} Row */

/** The native coin, wrapped, and the stablecoin: quotes that stand in no catalog of instruments. */
const COINS = /** @type {const} */ ([
  ['So11111111111111111111111111111111111111112', 'SOL'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'USDC'],
]);
/** While somebody writes, the curve is not drawn anew. */
const GATHER_MS = 250;

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function launchForm(context) {
  const form = new LaunchForm(context);
  form.begin().catch((error) => form.fail(error));
  return { element: form.element(), title: 'Launch a token', end: () => form.end() };
}

class LaunchForm {
  #abort = new AbortController();
  /** @type {ReadonlyMap<string, Row>} */
  #rows = new Map();
  #preparedOnce = /** @type {typeof madeOnce<PreparedLaunch>} */ (madeOnce)('/v1/launches/dbc/prepare');
  /** @type {number | undefined} */
  #gathering;
  #asked = 0;
  status = h('p', { class: 'faint', role: 'status' });
  picture = h('div', { class: 'panel curve-place' });
  terms = h('div', { class: 'panel' });
  fields = h('form', {
    class: 'panel manifest-form',
    onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
    oninput: () => this.#later(),
  });

  /** @param {import('./shell.js').Context} context */
  constructor(context) {
    this.context = context;
    this.note = createProblemNote(context.fail);
  }

  element() {
    const options = { prepare: this.#prepare, fail: this.context.fail, signal: this.#abort.signal };
    return h(
      'section',
      { class: 'page launch' },
      h('p', {}, h('a', { href: '#/launches' }, 'All launches')),
      h('div', { class: 'page-head' }, h('h1', {}, 'Launch a token'), this.status),
      this.fields,
      this.picture,
      this.terms,
      h(
        'div',
        { class: 'panel launch-signing' },
        h('h2', {}, 'Sign'),
        h(
          'p',
          {},
          'The wallet that signs is the creator. It pays for the launch, receives the tokens of the first buy, and earns the creator fees.',
        ),
        withheld('trade:execute', 'A launch') ?? signingPlace(({ transactionSigning }) => transactionSigning(options), this.context.fail),
      ),
    );
  }

  async begin() {
    const unread = withheld('market:read', 'The curve preview');
    if (unread !== null) return fill(this.fields, unread);
    this.#rows = await rowsOf(this.#abort.signal);
    fill(
      this.fields,
      [...this.#rows.values()].map(({ element }) => element),
      this.note.element,
    );
    for (const [name, text] of FIRST_TEXTS) /** @type {Row} */ (this.#rows.get(name)).input.value = text;
    await this.#preview();
  }

  end() {
    this.#abort.abort();
    clearTimeout(this.#gathering);
  }

  /** @param {unknown} error */
  fail(error) {
    if (!this.#abort.signal.aborted) this.context.fail(error);
  }

  /** Returns the fields' values; an empty one is left out. @param {readonly string[]} names */
  #given(names) {
    return Object.fromEntries(
      names.map((name) => [name, this.#rows.get(name)?.input.value.trim() ?? '']).filter(([, value]) => value !== ''),
    );
  }

  #later() {
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => void this.#preview().catch((error) => this.fail(error)), GATHER_MS);
  }

  /** @param {readonly string[]} names Whose problems are no more. */
  #clear(names) {
    this.note.clear();
    for (const [name, row] of this.#rows) if (names.includes(name)) clearProblem(row);
  }

  async #preview() {
    const mine = ++this.#asked;
    const isLate = () => mine !== this.#asked || this.#abort.signal.aborted;
    try {
      /** @type {Preview} */
      const curve = await change('POST', '/v1/launches/dbc/preview', this.#given(PREVIEWED));
      if (isLate()) return;
      this.#clear(PREVIEWED);
      const named = { symbol: this.#given(['symbol'])['symbol'] ?? 'the token', quoteSymbol: curve.quote.symbol };
      fill(this.picture, curvePicture([{ fillPct: 0, price: curve.startingPrice, sold: '0' }, ...curve.ladder], null, named));
      fill(this.terms, previewFacts(curve));
    } catch (error) {
      if (isLate()) return;
      this.#clear(PREVIEWED);
      showProblems(error, this.#rows, this.note);
    }
  }

  /** @param {object} wish */
  async #made(wish) {
    try {
      return await this.#preparedOnce(wish, this.context.feed.now());
    } catch (error) {
      if (showProblems(error, this.#rows, this.note)) throw new Error('Some fields are invalid. Correct them and sign again.');
      this.note.clear();
      throw error;
    }
  }

  /** @param {readonly string[]} addresses The first one creates. @returns {Promise<import('./wallet-signing.js').Prepared>} */
  #prepare = async ([creator]) => {
    if (creator === undefined) throw new Error('The wallet shared no account.');
    this.#clear([...this.#rows.keys()]);
    const wish = { ...this.#given([...this.#rows.keys()]), creator };
    const { id, transactions, expiresAt } = await this.#made(wish);
    say(this.status, `Prepared. Sign before ${clockAndZone(expiresAt)}.`);
    return {
      unsigned: transactions,
      signer: creator,
      handIn: async (signed) => {
        await submitLaunch(id, 'curve', signed);
        if (!this.#abort.signal.aborted) location.hash = `#/launches/${id}`;
      },
    };
  };
}

/** Fields of a curve's preview. A preview leaves the problems of the other fields as they are. */
const PREVIEWED = ['preset', 'quoteMint', 'startingFdv'];
/** Initial values of the form. */
const FIRST_TEXTS = /** @type {const} */ ([
  ['quoteMint', COINS[0][0]],
  ['startingFdv', '30'],
]);

/**
 * The fields in their order, with what may be chosen in them.
 * @param {AbortSignal} signal
 */
async function rowsOf(signal) {
  const [presets, catalog, agents] = await Promise.all([
    /** @type {Promise<{ readonly items: readonly { readonly key: string, readonly graduationMultiple: number }[] }>} */ (
      read('/v1/launches/dbc/presets', { signal })
    ),
    readCatalog(),
    agentNames(signal),
  ]);
  const quoted = [...catalog.values()].filter(({ token, kind }) => token !== null && (kind === 'tokenized_equity' || kind === 'pre_ipo'));
  /** @type {Readonly<Record<string, readonly (readonly [value: string, word: string])[]>>} */
  const options = {
    preset: presets.items.map((one) => /** @type {const} */ ([one.key, `${plain(one.key)}: graduates at ${one.graduationMultiple}×`])),
    quoteMint: [...COINS, ...quoted.map((one) => /** @type {const} */ ([one.mint ?? '', symbolOf(one.instrument)]))],
    agentId: [['', 'none'], ...agents],
  };
  const fields = /** @type {const} */ ([
    ['name', 'Name', 'text', 'Lantern Bearer'],
    ['symbol', 'Symbol', 'text', 'LANTERN'],
    ['uri', 'Metadata URL', 'text', 'https://example.com/token.json'],
    ['preset', 'Curve', 'choice', ''],
    ['quoteMint', 'Quote token', 'choice', ''],
    ['startingFdv', 'Starting FDV (in quote tokens)', 'decimal', '30'],
    ['firstBuy', 'Creator’s first buy (in quote tokens)', 'decimal', 'none'],
    ['agentId', 'Agent', 'choice', ''],
  ]);
  return fieldRows(fields, options);
}

/** @param {Preview} preview */
function previewFacts({ quote, startingPrice, graduationPrice, graduationThreshold, graduationFdv, supply, feeShares, fees, vesting }) {
  const [first] = fees;
  const last = fees.at(-1);
  return factList([
    ['Starting price', h('span', {}, number(startingPrice), ` ${quote.symbol}`)],
    ['Graduation price', h('span', {}, number(graduationPrice), ` ${quote.symbol}`)],
    ['Graduation threshold', h('span', {}, number(graduationThreshold), ` ${quote.symbol}`)],
    ['FDV at graduation', h('span', {}, number(graduationFdv), ` ${quote.symbol}`)],
    ['Tokens on curve', h('span', {}, number(supply.onCurve), ' of ', number(supply.total))],
    [
      'Trading fee',
      first === undefined || last === undefined ? 'unknown' : `${first.bps} bps at launch, ${last.bps} bps after ${last.at} s`,
    ],
    ['Creator’s share of fees', `${feeShares.creatorPct} %`],
    ['Vested after graduation', vesting === null ? 'nothing' : `${vesting.supplyPct} % of the supply`],
    ['Quote token accepted', quote.refusedBecause === null ? 'yes' : `no: ${quote.refusedBecause}`],
  ]);
}
