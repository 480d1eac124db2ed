/** Launches of tokens: the list with the market of agent tokens, and one launch with its curve drawn and its monitor moving. */
import { curvePicture } from './curve-picture.js';
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { dataTable, factList, number } from './tables.js';
import { clockAndZone, dayAndTime, plain, symbolOf } from './words.js';

/** @typedef {import('./shell.js').Context} Context */
/** @typedef {import('./wire.ts').Launch} Launch */
/** @typedef {import('./wire.ts').LaunchMonitor} LaunchMonitor */
/** @typedef {import('./wire.ts').LadderStep} LadderStep */

const EVERY_MS = 5_000;
const ENDED = new Set(['graduated', 'launched', 'expired', 'failed']);

/**
 * @param {Context} context
 * @param {string} id One launch; empty for the list.
 * @returns {import('./shell.js').View}
 */
export function launchesView(context, id) {
  return id === '' ? listView(context) : launchView(context, id);
}

/**
 * Reads again at intervals and whenever the feed tells of a launch; a page that is hidden is not read for.
 * @param {Context} context
 * @param {(signal: AbortSignal) => Promise<void>} refresh
 * @param {(launchId: string) => boolean} concerns
 */
function followed({ feed, fail }, refresh, concerns) {
  const abort = new AbortController();
  let isReading = false;
  let isWanted = false;
  async function again() {
    if (isReading || document.hidden) {
      isWanted = true;
      return;
    }
    isReading = true;
    isWanted = false;
    try {
      await refresh(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) fail(error);
    } finally {
      isReading = false;
      if (isWanted && !abort.signal.aborted) void again();
    }
  }
  const repeating = setInterval(() => void again(), EVERY_MS);
  const unsubscribe = feed.subscribe({
    channel: 'launches',
    hear: ({ data }) => {
      if (concerns(String(data['launchId'] ?? ''))) void again();
    },
  });
  void again();
  return () => {
    abort.abort();
    clearInterval(repeating);
    unsubscribe();
  };
}

/**
 * @param {Context} context
 * @returns {import('./shell.js').View}
 */
function listView(context) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const place = h('div', { class: 'panel market-panel' });
  const market = h('div', { class: 'panel market-panel' });
  const end = followed(
    context,
    async (signal) => {
      const [launches, ranking] = await Promise.all([
        read('/v1/launches?limit=100', { signal }),
        read('/v1/agent-market/rank?mode=lowest_risk&limit=50', { signal }),
      ]);
      fill(place, launchTable(launches.items));
      fill(market, tokenTable(ranking.items));
      say(note, `as of ${clockAndZone(context.feed.now())}`);
    },
    () => true,
  );
  return {
    element: h(
      'section',
      { class: 'page launches' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Launches'), note),
      place,
      h('h2', {}, 'Agent tokens, least risk first'),
      market,
    ),
    title: 'Launches',
    list: { label: 'Search launches and tokens' },
    end,
  };
}

/** @param {readonly Launch[]} launches */
function launchTable(launches) {
  return dataTable({
    caption: 'Launches, newest first',
    head: ['Token', 'By', 'State', 'Quoted in', 'Prepared'],
    rows: launches.map((launch) => [
      h('a', { href: `#/launches/${launch.id}` }, `${launch.symbol} ${launch.name}`),
      launch.kind === 'curve' ? 'bonding curve' : 'launcher',
      plain(launch.state),
      launch.quoteSymbol,
      dayAndTime(launch.createdAt),
    ]),
    empty: 'No launch yet.',
  });
}

/** @param {readonly import('./wire.ts').RankedAgentToken[]} tokens */
function tokenTable(tokens) {
  return dataTable({
    caption: 'Agent tokens by risk',
    head: ['Token', 'Rank', 'Risk', 'Unknown', 'Paired with', 'Ten largest wallets', 'Dollars that pay sellers'],
    rows: tokens.map(({ symbol, rank, risk, pairedStock, holders, depth }) => [
      symbol,
      number(rank),
      String(risk.score),
      risk.unknown.length === 0 ? 'nothing' : risk.unknown.map(plain).join(', '),
      pairedStock === null ? 'nothing' : symbolOf(pairedStock),
      number(holders?.top10Pct == null ? null : `${holders.top10Pct} %`),
      number(depth === null ? null : depth.depthUsd),
    ]),
    empty: 'No agent token is listed.',
  });
}

