/** Trade proposals as they come and what becomes of them: of the whole organization, or of one agent. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { proposalCard } from './proposal-card.js';
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
  const { feed, fail, notify } = context;
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {Map<string, ReturnType<typeof proposalCard>>} */
  const cards = new Map();
  /** @type {Map<string, Promise<string>>} */
  const names = new Map();
  /** The newest announcement of each proposal that is to be read. @type {Map<string, ProposalChange>} */
  let changed = new Map();
  /** @type {number | undefined} */
  let gathering;
  let wanted = '';
  let generation = 0;
  /** @type {string | null} */
  let cursor = null;

  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const list = h('div', { class: 'proposals' });
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load(false) }, 'Earlier proposals');
  const whose = h('span', {});
  const stateFilter = h(
    'select',
    { name: 'state', onchange: restrict },
    h('option', { value: '' }, 'all'),
    STATES.map((state) => h('option', { value: state }, plain(state))),
  );
  const element = h(
    'section',
    { class: 'page' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Proposals'), note),
    h('div', { class: 'filters' }, h('label', {}, 'State ', stateFilter), whose),
    list,
    h('div', { class: 'pager' }, more),
  );
  if (agentId !== '') {
    const of = h('a', { href: `#/agents/${encodeURIComponent(agentId)}` }, '…');
    fill(whose, 'of ', of, ' · ', h('a', { href: '#/proposals' }, 'of all agents'));
    void nameOf(agentId).then((name) => say(of, name));
  }

  function restrict() {
    wanted = stateFilter.value;
    void load(true);
  }

  /** @param {string} id */
  function nameOf(id) {
    let name = names.get(id);
    if (name === undefined) {
      name = read(`/v1/agents/${encodeURIComponent(id)}`, { signal }).then(
        (agent) => /** @type {import('./wire.ts').Agent} */ (agent).name,
        () => id.slice(0, 8),
      );
      names.set(id, name);
    }
    return name;
  }

  /** @param {string | null} from */
  function address(from) {
    const filters = [
      `limit=${PER_PAGE}`,
      wanted === '' ? '' : `state=${wanted}`,
      agentId === '' ? '' : `agentId=${encodeURIComponent(agentId)}`,
      from === null ? '' : `cursor=${from}`,
    ];
    return `/v1/agent-orders?${filters.filter((part) => part !== '').join('&')}`;
  }

  /**
   * Reads the first page, or the next one.
   * @param {boolean} anew
   */
  async function load(anew) {
    const mine = anew ? ++generation : generation;
    more.disabled = true;
    try {
      /** @type {import('./wire.ts').Page<Proposal>} */
      const page = await read(address(anew ? null : cursor), { signal });
      if (mine !== generation) return;
      if (anew) clear();
      cursor = page.nextCursor;
      more.hidden = cursor === null;
      for (const proposal of page.items) include(proposal);
      count();
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The proposals cannot be read at the moment.');
      fail(error);
    } finally {
      more.disabled = false;
    }
  }

  function clear() {
    for (const card of cards.values()) card.end();
    cards.clear();
    fill(list);
  }

  function count() {
    const pending = [...cards.values()].filter(({ proposal }) => proposal.state === 'pending_approval').length;
    say(
      note,
      cards.size === 0
        ? wanted === ''
          ? 'No proposal yet: agents at confirm and above make them.'
          : `None is ${plain(wanted)}.`
        : `${cards.size} shown, ${pending} waiting for an answer`,
    );
  }

  /** @param {Proposal} proposal */
  function include(proposal) {
    const known = cards.get(proposal.id);
    if (known !== undefined) return known.update(proposal);
    const card = proposalCard(context, proposal);
    const older = [...list.children].find((child) => {
      const other = cards.get(child.getAttribute('data-proposal') ?? '');
      return other !== undefined && other.proposal.createdAt < proposal.createdAt;
    });
    cards.set(proposal.id, card);
    list.insertBefore(card.element, older ?? null);
    card.tick(feed.now());
    void nameOf(proposal.agentId).then((name) => card.nameAgent(name));
  }

  /** @param {import('./wire.ts').News<'proposals'>} change */
  function receive(change) {
    if (change.what === 'recommended') {
      const { side, quantity, instrument, limitPrice } = change;
      void nameOf(change.agentId).then((name) =>
        notify(`${name} recommends an ${side}: ${quantity} ${symbolOf(instrument)} at ${limitPrice} at most.`),
      );
      return;
    }
    changed.set(change.proposalId, change);
    gathering ??= setTimeout(() => void readChanged(), GATHER_MS);
  }

  async function readChanged() {
    const changes = changed;
    changed = new Map();
    gathering = undefined;
    if (cards.size > MOST_CARDS) return load(true);
    if (changes.size > READ_SINGLY) {
      for (const [id, change] of changes) cards.get(id)?.patch(change);
      await readNewest();
    } else await Promise.all([...changes.keys()].map(readOne));
    count();
  }

  /** After a lost connection: what is shown is read again where it stands. */
  async function readAgain() {
    const page = await readNewest();
    const others = [...cards.keys()].filter((id) => !page.has(id));
    if (others.length > READ_SINGLY) return load(true);
    await Promise.all(others.map(readOne));
    count();
  }

  /**
   * Reads the first page into what is shown, which stays as it is: open details and half-written reasons too.
   * @returns {Promise<ReadonlySet<string>>} What is on the page; nothing where it could not be read.
   */
  async function readNewest() {
    const mine = generation;
    try {
      /** @type {import('./wire.ts').Page<Proposal>} */
      const page = await read(address(null), { signal });
      if (mine !== generation) return new Set();
      // So many that some in between are on neither page: begin anew.
      if (page.nextCursor !== null && !page.items.some(({ id }) => cards.has(id))) {
        clear();
        cursor = page.nextCursor;
        more.hidden = false;
      }
      for (const proposal of page.items) include(proposal);
      return new Set(page.items.map(({ id }) => id));
    } catch (error) {
      if (!signal.aborted) fail(error);
      return new Set();
    }
  }

  /** @param {string} id */
  async function readOne(id) {
    const mine = generation;
    try {
      /** @type {Proposal} */
      const proposal = await read(`/v1/agent-orders/${id}`, { signal });
      if (mine !== generation) return;
      // What was listed stays, so that one sees what became of it.
      if (cards.has(id) || wanted === '' || proposal.state === wanted) include(proposal);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  const stop = feed.subscribe({
    // A proposal announces itself as an actor of its own: the channel is received whole, not narrowed to the agent.
    channel: 'proposals',
    // The first time nothing was read yet; afterwards the connection was lost.
    begin: () => void (generation === 0 ? load(true) : readAgain()),
    receive: ({ data }) => {
      if (agentId === '' || data.agentId === agentId) receive(data);
    },
    refuse: (detail) => fail(new Error(detail)),
  });
  const ticking = setInterval(() => {
    for (const card of cards.values()) card.tick(feed.now());
  }, 1_000);

  return {
    element,
    title: 'Proposals',
    list: { label: 'Search proposals', cards: '.proposals > .proposal', filters: [stateFilter] },
    end() {
      abort.abort();
      stop();
      clearTimeout(gathering);
      clearInterval(ticking);
      clear();
    },
  };
}
