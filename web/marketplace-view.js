/** The marketplace: listings that match, one listing with its evidence and rules, the licences of the organization, and the import. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { createProblemNote } from './problem-note.js';
import { signingPlace } from './signing-place.js';
import { dataTable, factList, number } from './tables.js';
import { dayOf, plain } from './words.js';

/** @typedef {import('./shell.js').Context} Context */
/** @typedef {import('./api.ts').Checkout} Checkout */

const LOOK_MS = 1_000;

/**
 * @param {Context} context
 * @param {string} id A listing; empty for the list.
 * @returns {import('./shell.js').View}
 */
export function marketplaceView(context, id) {
  const abort = new AbortController();
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', { class: 'panel' });
  const search = h('input', { type: 'search', name: 'search', 'aria-label': 'Search name or description', placeholder: 'Search' });

  async function refresh() {
    try {
      const parts =
        id === '' ? await list(search.value.trim(), abort.signal) : await listing(context, id, abort.signal, () => void refresh());
      fill(place, parts);
      say(note, '');
    } catch (error) {
      if (abort.signal.aborted) return;
      say(note, 'The marketplace could not be loaded.');
      context.fail(error);
    }
  }
  search.addEventListener('change', () => void refresh());
  void refresh();

  return {
    element: h(
      'section',
      { class: 'page marketplace' },
      id === '' ? null : h('p', { class: 'trail' }, h('a', { href: '#/marketplace' }, '← All listings')),
      h('div', { class: 'page-head' }, h('h1', {}, 'Marketplace'), id === '' ? search : null, note),
      place,
    ),
    title: 'Marketplace',
    ...(id === '' ? { list: { label: 'Search name or description', search } } : {}),
    end: () => abort.abort(),
  };
}

/**
 * @param {string} search
 * @param {AbortSignal} signal
 */
async function list(search, signal) {
  const query = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
  const [listed, licences] = /** @type {any[]} */ (
    await Promise.all([read(`/v1/marketplace?limit=100${query}`, { signal }), read('/v1/marketplace/licences?limit=100', { signal })])
  );
  const names = await namesOf(licences.items, listed.items, signal);
  return [
    dataTable({
      caption: 'Strategies, newest first',
      head: ['Strategy', 'Price (USD)', 'Categories', 'Gates passed', 'Sharpe', 'Days of paper'],
      empty: 'No matching strategies.',
      rows: listed.items.map((/** @type {any} */ one) => [
        h('a', { href: `#/marketplace/${one.id}` }, one.name),
        number(one.priceUsd),
        one.categories.join(', '),
        String(one.evidence.gatesPassed),
        number(one.metrics?.sharpe ?? null),
        String(one.evidence.paperDays),
      ]),
    }),
    dataTable({
      caption: 'Your licences',
      head: ['Listing', 'Paid (USD)', 'Issued', 'Imported agents'],
      empty: 'No licences yet.',
      rows: licences.items.map((/** @type {any} */ one) => [
        h('a', { href: `#/marketplace/${one.listingId}` }, names.get(one.listingId) ?? 'ended listing'),
        number(one.priceUsd),
        dayOf(one.issuedAt),
        String(one.agentIds.length),
      ]),
    }),
  ];
}

/**
 * Returns the names of the licences' listings, by id. Names that are not in the list are read.
 * @param {readonly { readonly listingId: string }[]} licences
 * @param {readonly { readonly id: string, readonly name: string }[]} listed
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function namesOf(licences, listed, signal) {
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  const others = new Set(licences.map(({ listingId }) => listingId).filter((id) => !names.has(id)));
  await Promise.all(
    [...others].map(async (id) => {
      const { name } = /** @type {{ readonly name: string }} */ (await read(`/v1/marketplace/${id}`, { signal }));
      names.set(id, name);
    }),
  );
  return names;
}

/**
 * @param {Context} context
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {() => void} again
 */
async function listing(context, id, signal, again) {
  const [one, licences] = /** @type {any[]} */ (
    await Promise.all([read(`/v1/marketplace/${id}`, { signal }), read('/v1/marketplace/licences?limit=100', { signal })])
  );
  const { evidence, shape } = one;
  const isLicensed = licences.items.some((/** @type {any} */ { listingId }) => listingId === id);
  return [
    h('h2', {}, one.name),
    one.description === '' ? null : h('p', {}, one.description),
    factList([
      ['Price (USD)', number(one.priceUsd)],
      ['State', plain(one.state)],
      ['Categories', one.categories.join(', ')],
      ['Rules', `${shape.entry.map(plain).join(', ')}; exit: ${shape.exit.map(plain).join(', ') || 'none'}`],
      ['Universe', `${shape.instruments} of ${shape.kinds.map(plain).join(', ')}, ${shape.timeframe}`],
      ['Versions backtested', `${evidence.versionsTried} of ${evidence.versions}`],
      ['Deflated Sharpe', number(evidence.luck?.deflatedSharpe ?? null)],
      ['Days of paper', String(evidence.paperDays)],
      ['Manifest', h('code', {}, one.manifestHash.slice(0, 16))],
    ]),
    dataTable({
      caption: 'Evidence at publication',
      head: ['Gate', 'Verdict', 'Assessed'],
      empty: 'No evidence for this version.',
      rows: evidence.gates.map((/** @type {any} */ gate) => [plain(gate.kind), gate.passed ? 'passed' : 'failed', dayOf(gate.at)]),
    }),
    one.rules === null
      ? h('p', { class: 'faint' }, 'Buy a licence to see the rules.')
      : h('details', {}, h('summary', {}, 'Rules'), h('pre', {}, JSON.stringify(one.rules, null, 2))),
    actions(context, { ...one, isLicensed }, signal, again),
  ];
}

