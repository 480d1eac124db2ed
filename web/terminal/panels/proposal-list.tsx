/** Trade proposals at full width: pending ones first, then earlier ones with their outcomes. */
import { useState } from 'react';
import { dayAndTime, plain, priceText, readSymbol } from '../../words.js';
import { api, type Proposal } from '../api.ts';
import { LiveChart } from '../debugger/live-chart.tsx';
import { Ago, WorkState } from '../kit/ages.tsx';
import { Opener } from '../kit/beside.tsx';
import { Choice } from '../kit/form.tsx';
import { FigureList, List, useList } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Price } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { useView, type View, Views } from '../kit/views.tsx';
import { useAgentName, useAgents } from '../organization.ts';
import { goTo, within } from '../place.ts';
import { Pending, usePendingProposals } from './proposals.tsx';
import { Rejections } from '../kit/refusal.tsx';

const STATES = [
  'pending_approval',
  'approved',
  'executing',
  'filled',
  'partially_filled',
  'failed',
  'unknown',
  'expired',
  'cancelled',
  'declined',
  'blocked_by_risk',
] as const;
type State = Proposal['state'];

export function ProposalsPage() {
  const [agentId = ''] = useStore(within).split('/');
  const view = useView('proposals', { state: '' });
  const state = view.values.state as State | '';
  const [open, setOpen] = useState<string | null>(null);
  const waiting = usePendingProposals();
  const pending = waiting.filter((proposal) => agentId === '' || proposal.agentId === agentId);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Proposals</h1>
        <AgentChoice agentId={agentId} />
        <Choice label="State" every="every state" choices={STATES} value={state} choose={(value) => view.set({ state: value })} />
        <span className="space" />
        <Views view={view} titles={TITLES} />
      </div>
      <section className="waiting-proposals" aria-label="Waiting for an answer">
        {pending.length === 0 && (
          <p className="card empty">No proposals waiting. An agent at autonomy “confirm” asks here before it trades.</p>
        )}
        {pending.map((proposal) => (
          <div key={proposal.id} className="card">
            {/* The keys answer the first one of all agents. */}
            <Pending proposal={proposal} isFirst={proposal === waiting[0]} />
          </div>
        ))}
      </section>
      <Record key={`${agentId} ${state}`} view={view} agentId={agentId} state={state} open={open} setOpen={setOpen} />
    </div>
  );
}

function AgentChoice({ agentId }: { readonly agentId: string }) {
  const { data = [] } = useAgents();
  return (
    <Choice
      label="Agent"
      every="all agents"
      choices={data.map(({ id, name }) => ({ value: id, label: name }))}
      value={agentId}
      choose={(id) => goTo(id === '' ? 'proposals' : `proposals/${id}`)}
    />
  );
}

const TITLES = ['Proposed', 'Agent', 'Order', 'Limit', 'Value', 'State', 'Filled at', 'By'];

interface RecordProps {
  readonly view: Pick<View, 'values' | 'order'>;
  readonly agentId: string;
  readonly state: State | '';
  readonly open: string | null;
  readonly setOpen: (id: string | null) => void;
}

