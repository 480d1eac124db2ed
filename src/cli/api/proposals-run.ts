/** Implementation of `sevengate proposals`. */
import { ApiError, type Proposal } from '../../../clients/typescript/src/index.ts';
import { type Chosen, chosenId } from './client-options.ts';
import { columns, findAgent, spaced, type Terminal } from './terminal.ts';

const LISTED = 50;
const HEAD = ['ID', 'STATE', 'ORDER', 'LIMIT', 'FILLED', 'REASON'];
const UNDER_WAY: readonly Proposal['state'][] = ['approved', 'executing'];

/** Proposal to answer: by id, or the newest that waits. */
export interface ChosenProposal extends Chosen {
  readonly agent: string | undefined;
  readonly wait: true | undefined;
}

export async function listProposals(
  { api, json, print }: Terminal,
  agent: string | undefined,
  state: Proposal['state'] | undefined,
): Promise<void> {
  const agentId = agent === undefined ? undefined : (await findAgent(api, agent)).id;
  const { items } = await api.listProposals({ agentId, state, limit: LISTED });
  if (json) return print(JSON.stringify(items));
  print(items.length === 0 ? 'No proposals. Agents create them at autonomy confirm and above.' : columns([HEAD, ...items.map(toRow)]));
}

/** Approves a proposal and waits for its end. A proposal that is not filled sets exit code 1. */
export async function approveProposal(terminal: Terminal, chosen: ChosenProposal): Promise<void> {
  const { api, json, print, wait } = terminal;
  let proposal = await approved(terminal, chosen);
  const { id } = proposal;
  while (UNDER_WAY.includes(proposal.state)) {
    await wait();
    proposal = await api.getProposal({ id });
  }
  print(json ? JSON.stringify(proposal) : sentence(proposal));
  if (proposal.state !== 'filled') process.exitCode = 1;
}

/** Approves the selected proposal. If the newest one ended before that, for example because its data was lost, waits for the next. */
async function approved(terminal: Terminal, chosen: ChosenProposal): Promise<Proposal> {
  for (;;) {
    const { id } = await findProposal(terminal, chosen);
    try {
      return await terminal.api.approveProposal({ id });
    } catch (error) {
      const waitsForNext = chosen.latest && chosen.wait && error instanceof ApiError && error.code === 'state_conflict';
      if (!waitsForNext) throw error;
      const { state } = await terminal.api.getProposal({ id });
      if (state === 'pending_approval') throw error;
      terminal.note(`${id} is ${spaced(state)} and was not approved`);
    }
  }
}

export async function declineProposal(terminal: Terminal, chosen: ChosenProposal, reason: string | undefined): Promise<void> {
  const { id } = await findProposal(terminal, chosen);
  const proposal = await terminal.api.declineProposal({ id, body: reason === undefined ? {} : { reason } });
  terminal.print(terminal.json ? JSON.stringify(proposal) : sentence(proposal));
}

async function findProposal({ api, note, wait }: Terminal, chosen: ChosenProposal): Promise<{ readonly id: string }> {
  const id = chosenId(chosen, 'proposal', 'the newest pending proposal');
  if (id !== null) return { id };
  const { agent, wait: waits } = chosen;
  const agentId = agent === undefined ? undefined : (await findAgent(api, agent)).id;
  for (let isFirst = true; ; isFirst = false) {
    const { items } = await api.listProposals({ state: 'pending_approval', agentId, limit: 1 });
    if (items[0] !== undefined) return items[0];
    if (!waits) throw new Error('no pending proposal; use --wait to wait for the next one');
    if (isFirst) note('waiting for a proposal; agents decide at each full minute');
    await wait();
  }
}

function toRow(proposal: Proposal): string[] {
  const { id, state, order, filledQuantity, averageFillPrice, reason } = proposal;
  const filled = averageFillPrice === null ? '–' : `${filledQuantity} at ${averageFillPrice}`;
  return [id, spaced(state), orderText(proposal), order.limitPrice, filled, reason === null ? '' : spaced(reason)];
}

function sentence(proposal: Proposal): string {
  const { id, state, mode, filledQuantity, averageFillPrice, reason } = proposal;
  const filled = averageFillPrice === null ? '' : `, ${filledQuantity} filled at ${averageFillPrice}`;
  return `${spaced(state)}: ${orderText(proposal)} on ${mode}${filled}${reason === null ? '' : ` (${spaced(reason)})`}  ${id}`;
}

const orderText = ({ order, instrument }: Proposal): string => `${order.side} ${order.quantity} ${instrument}`;