/**
 * Creates the actions: a free licence is issued here, a paid one is signed in a wallet, and a licensed manifest is imported.
 * @param {Context} context
 * @param {any} one
 * @param {AbortSignal} signal
 * @param {() => void} again
 */
function actions({ me, fail, notify }, one, signal, again) {
  if (!me.permissions.includes('trade:execute')) return null;
  // Rules are for licence holders and for who wrote them.
  if (one.rules !== null && !one.isLicensed) return h('p', { class: 'faint' }, 'This is your own listing.');
  const problem = createProblemNote(fail);
  /** @param {() => Promise<void>} work */
  const tried = (work) => async () => {
    problem.clear();
    try {
      await work();
    } catch (error) {
      problem.show(error);
    }
  };
  const take = tried(async () => {
    await change('POST', `/v1/marketplace/${one.id}/checkout`, {});
    again();
  });
  /** @param {readonly string[]} addresses The first one pays. */
  const payment = async ([buyer]) => {
    if (buyer === undefined) throw new Error('The wallet shared no account.');
    const checkout = await checkoutOf(one.id, buyer, signal);
    if (checkout.transaction === null) throw new Error(`Nothing to sign: the checkout is ${plain(checkout.state)}.`);
    const handIn = async (/** @type {readonly string[]} */ [signedTransaction]) => {
      await change('POST', `/v1/marketplace/checkouts/${checkout.id}/settle`, { signedTransaction });
      notify('Paid. The licence is issued when the payment is final on chain.');
      await licensed(checkout.id, signal);
      again();
    };
    return { unsigned: [checkout.transaction], signer: buyer, handIn };
  };
  const bring = tried(async () => {
    const agent = /** @type {any} */ (await change('POST', `/v1/marketplace/${one.id}/import`, {}));
    notify(`${agent.name} was imported as a draft.`);
    location.hash = `#/agents/${agent.id}`;
  });
  const isFree = Number(one.priceUsd) === 0;
  return h(
    'div',
    { class: 'actions' },
    !one.isLicensed && isFree ? h('button', { type: 'button', onclick: take }, 'Get free licence') : null,
    !one.isLicensed && !isFree
      ? h(
          'div',
          {},
          h('p', {}, `Your wallet pays ${one.priceUsd} USDC directly to the creator.`),
          signingPlace(({ transactionSigning }) => transactionSigning({ prepare: payment, fail, signal }), fail),
        )
      : null,
    !one.isLicensed ? null : h('button', { type: 'button', onclick: bring }, 'Import as a new agent'),
    problem.element,
  );
}

/**
 * The checkout that waits for the buyer's signature already, or a new one: one of a listing is under way at a time.
 * @param {string} listingId
 * @param {string} buyer
 * @param {AbortSignal} signal
 * @returns {Promise<Checkout>}
 */
async function checkoutOf(listingId, buyer, signal) {
  /** @type {import('./wire.ts').Page<Checkout>} */
  const { items } = await read('/v1/marketplace/checkouts?limit=100', { signal });
  const waiting = items.find((one) => one.listingId === listingId && one.state === 'prepared' && one.buyer === buyer);
  return waiting ?? change('POST', `/v1/marketplace/${listingId}/checkout`, { buyer });
}

/**
 * Waits until the payment of a checkout is final.
 * @param {string} id
 * @param {AbortSignal} signal
 * @throws Error if it ends in any other way, with the reason.
 */
async function licensed(id, signal) {
  for (;;) {
    // Each look follows the one before it.
    // oxlint-disable-next-line no-await-in-loop
    const { state, reason, detail } = /** @type {Checkout} */ (await read(`/v1/marketplace/checkouts/${id}`, { signal }));
    if (state === 'licensed') return;
    if (['expired', 'refused', 'failed'].includes(state))
      throw new Error(`The payment ${plain(state)}: ${detail ?? plain(reason ?? 'unknown')}`);
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
