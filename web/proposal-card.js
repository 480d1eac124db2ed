/** One trade proposal: what it would trade, what risk said, the two answers of an operator, and what was filled on which quotes. */
import { foldedActorChart } from './actor-chart.js';
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
  let proposal = first;
  const state = h('span', { class: 'badge', 'data-column': 'state' });
  const countdown = proposalCountdown();
  const agent = h('a', { href: `#/agents/${first.agentId}`, 'data-column': 'agent' }, '…');
  const note = createProblemNote(context.fail);
  const outcome = proposalOutcome();
  const refusals = proposalRefusals();
  const answers = proposalAnswers(context, { id: first.id, note, onAnswered: update });
  const ground = groundWhileItWaits(context);
  const signing = proposalSigning(context.fail);
  const details = proposalDetails(context, first);
  const asked = h('span', { class: 'faint' }, `${plain(first.side)} by `);
  const element = h(
    'article',
    { class: 'proposal', 'data-proposal': first.id },
    proposalHead(first, state),
    h('div', { class: 'proposal-line' }, asked, agent, outcome.element, countdown.element, h('span', { class: 'space' }), answers.element),
    ground.element,
    refusals.element,
    signing.element,
    note.element,
    details.element,
  );

  function draw() {
    mark(element, 'data-state', proposal.state);
    mark(state, 'class', `badge proposal-${proposal.state}`);
    say(state, plain(proposal.state));
    answers.show(proposal);
    ground.show(proposal);
    outcome.show(proposal);
    refusals.show(proposal);
    if (mayDecide(context)) signing.show(proposal.transaction);
    details.show(proposal);
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
    /** Applies an announcement, until the proposal is read whole. @param {import('./feed-messages.ts').ProposalChange} change */
    patch({ state: next, reason: why, filledQuantity, filledNotionalUsd }) {
      update({ ...proposal, state: next, reason: why, filledQuantity, filledNotionalUsd });
    },
    /** @param {string} name */
    nameAgent: (name) => say(agent, name),
    /** @param {number} now */
    tick: (now) => countdown.show(proposal, now),
    end() {
      for (const part of [signing, ground, details]) part.end();
    },
  };
}

/** @param {import('./shell.js').Context} context */
function mayDecide({ me }) {
  return me.permissions.includes('trade:execute');
}

/** Creates the list of risk's objections. */
function proposalRefusals() {
  const element = h('ul', { class: 'gate-problems' });
  return {
    element,
    /** @param {Proposal} proposal */
    show({ risk }) {
      const lines = (risk?.rejections ?? []).map((rejection) => h('li', {}, rejectionWords(rejection)));
      fill(element, lines);
      element.hidden = lines.length === 0;
    },
  };
}

/** Creates the countdown to the expiry. */
function proposalCountdown() {
  const element = h('span', { class: 'number countdown' });
  return {
    element,
    /** @param {Proposal} proposal @param {number} now */
    show({ state, expiresAt }, now) {
      if (state !== 'pending_approval') return say(element, '');
      const left = Date.parse(expiresAt) - now;
      say(element, left > 0 ? `expires in ${remaining(left)}` : 'expiring…');
      mark(element, 'data-soon', left < 60_000 ? '' : null);
    },
  };
}

/**
 * The two answers of an operator, for as long as it waits for one.
 * @param {import('./shell.js').Context} context
 * @param {object} options
 * @param {string} options.id Of the proposal.
 * @param {ReturnType<typeof createProblemNote>} options.note Where a refusal is said.
 * @param {(proposal: Proposal) => void} options.onAnswered
 */
