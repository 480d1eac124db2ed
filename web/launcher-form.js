/** A token to be launched by the external launcher: the form, what the launcher wants for it, and the wallet that pays. */
import { agentNames } from './agent-names.js';
import { fill, h, say } from './dom.js';
import { clearProblem, fieldRows, showProblems } from './form-fields.js';
import { read } from './http.js';
import { madeOnce, submitLaunch } from './launch-signing.js';
import { may, withheldWords } from './permissions.js';
import { createProblemNote } from './problem-note.js';
import { signingPlace } from './signing-place.js';
import { factList } from './tables.js';
import { clockAndZone } from './words.js';

/** @typedef {import('./api.ts').QuotedLaunch} QuotedLaunch */
/** @typedef {import('./form-fields.js').Row} Row */

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function launcherForm({ me, feed, fail }) {
  const abort = new AbortController();
  const { signal } = abort;
  const note = createProblemNote(fail);
  const status = h('p', { class: 'faint', role: 'status' }, 'Loading the launcher’s pairs…');
  const offer = h('div', {});
  const fields = h('form', { class: 'panel manifest-form', onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const quotedOnce = /** @type {typeof madeOnce<QuotedLaunch>} */ (madeOnce)('/v1/launches/agentlaunch/quote');
  /** @type {ReadonlyMap<string, Row>} */
  let rows = new Map();

  async function begin() {
    if (!may('market:read')) return say(status, withheldWords('market:read', 'The list of pairs'));
    rows = await readRows(signal);
    fill(
      fields,
      [...rows.values()].map(({ element }) => element),
      note.element,
    );
    say(status, 'Nothing is charged until you sign and submit the payment.');
  }

  /** @param {readonly string[]} addresses The first one pays. @returns {Promise<import('./wallet-signing.js').Prepared>} */
  async function prepare([creator]) {
    if (creator === undefined) throw new Error('The wallet shared no account.');
    note.clear();
    for (const row of rows.values()) clearProblem(row);
    fill(offer);
    try {
      const quoted = await quotedOnce(wishOf(rows, creator), feed.now());
      fill(offer, offerFacts(quoted));
      return {
        unsigned: [quoted.transaction],
        signer: creator,
        async handIn(signed) {
          await submitLaunch(quoted.id, 'launcher', signed);
          if (!signal.aborted) location.hash = `#/launches/${quoted.id}`;
        },
      };
    } catch (error) {
      if (showProblems(error, rows, note)) throw new Error('Some fields are invalid. Correct them and sign again.');
      note.clear();
      throw error;
    }
  }

  begin().catch((error) => {
    if (signal.aborted) return;
    say(status, 'The launcher is not available.');
    note.show(error);
    fill(fields, note.element);
  });
  return {
    element: pageOf({ status, fields, offer, signing: signingOf(me, { prepare, fail, signal }) }),
    title: 'Launch with the external launcher',
    end: () => abort.abort(),
  };
}

/**
 * @param {import('./wire.ts').Me} me
 * @param {Parameters<typeof import('./wallet-signing.js').transactionSigning>[0]} options
 */
function signingOf({ permissions }, options) {
  if (!permissions.includes('trade:execute')) return h('p', { class: 'faint' }, 'Launching requires trade:execute.');
  return signingPlace(({ transactionSigning }) => transactionSigning(options), options.fail);
}

/** @param {{ readonly [part in 'status' | 'fields' | 'offer' | 'signing']: HTMLElement }} parts */
function pageOf({ status, fields, offer, signing }) {
  return h(
    'section',
    { class: 'page launch' },
    h('p', {}, h('a', { href: '#/launches' }, 'All launches')),
    h('div', { class: 'page-head' }, h('h1', {}, 'Launch with the external launcher'), status),
    fields,
    h(
      'div',
      { class: 'panel launch-signing' },
      h('h2', {}, 'Pay and sign'),
      h('p', {}, 'The wallet that signs is the creator and pays the launcher once. Amount and recipient appear here before you sign.'),
      offer,
      signing,
    ),
  );
}

/**
 * Returns the request to the launcher. A fee that is not a number is sent unchanged, so that the API says what is wrong with it.
 * @param {ReadonlyMap<string, Row>} rows
 * @param {string} creator
 */
function wishOf(rows, creator) {
  const written = [...rows].map(([name, { input }]) => /** @type {const} */ ([name, input.value.trim()]));
  const { creatorFeeBps = '', ...texts } = Object.fromEntries(written);
  return { ...texts, creatorFeeBps: /^\d+$/.test(creatorFeeBps) ? Number(creatorFeeBps) : creatorFeeBps, creator };
}

/** @param {AbortSignal} signal @returns {Promise<ReadonlyMap<string, Row>>} */
async function readRows(signal) {
  const [agents, pairs] = await Promise.all([agentNames(signal), read('/v1/agentlaunch/pairs', { signal })]);
  return rowsOf(agents, pairs);
}

/**
 * The fields in their order, with what may be chosen in them.
 * @param {Awaited<ReturnType<typeof agentNames>>} agents
 * @param {{ readonly items: readonly import('./api.ts').LauncherPair[], readonly creatorFeeBps: { readonly min: number, readonly max: number } }} pairs
 */
function rowsOf(agents, { items, creatorFeeBps: { min, max } }) {
  /** @type {Readonly<Record<string, readonly (readonly [value: string, word: string])[]>>} */
  const options = {
    agentId: [...agents],
    pair: items.map(({ symbol, name }) => /** @type {const} */ ([symbol, `${symbol} ${name}`])),
  };
  const fields = /** @type {const} */ ([
    ['name', 'Name', 'text', 'Dynamo'],
    ['symbol', 'Symbol', 'text', 'DYNAMO'],
    ['description', 'Description, 20 to 500 characters', 'lines', ''],
    ['imageUrl', 'Image URL', 'text', 'https://example.com/token.png'],
    ['agentId', 'Agent', 'choice', ''],
    ['pair', 'Paired share', 'choice', ''],
    ['creatorFeeBps', `Creator fee per trade (bps, ${min} to ${max})`, 'integer', String(min)],
  ]);
  return fieldRows(fields, options);
}

/** @param {QuotedLaunch} quoted */
function offerFacts({ lamports, recipient, expiresAt, launch }) {
  return factList([
    ['Price', h('span', { title: `${lamports} lamports` }, `${solOf(lamports)} SOL`)],
    ['Recipient', h('code', {}, recipient)],
    ['Offer valid until', clockAndZone(launch.validUntil)],
    ['Sign before', clockAndZone(expiresAt)],
  ]);
}

/** Lamports as whole coins, exactly. @param {string} lamports */
function solOf(lamports) {
  const digits = lamports.padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}
