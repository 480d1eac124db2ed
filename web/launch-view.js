/** One launch: its curve drawn and its monitor moving, its transactions to be signed, and what waits to be claimed. */
import { curvePicture } from './curve-picture.js';
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { launchClaims } from './launch-claims.js';
import { launchCourse } from './launch-course.js';
import { launchSigning } from './launch-signing.js';
import { followed } from './launches-view.js';
import { factList, number } from './tables.js';
import { workLine } from './work-line.js';
import { clockAndZone, plain, symbolOf } from './words.js';

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
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
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
        ladder ??= await ladderOf(launch);
        /** @type {LaunchMonitor} */
        const monitor = await read(`/v1/launches/${id}/monitor`, { signal });
        fill(picture, curvePicture(ladder, monitor.curve, launch));
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
      h('p', {}, h('a', { href: '#/launches' }, 'All launches')),
      h('div', { class: 'page-head' }, heading, note),
      work.element,
      signing.element,
      picture,
      course.element,
      facts,
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
    ['Fill', curve === null ? 'not on the chain yet' : h('span', { 'data-fact': 'fill' }, `${curve.fillPct} %`)],
    ['Collected', curve === null ? 'nothing' : `${curve.quoteReserve} of ${curve.graduationThreshold} ${launch.quoteSymbol}`],
    ['Price', curve === null ? 'none yet' : h('span', {}, number(curve.price), ` ${launch.quoteSymbol}`)],
    ['In dollars', curve?.priceUsd == null ? 'not priced' : number(curve.priceUsd)],
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

/** @param {import('./api.ts').LauncherLaunch} launch */
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
