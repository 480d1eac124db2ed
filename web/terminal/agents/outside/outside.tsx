/** Agent with outside code: its release, its last proposals, refusals with their reasons, and its access. */
import { dayAndTime, plain, priceText, readSymbol } from '../../../words.js';
import { type AgentDetail, api, type OutsideProposal, useRead } from '../../api.ts';
import { agreementInWords } from '../agreement.ts';
import { useRuns } from '../data.ts';
import { Hooks } from './hooks.tsx';
import type { Rules } from '../rules.ts';
import { Tokens } from './tokens.tsx';
import { FigureList, Loaded } from '../../kit/lists.tsx';
import { Table } from '../../kit/table.tsx';

const LATEST = 200;
const SHOWN = 20;
const REFUSED: readonly OutsideProposal['state'][] = ['blocked', 'held', 'superseded', 'missed'];

export function OutsideCode({ agent }: { readonly agent: AgentDetail }) {
  const { id } = agent;
  const { strategy } = agent.manifest as unknown as Rules;
  const read = useRead(['outside-proposals', id], async (call) => (await api.listOutsideProposals({ id, limit: LATEST }, call)).items);
  const { data: runs = [] } = useRuns(id);
  const { data } = read;
  const last = data?.[0];
  return (
    <div className="outside">
      <FigureList
        look="figures"
        lines={[
          ['Release', strategy?.release],
          ['Last proposal', last === undefined ? 'none yet' : dayAndTime(last.receivedAt)],
          ['Sent by', last?.submittedBy ?? '–'],
          ['Asked again', agreementInWords(runs)],
        ]}
      />
      {agent.autonomy === 'research' && (
        <p className="warn">At autonomy research it takes no proposals. Set its autonomy to suggest or above, under “More”.</p>
      )}
      <Loaded query={read} />
      <Refusals proposals={data ?? []} />
      {data?.length === 0 && (
        <p className="empty">The code has sent nothing yet. Create a token or a signal hook below and give it to your code.</p>
      )}
      {data !== undefined && data.length > 0 && <Latest proposals={data.slice(0, SHOWN)} />}
      <Tokens agentId={id} />
      <Hooks agentId={id} />
    </div>
  );
}

function Refusals({ proposals }: { readonly proposals: readonly OutsideProposal[] }) {
  const counts = new Map<string, number>();
  for (const { state, decision } of proposals) {
    if (!REFUSED.includes(state)) continue;
    const rule = decision?.reason ?? state;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return (
    <ul className="refusals" aria-label="Refusals by rule">
      {[...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([rule, count]) => (
          <li key={rule}>
            <strong className="num">{count}</strong> {plain(rule)}
          </li>
        ))}
    </ul>
  );
}

const Latest = ({ proposals }: { readonly proposals: readonly OutsideProposal[] }) => (
  <Table
    label="Latest proposals of your code"
    rows={proposals}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Received', at: ({ receivedAt }) => receivedAt },
      { title: 'Side', isText: true, side: ({ side }) => side },
      { title: 'Instrument', isText: true, text: ({ instrument }) => readSymbol(instrument) },
      {
        title: 'Size',
        text: ({ notionalUsd, quantity }) => (notionalUsd === null ? priceText(quantity ?? '') : `$${priceText(notionalUsd)}`),
      },
      { title: 'Limit', text: ({ limitPrice }) => (limitPrice === null ? '–' : priceText(limitPrice)) },
      {
        title: 'State',
        isText: true,
        cell: ({ state, decision }) => <span title={decision?.reason == null ? undefined : plain(decision.reason)}>{plain(state)}</span>,
      },
      { title: 'Reason of the code', isText: true, long: ({ reason }) => reason },
    ]}
  />
);
