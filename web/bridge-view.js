/** Transfers between the chains: a quote for another one, those that were submitted as they move, and the wallets that were linked. */
import { bridgeQuotePanel } from './bridge-quote-panel.js';
import { h, say } from './dom.js';
import { read } from './http.js';
import { linkedWalletsPanel } from './linked-wallets.js';
import { transferCard } from './transfer-card.js';

/** @typedef {import('./wire.ts').BridgeTransfer} BridgeTransfer */

const PER_PAGE = 25;
/** Announcements come in bursts: what is to be read anew is gathered for so long. */
const GATHER_MS = 120;

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function bridgeView(context) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {Map<string, ReturnType<typeof transferCard>>} */
  const cards = new Map();
  /** @type {string | null} */
  let cursor = null;
  let generation = 0;

  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const list = h('div', { class: 'proposals' });
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load(false) }, 'Earlier transfers');
  const quoting = bridgeQuotePanel({ context, signal, onSubmitted: include });
  const element = h(
    'section',
    { class: 'page bridge' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Transfers'), note),
    quoting.element,
    list,
    h('div', { class: 'pager' }, more),
    linkedWalletsPanel({ context, signal, onChange: (wallets) => quoting.offer(wallets) }),
  );

  function count() {
    say(note, cards.size === 0 ? 'No transfers yet. Request a quote above to start one.' : `${cards.size} shown`);
  }

  /** @param {BridgeTransfer} transfer */
  function include(transfer) {
    const known = cards.get(transfer.id);
    if (known !== undefined) return known.update(transfer);
    const card = transferCard(context, transfer);
    const older = [...list.children].find((child) => {
      const other = cards.get(child.getAttribute('data-transfer') ?? '');
      return other !== undefined && other.transfer.createdAt < transfer.createdAt;
    });
    cards.set(transfer.id, card);
    list.insertBefore(card.element, older ?? null);
    count();
  }

  /**
   * Reads the first page, or the next one. What is shown stays as it is, open details too.
   * @param {boolean} anew
   */
  async function load(anew) {
    const mine = anew ? ++generation : generation;
    more.disabled = true;
    try {
      const from = anew || cursor === null ? '' : `&cursor=${cursor}`;
      /** @type {import('./wire.ts').Page<BridgeTransfer>} */
      const page = await read(`/v1/bridge/transfers?limit=${PER_PAGE}${from}`, { signal });
      if (mine !== generation) return;
      cursor = page.nextCursor;
      more.hidden = cursor === null;
      for (const transfer of page.items) include(transfer);
      count();
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The transfers could not be loaded.');
      fail(error);
    } finally {
      more.disabled = false;
    }
  }

  const changed = gathered(async (ids) => {
    try {
      for (const transfer of await Promise.all(ids.map(readOne))) include(transfer);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  });

  /**
   * @param {string} id
   * @returns {Promise<BridgeTransfer>}
   */
  const readOne = (id) => read(`/v1/bridge/status?id=${id}`, { signal });

  const stop = feed.subscribe({
    channel: 'bridge',
    begin: () => void load(true),
    receive: ({ data }) => changed.add(data.transferId),
    refuse: (detail) => fail(new Error(detail)),
  });

  return {
    element,
    title: 'Transfers',
    list: { label: 'Search transfers', cards: '.proposals > .proposal' },
    end() {
      stop();
      abort.abort();
      changed.end();
      for (const card of cards.values()) card.end();
    },
  };
}

/**
 * Ids that are added within `GATHER_MS` are read together, each once.
 * @param {(ids: readonly string[]) => Promise<void>} readAll
 */
function gathered(readAll) {
  /** @type {Set<string>} */
  let ids = new Set();
  /** @type {number | undefined} */
  let timer;

  function readNow() {
    const due = [...ids];
    ids = new Set();
    timer = undefined;
    void readAll(due);
  }

  return {
    /** @param {string} id */
    add(id) {
      ids.add(id);
      timer ??= setTimeout(readNow, GATHER_MS);
    },
    end: () => clearTimeout(timer),
  };
}