function Record({ view, agentId, state, open, setOpen }: RecordProps) {
  const nameOf = useAgentName();
  const filter = { ...(agentId === '' ? {} : { agentId }), ...(state === '' ? {} : { state }) };
  const list = useList(['proposals', 'all', agentId, state], (page, options) => api.listProposals({ ...page, ...filter }, options));
  const opened = list.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === open);
  return (
    <>
      {opened !== undefined && <Opened key={opened.id} proposal={opened} />}
      <section className="card" aria-label="All proposals">
        <h2 className="card-title">All proposals</h2>
        <List
          list={list}
          view={view}
          label="Proposals, newest first"
          empty="No proposals yet. Agents propose a trade at an entry or exit. Each proposal appears here with its outcome."
          keyOf={({ id }) => id}
          markOf={({ id }) => (id === open ? 'chosen' : undefined)}
          columns={[
            { title: 'Proposed', at: ({ createdAt }) => createdAt },
            { title: 'Agent', isText: true, cell: ({ agentId: by }) => <a href={`#/agents/${by}`}>{nameOf(by)}</a> },
            {
              title: 'Order',
              isFigure: true,
              isText: true,
              cell: ({ order, instrument }) => (
                <>
                  <span className={order.side === 'buy' ? 'up' : 'down'}>{order.side}</span> {priceText(order.quantity)}{' '}
                  {readSymbol(instrument)}
                </>
              ),
            },
            { title: 'Limit', price: ({ order }) => order.limitPrice },
            { title: 'Value', money: ({ order }) => order.notionalUsd },
            { title: 'State', isText: true, cell: showOutcome },
            { title: 'Filled at', price: ({ averageFillPrice }) => averageFillPrice },
            { title: 'By', isText: true, text: ({ decidedBy }) => decidedBy ?? '–' },
            {
              title: 'Actions',
              buttons: ({ id }) => (
                <Opener isOpen={id === open} toggle={() => setOpen(id === open ? null : id)}>
                  {id === open ? 'Close' : 'Details'}
                </Opener>
              ),
            },
          ]}
        />
      </section>
    </>
  );
}

const BAD: readonly State[] = ['failed', 'unknown', 'blocked_by_risk'];

const showOutcome = ({ state, reason, mode }: Proposal) => (
  <>
    <span className={BAD.includes(state) ? 'down' : state === 'filled' ? 'up' : undefined}>{plain(state)}</span>{' '}
    {reason !== null && <small>{plain(reason)}</small>} {mode === 'live' && <span className="tag">live</span>}
  </>
);

/** One proposal with its reasons, parts, fills, and live state chart. */
function Opened({ proposal }: { readonly proposal: Proposal }) {
  const { id, decisionPrice, slot, execution, filledQuantity, order, risk, fills, progress, remainingMs, waitingFor, changedAt } = proposal;
  return (
    <section className="card padded" aria-label="Proposal in detail">
      <FigureList
        look="figures"
        lines={[
          [
            'Decided on',
            <>
              <Price price={decisionPrice} /> <small>{dayAndTime(slot)}</small>
            </>,
          ],
          [
            'Filled',
            <>
              {priceText(filledQuantity)} of {priceText(order.quantity)}
            </>,
          ],
          ['Slippage limit', <>{order.maxSlippageBps} bps</>],
          ...(execution !== null
            ? [
                [
                  'Execution',
                  <>
                    {plain(execution.algorithm)}, {execution.urgency} urgency, {plain(execution.phase)}
                    {execution.fallback !== null && <small> {plain(execution.fallback)}</small>}
                  </>,
                ] as const,
              ]
            : []),
          ['Changed', <Ago at={changedAt} />],
        ]}
      />
      {(progress !== null || waitingFor !== null) && (
        <WorkState work={{ state: 'running', seenAt: changedAt, error: null, progress, remainingMs, waitingFor }} name="the proposal" />
      )}
      <Rejections of={risk?.rejections} />
      {fills.length > 0 && <Fills fills={fills} />}
      <LiveChart id={id} />
    </section>
  );
}

const Fills = ({ fills }: Pick<Proposal, 'fills'>) => (
  <Table
    label="Fills of the proposal"
    rows={fills}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Time', text: ({ at }) => dayAndTime(at) },
      { title: 'Quantity', text: ({ quantity }) => priceText(quantity) },
      { title: 'Price', isFigure: true, price: ({ fillPrice }) => fillPrice },
      { title: 'Value', money: ({ notionalUsd }) => notionalUsd },
      { title: 'Fee', money: ({ feeUsd }) => feeUsd },
      { title: 'Slippage (bps)', text: ({ slippageBps }) => slippageBps },
      {
        title: 'On quotes of',
        isText: true,
        text: ({ quotes }) => quotes.map(({ source, bid, ask }) => `${source} ${bid ?? '–'} / ${ask ?? '–'}`).join('; '),
      },
    ]}
  />
);