/**
 * @param {Context} context
 * @param {string} id
 * @returns {import('./shell.js').View}
 */
function launchView(context, id) {
  const heading = h('h1', {}, 'Launch');
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const picture = h('div', { class: 'panel curve-place' });
  const facts = h('div', { class: 'panel' });
  /** @type {readonly LadderStep[] | null} */
  let ladder = null;

  const end = followed(
    context,
    async (signal) => {
      /** @type {Launch} */
      const launch = await read(`/v1/launches/${id}`, { signal });
      say(heading, `${launch.symbol} ${launch.name}`);
      if (launch.kind === 'launcher') fill(facts, launcherFacts(launch));
      else {
        ladder ??= await ladderOf(launch);
        /** @type {LaunchMonitor} */
        const monitor = await read(`/v1/launches/${id}/monitor`, { signal });
        fill(picture, curvePicture(ladder, monitor, launch));
        fill(facts, curveFacts(launch, monitor));
      }
      say(note, `${plain(launch.state)}${ENDED.has(launch.state) ? '' : `, as of ${clockAndZone(context.feed.now())}`}`);
    },
    (launchId) => launchId === id,
  );
  return {
    element: h(
      'section',
      { class: 'page launch' },
      h('p', {}, h('a', { href: '#/launches' }, 'All launches')),
      h('div', { class: 'page-head' }, heading, note),
      picture,
      facts,
    ),
    title: 'Launch',
    end,
  };
}

/**
 * The price over the fill, as a preview computes it from what the launch was asked for with.
 * @param {Launch} launch
 * @returns {Promise<readonly LadderStep[]>}
 */
async function ladderOf({ preset, quoteMint, startingFdv, totalSupply, decimals }) {
  const preview = await change('POST', '/v1/launches/dbc/preview', { preset, quoteMint, startingFdv, totalSupply, decimals });
  return [{ fillPct: 0, price: preview.startingPrice, sold: '0' }, ...preview.ladder];
}

/**
 * @param {Launch} launch
 * @param {LaunchMonitor} monitor
 */
function curveFacts(launch, { curve, graduation, pairedStock }) {
  return factList([
    ['Fill', curve === null ? 'not on the chain yet' : h('span', { 'data-fact': 'fill' }, `${curve.fillPct} %`)],
    ['Collected', curve === null ? 'nothing' : `${curve.quoteReserve} of ${curve.graduationThreshold} ${launch.quoteSymbol}`],
    ['Price', curve === null ? 'none yet' : `${curve.price} ${launch.quoteSymbol}`],
    ['In dollars', curve?.priceUsd ?? 'not priced'],
    [
      'Since the launch',
      curve?.returns == null
        ? 'unknown'
        : `${curve.returns.tokenPct} % in dollars, ${curve.returns.relativePct} % in ${launch.quoteSymbol}`,
    ],
    ['Paired with', pairedStock === null ? 'no share' : symbolOf(pairedStock)],
    [
      "Creator's fees",
      curve === null ? 'none' : `${curve.creatorFees.quote} ${launch.quoteSymbol} wait, ${curve.creatorFees.claimedQuote} claimed`,
    ],
    ['Graduation', plain(graduation.progress)],
    ['Successor pool', graduation.successorPool ?? 'none yet'],
    ['Read at', curve === null ? 'not yet' : `slot ${curve.slot}, ${Math.round(curve.ageMs / 1_000)} s old`],
    ['Mint', launch.mint ?? ''],
    ['What went wrong', launch.detail ?? 'nothing'],
  ]);
}

/** @param {Launch} launch */
function launcherFacts(launch) {
  return factList([
    ['Paid', `${launch.lamports} lamports to ${launch.payTo}`],
    ['Paired with', launch.pairedStock === null ? 'no share' : symbolOf(launch.pairedStock)],
    ["Creator's fee", `${launch.creatorFeeBps} basis points`],
    ['Payment', launch.signatures[0] ?? 'not handed in'],
    ['Mint', launch.mint ?? 'not launched'],
    ['What went wrong', launch.detail ?? 'nothing'],
  ]);
}
