/** One launch: its curve drawn and its monitor moving, its transactions to be signed, and what waits to be claimed. */
import { curvePicture } from './curve-picture.js';
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { launchClaims } from './launch-claims.js';
import { launchCourse } from './launch-course.js';
import { launchSigning } from './launch-signing.js';
import { followed } from './launches-view.js';
import { exact } from './money.js';
import { may, withheld } from './permissions.js';
import { factList } from './tables.js';
import { workLine } from './work-line.js';
import { clockAndZone, percentText, plain, quoteText, symbolOf } from './words.js';

/** @typedef {import('./shell.js').Context} Context */
/** @typedef {import('./wire.ts').Launch} Launch */
/** @typedef {import('./wire.ts').LaunchMonitor} LaunchMonitor */
/** @typedef {import('./wire.ts').LadderStep} LadderStep */

const ENDED = new Set(['graduated', 'launched', 'expired', 'failed']);

/**
 * @param {Context} context
 * @param {string} id
 * @returns {import('./shell.js').View}
 */
export function launchView(context, id) {
  const heading = h('h1', {}, 'Launch');
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const picture = h('div', { class: 'panel curve-place' });
  const facts = h('div', { class: 'panel' });
  const abort = new AbortController();
  const work = workLine('launch');
  const signing = launchSigning(context, id, abort.signal);
  const claims = launchClaims(context, id, abort.signal);
  const course = launchCourse(abort.signal);
  /** @type {readonly LadderStep[] | null} */
  let ladder = null;

  const end = followed(
    context,
    async (signal) => {
      /** @type {Launch} */
      const launch = await read(`/v1/launches/${id}`, { signal });
      say(heading, `${launch.symbol} ${launch.name}`);
      work.show(launch);
      signing.show(launch);
      claims.show(launch);
      if (launch.kind === 'launcher') fill(facts, launcherFacts(launch));
      else {
        ladder ??= may('market:read') ? await ladderOf(launch) : null;
        /** @type {LaunchMonitor} */
        const monitor = await read(`/v1/launches/${id}/monitor`, { signal });
        fill(picture, ladder === null ? withheld('market:read', 'The curve chart') : curvePicture(ladder, monitor.curve, launch));
        fill(facts, curveFacts(launch, monitor));
        if (launch.tradingSince != null) void course.refresh(launch);
      }
      say(note, `${plain(launch.state)}${ENDED.has(launch.state) ? '' : `, as of ${clockAndZone(context.feed.now())}`}`);
    },
    (launchId) => launchId === id,
  );
  return {
    element: h(
      'section',
      { class: 'page launch' },
      h('p', { class: 'trail' }, h('a', { href: '#/launches' }, '← Launches')),
      h('div', { class: 'page-head' }, heading, note),
      work.element,
      signing.element,
      h('div', { class: 'two home-top' }, picture, facts),
      course.element,
      claims.element,
    ),
    title: 'Launch',
    end() {
      abort.abort();
      course.end();
      end();
    },
  };
}

/**
 * The price over the fill, as a preview computes it from what the launch was asked for with.
 * @param {import('./api.ts').Launch} launch
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
    ['Fill', curve === null ? 'not on chain yet' : h('span', { 'data-fact': 'fill' }, percentText(curve.fillPct))],
    [
      'Collected',
      curve === null ? 'nothing' : `${quoteText(curve.quoteReserve)} of ${quoteText(curve.graduationThreshold)} ${launch.quoteSymbol}`,
    ],
    ['Price', curve === null ? '–' : h('span', {}, quoted(curve.price), ` ${launch.quoteSymbol}`)],
    ['Price (USD)', curve?.priceUsd == null ? '–' : quoted(curve.priceUsd)],
    [
      'Return since launch',
      curve?.returns == null
        ? 'unknown'
        : `${percentText(curve.returns.tokenPct)} in dollars, ${percentText(curve.returns.relativePct)} in ${launch.quoteSymbol}`,
    ],
    ['Paired with', pairedStock === null ? '–' : symbolOf(pairedStock)],
    [
      'Creator fees',
      curve === null
        ? 'none'
        : `${quoteText(curve.creatorFees.quote)} ${launch.quoteSymbol} claimable, ${quoteText(curve.creatorFees.claimedQuote)} claimed`,
    ],
    ['Graduation', plain(graduation.progress)],
    ['Pool after graduation', graduation.successorPool ?? '–'],
    ['Last update', curve === null ? '–' : `slot ${curve.slot}, ${Math.round(curve.ageMs / 1_000)} s old`],
    ['Mint', h('code', {}, launch.mint ?? '')],
    ['Error', launch.detail ?? 'nothing'],
  ]);
}

/** @param {string} price All its digits are shown on hover. */
function quoted(price) {
  return exact(quoteText(price), price);
}

/** @param {import('./api.ts').LauncherLaunch} launch */
function launcherFacts(launch) {
  return factList([
    ['Paid', `${launch.lamports} lamports to ${launch.payTo}`],
    ['Paired with', launch.pairedStock === null ? '–' : symbolOf(launch.pairedStock)],
    ['Creator fee', `${launch.creatorFeeBps} bps`],
    ['Payment', launch.signatures[0] ?? 'not submitted'],
    ['Mint', launch.mint ?? 'not launched'],
    ['Error', launch.detail ?? 'nothing'],
  ]);
}
