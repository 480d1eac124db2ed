/** One trade proposal: what it would trade, what risk said, the two answers of an operator, and what was filled on which quotes. */
import { actorChart } from './actor-chart.js';
import { fill, h, mark, say } from './dom.js';
import { fillTable } from './fill-table.js';
import { change } from './http.js';
import { money } from './money.js';
import { createProblemNote } from './problem-note.js';
import { proposalSigning } from './proposal-signing.js';
import { ProposalGround } from './proposal-ground.js';
import { factList, number } from './tables.js';
import { workLine } from './work-line.js';
import { clockTime, dayAndTime, plain, priceText, rejectionWords, remaining, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').Proposal} Proposal */

const MACHINE = 'proposal@1';
const MOST_REASON = 200;

/**
 * @param {import('./shell.js').Context} context
 * @param {Proposal} first
 */
export function proposalCard(context, first) {
  const { me } = context;
  const mayDecide = me.permissions.includes('trade:execute');
  const needs = mayDecide ? null : 'This needs trade:execute';
  let proposal = first;
  let isAsking = false;
  /** @type {ReturnType<typeof actorChart> | null} */
  let chart = null;
  /** While it waits for an answer. @type {ProposalGround | null} */
  let ground = null;

  const groundPlace = h('div', {});
  const state = h('span', { class: 'badge', 'data-column': 'state' });
  const countdown = h('span', { class: 'number countdown' });
  const approve = h('button', { type: 'button', class: 'primary', onclick: () => void decide('approve') }, 'Approve');
  const decline = h('button', { type: 'button', onclick: () => void decide('decline') }, 'Decline');
  const reason = h('input', {
    type: 'text',
    class: 'reason',
    maxlength: MOST_REASON,
    placeholder: 'Reason, if you decline',
    'aria-label': 'Reason for declining (optional)',
  });
  const answers = h('div', { class: 'actions proposal-answers' }, reason, decline, approve);
  const agent = h('a', { href: `#/agents/${first.agentId}`, 'data-column': 'agent' }, '…');
  const note = createProblemNote(context.fail);
  const outcome = proposalOutcome();
  const refusals = h('ul', { class: 'gate-problems' });
  const facts = h('div', {});
  const signing = proposalSigning(context.fail);
  const fills = h('div', {});
  const chartPlace = h('div', {});
  const details = h(
    'details',
    { class: 'proposal-details', ontoggle: () => unfold() },
    h('summary', {}, 'Risk, fills and state chart'),
    facts,
    fills,
    chartPlace,
  );
  const element = h(
    'article',
    { class: 'proposal', 'data-proposal': first.id },
    proposalHead(first, state),
    h(
      'div',
      { class: 'proposal-line' },
      h('span', { class: 'faint' }, `${plain(first.side)} of `),
      agent,
      outcome.element,
      countdown,
      h('span', { class: 'space' }),
      answers,
    ),
    groundPlace,
    refusals,
    signing.element,
    note.element,
    details,
  );

  function draw() {
    mark(element, 'data-state', proposal.state);
    mark(state, 'class', `badge proposal-${proposal.state}`);
    say(state, plain(proposal.state));
    const isPending = proposal.state === 'pending_approval';
    answers.hidden = !isPending;
    drawGround(isPending);
    for (const control of [approve, decline, reason]) {
      control.disabled = isAsking || !mayDecide;
      mark(control, 'title', needs);
    }
    outcome.show(proposal);
    fill(
      refusals,
      (proposal.risk?.rejections ?? []).map((rejection) => h('li', {}, rejectionWords(rejection))),
    );
    refusals.hidden = refusals.childElementCount === 0;
    if (mayDecide) signing.show(proposal.transaction);
    if (details.open) drawInside();
    chart?.stand(proposal.state);
  }

  /** @param {boolean} isPending */
  function drawGround(isPending) {
    if (isPending === (ground !== null)) return;
    ground?.end();
    ground = isPending ? new ProposalGround(context, proposal) : null;
    fill(groundPlace, ground?.element);
  }

  function drawInside() {
    fill(facts, factList(factsOf(proposal)));
    fill(fills, fillTable(proposal.fills, 'Fills, each with the quotes that it was made on', 'Nothing was filled.'));
  }

  function unfold() {
    if (details.open) {
      drawInside();
      chart ??= actorChart({ context, actorId: proposal.id, machine: MACHINE, value: proposal.state });
      fill(chartPlace, chart.element);
    } else {
      chart?.end();
      chart = null;
      fill(chartPlace);
    }
  }

  /** @param {'approve' | 'decline'} what */
  async function decide(what) {
    isAsking = true;
    note.clear();
    draw();
    try {
      const said = reason.value.trim();
      const body = what === 'decline' && said !== '' ? { reason: said } : undefined;
      update(await change('POST', `/v1/agent-orders/${proposal.id}/${what}`, body));
    } catch (error) {
      note.show(error);
    } finally {
      isAsking = false;
      draw();
    }
  }

  /** @param {Proposal} read */
  function update(read) {
    if (read.changedAt < proposal.changedAt) return;
    if (read.state !== proposal.state) note.clear();
    proposal = read;
    draw();
  }
  draw();

  return {
    element,
    get proposal() {
      return proposal;
    },
    update,
    /** What was announced, until it is read whole. @param {import('./feed-messages.ts').ProposalChange} change */
    patch({ state: next, reason: why, filledQuantity, filledNotionalUsd }) {
      update({ ...proposal, state: next, reason: why, filledQuantity, filledNotionalUsd });
    },
    /** @param {string} name */
    nameAgent: (name) => say(agent, name),
    /** @param {number} now */
    tick(now) {
      if (proposal.state !== 'pending_approval') return say(countdown, '');
      const left = Date.parse(proposal.expiresAt) - now;
      say(countdown, left > 0 ? `expires in ${remaining(left)}` : 'expiring…');
      mark(countdown, 'data-soon', left < 60_000 ? '' : null);
    },
    end() {
      signing.end();
      ground?.end();
      ground = null;
      chart?.end();
      chart = null;
    },
  };
}

/** What it would trade. @param {Proposal} proposal @param {HTMLElement} state */
function proposalHead({ order, instrument, mode, createdAt }, state) {
  return h(
    'div',
    { class: 'proposal-head' },
    state,
    h(
      'h2',
      { 'data-column': 'order' },
      `${order.side} ${priceText(order.quantity)} ${symbolOf(instrument)} `,
      h('small', { class: 'faint' }, instrument.split(':', 1)[0] ?? ''),
    ),
    h('span', { 'data-column': 'limit' }, 'limit ', number(order.limitPrice)),
    h('span', { 'data-column': 'worth' }, money(order.notionalUsd), ' USD'),
    h('span', { class: `badge mode-${mode}` }, plain(mode)),
    h('span', { class: 'space' }),
    h(
      'time',
      { class: 'faint number', 'data-column': 'proposed', datetime: createdAt, title: dayAndTime(createdAt) },
      clockTime(createdAt),
    ),
  );
}

/** What became of it, and what it waits for. */
function proposalOutcome() {
  const words = h('p', { class: 'proposal-outcome' });
  const work = workLine('proposal');
  return {
    element: h('div', {}, words, work.element),
    /** @param {Proposal} proposal */
    show(proposal) {
      say(words, outcomeWords(proposal));
      // While it waits for an answer the card counts the time itself.
      work.show(proposal.state === 'pending_approval' ? { ...proposal, remainingMs: null } : proposal);
    },
  };
}

/** @param {Proposal} proposal */
function outcomeWords({ reason, decidedBy, filledQuantity, averageFillPrice, order, state }) {
  const parts = [];
  if (averageFillPrice !== null)
    parts.push(`${priceText(filledQuantity)} of ${priceText(order.quantity)} filled at ${priceText(averageFillPrice)}`);
  if (reason !== null) parts.push(plain(reason));
  if (decidedBy !== null) parts.push(`${state === 'declined' ? 'declined' : 'decided'} by ${decidedBy}`);
  return parts.join(' · ');
}

/**
 * @param {Proposal} proposal
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function factsOf({ order, decisionPrice, risk, autonomy, manifestVersion, manifestHash, bookId, expiresAt, slot, id }) {
  return [
    ['Risk', risk === null ? 'not asked' : plain(risk.verdict)],
    ['Decided at', dayAndTime(slot)],
    ['Decision price', number(decisionPrice)],
    ['Limit price', number(order.limitPrice)],
    ['Slippage budget', `${order.maxSlippageBps} bps`],
    ['Quantity', number(order.quantity)],
    ['Reduces only', order.reduceOnly ? 'yes' : 'no'],
    ['Autonomy', plain(autonomy)],
    ['Manifest', h('code', { title: manifestHash }, `v${manifestVersion} ${manifestHash.slice(0, 10)}`)],
    ['Expires', dayAndTime(expiresAt)],
    ['Book', h('code', {}, bookId)],
    ['Id', h('code', {}, id)],
  ];
}
