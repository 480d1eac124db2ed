/** One transfer between the chains: its state, what the provider says and what both chains show, and what is remarkable in words. */
import { actorChart } from './actor-chart.js';
import { fill, h, mark, say } from './dom.js';
import { CHAIN_WORDS, shortAddress } from './linked-wallets.js';
import { factList, number } from './tables.js';
import { transferCourse } from './transfer-course.js';
import { workLine } from './work-line.js';
import { clockTime, dayAndTime, plain, priceText } from './words.js';

/** @typedef {import('./wire.ts').BridgeTransfer} BridgeTransfer */

const MACHINE = 'bridge_transfer@1';
const ENDED = ['completed', 'refunded', 'failed', 'expired'];

/**
 * @param {import('./shell.js').Context} context
 * @param {BridgeTransfer} first
 */
export function transferCard(context, first) {
  let transfer = first;
  const state = h('span', { class: 'badge', 'data-column': 'state' });
  const late = h('span', { class: 'badge mode-live', hidden: true }, 'delayed');
  const axes = h('div', {});
  const work = workLine('transfer');
  const attentions = h('ul', { class: 'gate-problems' });
  const parts = unfolded(context, () => transfer);
  const element = h(
    'article',
    { class: 'proposal', 'data-transfer': first.id },
    transferHead(first, state, late),
    work.element,
    axes,
    attentions,
    parts.element,
  );

  function draw() {
    mark(element, 'data-state', transfer.state);
    mark(state, 'class', `badge transfer-${transfer.state}`);
    say(state, plain(transfer.state));
    late.hidden = !transfer.delayed;
    work.show(transfer);
    fill(axes, factList(axesOf(transfer)));
    fill(
      attentions,
      transfer.attentions.map(({ code, words }) => h('li', { 'data-attention': code }, words)),
    );
    attentions.hidden = transfer.attentions.length === 0;
    parts.draw();
  }
  draw();

  return {
    element,
    get transfer() {
      return transfer;
    },
    /** @param {BridgeTransfer} read */
    update(read) {
      if (read.changedAt < transfer.changedAt) return;
      transfer = read;
      draw();
    },
    end: parts.end,
  };
}

/**
 * Creates the head of a transfer: its amount and its state.
 * @param {BridgeTransfer} first @param {HTMLElement} state @param {HTMLElement} late
 */
function transferHead(first, state, late) {
  return h(
    'div',
    { class: 'proposal-head' },
    state,
    late,
    h(
      'h2',
      { 'data-column': 'amount' },
      `${priceText(first.amount)} ${first.token} `,
      h('small', { class: 'faint' }, `to the ${CHAIN_WORDS[first.to] ?? first.to}`),
    ),
    h('span', { class: 'faint', 'data-column': 'provider' }, `by ${first.provider}`),
    h('span', { class: 'space' }),
    h(
      'time',
      { class: 'faint number', 'data-column': 'begun', datetime: first.createdAt, title: dayAndTime(first.createdAt) },
      clockTime(first.createdAt),
    ),
  );
}

/**
 * Creates the unfolded part: its terms, the amounts over time, and its state chart.
 * @param {import('./shell.js').Context} context
 * @param {() => BridgeTransfer} now
 */
function unfolded(context, now) {
  const facts = h('div', {});
  const place = h('div', {});
  /** @type {{ readonly chart: ReturnType<typeof actorChart>, readonly course: ReturnType<typeof transferCourse>, readonly abort: AbortController } | null} */
  let shown = null;
  const element = h(
    'details',
    { class: 'proposal-details', ontoggle: () => (element.open ? draw() : end()) },
    h('summary', {}, 'Terms and state chart'),
    facts,
    place,
  );

  function draw() {
    if (!element.open) return;
    const transfer = now();
    // A transfer that is followed stands inside the state of following.
    const value = ENDED.includes(transfer.state) || transfer.state === 'quoted' ? transfer.state : { tracking: transfer.state };
    fill(facts, factList(termsOf(transfer)));
    if (shown === null) {
      const abort = new AbortController();
      shown = {
        chart: actorChart({ context, actorId: transfer.id, machine: MACHINE, value }),
        course: transferCourse(abort.signal),
        abort,
      };
      fill(place, shown.course.element, shown.chart.element);
    }
    shown.chart.stand(value);
    void shown.course.refresh(transfer);
  }

  function end() {
    shown?.abort.abort();
    shown?.chart.end();
    shown?.course.end();
    shown = null;
    fill(place);
  }
  return { element, draw, end };
}

/**
 * @param {BridgeTransfer} transfer
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function axesOf({ axes: { provider, source, destination, refund } }) {
  const said =
    provider.silentSince === null ? plain(provider.state) : `${plain(provider.state)}, silent since ${clockTime(provider.silentSince)}`;
  const blocks = source.state === 'included' ? `${plain(source.state)}, ${source.confirmations} deep` : plain(source.state);
  return [
    ['Provider', provider.reason === null ? said : `${said}: ${provider.reason}`],
    ['Source chain', source.detail === null ? blocks : `${blocks}: ${source.detail}`],
    ['Destination chain', arrivalWords(destination)],
    ...(refund.state === 'none' ? [] : [/** @type {const} */ (['Refund', arrivalWords(refund)])]),
  ];
}

/** @param {import('./wire.ts').BridgeArrival} arrival */
function arrivalWords({ state, amountUsd }) {
  return amountUsd === null ? plain(state) : `${plain(state)}, ${priceText(amountUsd)} USDC`;
}

/**
 * @param {BridgeTransfer} transfer
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function termsOf({ sender, recipient, minimumReceived, expectedReceived, estimatedSeconds, hash, submittedAt, endedAt, explanation }) {
  return [
    ['Sender', h('code', { title: sender }, shortAddress(sender))],
    ['Recipient', h('code', { title: recipient }, shortAddress(recipient))],
    ['Minimum received', number(minimumReceived)],
    ['Expected amount', number(expectedReceived)],
    ['Estimated time', `${estimatedSeconds} s`],
    ['Source transaction', hash === null ? 'not submitted' : h('code', {}, hash)],
    ['Submitted', submittedAt === null ? '–' : dayAndTime(submittedAt)],
    ['Ended', endedAt === null ? '–' : dayAndTime(endedAt)],
    ['Reason for this provider', explanation],
  ];
}