function proposalAnswers(context, { id, note, onAnswered }) {
  const approve = h('button', { type: 'button', class: 'primary', onclick: () => void decide('approve') }, 'Approve');
  const decline = h('button', { type: 'button', onclick: () => void decide('decline') }, 'Decline');
  const reason = h('input', {
    type: 'text',
    class: 'reason',
    maxlength: MOST_REASON,
    placeholder: 'Reason, if you decline',
    'aria-label': 'Reason for declining (optional)',
  });
  const element = h('div', { class: 'actions proposal-answers' }, reason, decline, approve);
  const isAllowed = mayDecide(context);

  /** @param {boolean} isAsking */
  function enable(isAsking) {
    for (const control of [approve, decline, reason]) {
      control.disabled = isAsking || !isAllowed;
      mark(control, 'title', isAllowed ? null : 'Requires trade:execute');
    }
  }

  /** @param {'approve' | 'decline'} what */
  async function decide(what) {
    note.clear();
    enable(true);
    try {
      const said = reason.value.trim();
      const body = what === 'decline' && said !== '' ? { reason: said } : undefined;
      onAnswered(await change('POST', `/v1/agent-orders/${id}/${what}`, body));
    } catch (error) {
      note.show(error);
    } finally {
      enable(false);
    }
  }
  enable(false);
  return {
    element,
    /** @param {Proposal} proposal */
    show({ state }) {
      element.hidden = state !== 'pending_approval';
    },
  };
}

/** Creates the basis of an approval, shown while the proposal waits for one. @param {import('./shell.js').Context} context */
function groundWhileItWaits(context) {
  const element = h('div', {});
  /** @type {ProposalGround | null} */
  let ground = null;
  return {
    element,
    /** @param {Proposal} proposal */
    show(proposal) {
      const isPending = proposal.state === 'pending_approval';
      if (isPending === (ground !== null)) return;
      ground?.end();
      ground = isPending ? new ProposalGround(context, proposal) : null;
      fill(element, ground?.element);
    },
    end() {
      ground?.end();
      ground = null;
    },
  };
}

/**
 * Risk, fills and the state chart, written only while they are unfolded.
 * @param {import('./shell.js').Context} context
 * @param {Proposal} first
 */
function proposalDetails(context, first) {
  let proposal = first;
  const facts = h('div', {});
  const fills = h('div', {});
  const chart = foldedActorChart(() => ({ context, actorId: first.id, machine: MACHINE, value: proposal.state }));
  const element = h(
    'details',
    { class: 'proposal-details', ontoggle: unfold },
    h('summary', {}, 'Details, fills and state chart'),
    facts,
    fills,
    chart.element,
  );

  function unfold() {
    if (element.open) draw();
    chart.unfold(element.open);
  }

  function draw() {
    fill(facts, factList(factsOf(proposal)));
    fill(fills, fillTable(proposal.fills, 'Fills, with the quotes at the time', 'No fills.'));
  }
  return {
    element,
    /** @param {Proposal} shown */
    show(shown) {
      proposal = shown;
      if (element.open) draw();
      chart.stand(shown.state);
    },
    end: () => chart.unfold(false),
  };
}

/** Creates the head: the trade that it proposes. @param {Proposal} proposal @param {HTMLElement} state */
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

/** Creates the result, and what the proposal waits for. */
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
    parts.push(`${priceText(filledQuantity)} of ${priceText(order.quantity)} filled at ${priceText(averageFillPrice)} average`);
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
    ['Risk check', risk === null ? '–' : plain(risk.verdict)],
    ['Decided at', dayAndTime(slot)],
    ['Decision price', number(decisionPrice)],
    ['Limit price', number(order.limitPrice)],
    ['Max slippage', `${order.maxSlippageBps} bps`],
    ['Quantity', number(order.quantity)],
    ['Reduce only', order.reduceOnly ? 'yes' : 'no'],
    ['Autonomy', plain(autonomy)],
    ['Manifest', h('code', { title: manifestHash }, `v${manifestVersion} ${manifestHash.slice(0, 10)}`)],
    ['Expires', dayAndTime(expiresAt)],
    ['Book', h('code', {}, bookId)],
    ['Id', h('code', {}, id)],
  ];
}
