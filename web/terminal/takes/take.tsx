/** Page of one Take: its thesis, state, actions, lineage, and every evaluation with its rules. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { dayAndTime, eventWord, forPeople, plain, stateText } from '../../words.js';
import { conditionSentence } from '../agents/rules.ts';
import { decisionColumns } from '../agents/state.tsx';
import { api, useRead, type Take, type TakeDecision } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { At } from '../kit/ages.tsx';
import { Card, FigureList, List, Loaded, Trail, useList, renderItems } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { useAnnouncements } from '../organization.ts';
import { Delegations } from '../wallet/delegations.tsx';
import { Arm, TakeActions } from './actions.tsx';
import { Lineage } from './lineage.tsx';
import { InWords, ReadThesis } from './reading.tsx';
import { Instrument } from '../kit/columns.tsx';

const EVALUATED_EVERY_MS = 30_000;

export function TakePage({ id }: { readonly id: string }) {
  useAnnouncements('takes', 'take', 'takes', 'take-decisions', 'take-history');
  const take = useRead(['take', id], (call) => api.getTake({ id }, call), { refetchInterval: EVALUATED_EVERY_MS });
  return (
    <div className="page">
      <Trail to="takes" name="Takes" />
      <Loaded query={take}>{(data) => <Shown take={data} />}</Loaded>
    </div>
  );
}

function Shown({ take }: { readonly take: Take }) {
  const { id, symbol, state, reason, instrument, thesis } = take;
  const reading = { ...take, questions: [] };
  return (
    <>
      <header className="agent-head">
        <div className="agent-name">
          <h1>Take on {symbol}</h1>
          <span className="tag" data-state={state}>
            {plain(state)}
            {reason === null ? '' : `: ${plain(reason)}`}
          </span>
          {take.mode !== null && <span className="tag">{take.mode}</span>}
          {take.published && <span className="tag">published</span>}
        </div>
        <TakeActions take={take} />
      </header>
      <Arm take={take} />
      <div className="take-sight">
        <Card title="Thesis">
          {thesis === null ? (
            <p className="faint">Made from a {plain(take.origin)}, without words.</p>
          ) : (
            <ReadThesis thesis={thesis} reading={reading} />
          )}
          <InWords reading={reading} />
        </Card>
        <Card title="Policy">
          <Policy take={take} />
          <p>
            <Instrument of={instrument}>Open the chart of {symbol}</Instrument>
          </p>
        </Card>
      </div>
      <section className="card claims stack" aria-label="Lineage of this Take">
        <h2>Lineage</h2>
        <Lineage take={take} />
      </section>
      <h2>Evaluations</h2>
      <Evaluations id={id} />
      <div className="two-columns">
        <Card title="Steps">
          <Steps id={id} />
          <p>
            <a href={`#/actors/${id}`}>State chart and time travel</a>
          </p>
        </Card>
        <section className="card claims stack" aria-label="Wallets">
          <h2>Delegated wallets</h2>
          <Delegations trader={{ takeId: id }} />
        </section>
      </div>
    </>
  );
}

function Policy({ take }: { readonly take: Take }) {
  const sides = [
    ['Buys when', take.conditions.entry],
    ['Sells when', take.conditions.exit],
  ] as const;
  return (
    <>
      {sides.map(([title, conditions]) => (
        <div key={title}>
          <h3>{title}</h3>
          {conditions.length === 0 ? <p className="faint">nothing</p> : null}
          <ul>
            {conditions.map((condition) => (
              <li key={JSON.stringify(condition)}>{conditionSentence(condition)}</li>
            ))}
          </ul>
        </div>
      ))}
      <FigureList
        look="facts left"
        lines={[
          ['Allocation', <Money usd={take.allocationUsd} />],
          ['Max slippage', `${take.maxSlippageBps} bps`],
          ['Bars', take.timeframe],
          ['Expires', <At at={take.expiresAt} />],
          ['To confirm before arming', take.open.length === 0 ? 'nothing' : take.open.map(forPeople).join('; ')],
          ['Hash', <Address address={take.hash} />],
        ]}
      />
    </>
  );
}

function Evaluations({ id }: { readonly id: string }) {
  const [open, setOpen] = useState<string | null>(null);
  const decisions = useList(['take-decisions', id], (page, options) => api.listTakeDecisions({ ...page, id }, options), {
    everyMs: EVALUATED_EVERY_MS,
  });
  const opened = decisions.data?.pages.flatMap(({ items }) => items).find((one) => one.id === open);
  return (
    <>
      <List
        list={decisions}
        label="Evaluations, newest first"
        empty="No evaluations yet. An armed Take is evaluated every 30 seconds."
        keyOf={(decision) => decision.id}
        columns={[
          ...decisionColumns<TakeDecision>(({ at }) => at, open, setOpen),
          { title: 'Reason', isText: true, text: ({ reason, risk }) => plain(risk?.rejections[0]?.code ?? reason ?? '') },
        ]}
      />
      {opened !== undefined && <Explained key={opened.id} decision={opened} close={() => setOpen(null)} />}
    </>
  );
}

function Explained({ decision: { id, takeId, at }, close }: { readonly decision: TakeDecision; readonly close: () => void }) {
  const explained = useRead(['explained-take', id], (call) => api.explainTakeDecision({ id: takeId, decisionId: id }, call), {
    staleTime: Infinity,
  });
  return (
    <section className="card claims stack" aria-label="Evaluation explained">
      <div className="page-head">
        <h2>Evaluation of {dayAndTime(at)}</h2>
        <span className="space" />
        <Button size="compact-xs" variant="default" onClick={close}>
          Close
        </Button>
      </div>
      <Loaded query={explained}>
        {({ summary, why, instruments, missing }) => (
          <>
            <p>{forPeople(summary)}</p>
            <ul className="dotted">{renderItems([...why, ...missing].map(forPeople))}</ul>
            {instruments.map(({ instrument, seen, entry, exit }) => (
              <div key={instrument}>
                <p className="faint">{forPeople(seen)}</p>
                <ul>
                  {[...entry, ...exit].map(({ sentence, passed }) => (
                    <li key={sentence}>
                      <span className={passed ? 'up' : 'down'} role="img" aria-label={passed ? 'passed' : 'failed'}>
                        {passed ? '✓' : '✗'}
                      </span>{' '}
                      {forPeople(sentence)}
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

const Steps = ({ id }: { readonly id: string }) => (
  <List
    list={useList(['take-history', id], (page, options) => api.listTakeHistory({ ...page, id }, options))}
    label="Steps, newest first"
    empty="No steps yet."
    keyOf={({ version }) => String(version)}
    columns={[
      { title: 'Step', at: ({ at }) => at },
      { title: 'Event', isText: true, text: ({ event }) => eventWord((event as { readonly type: string }).type) },
      { title: 'State after', isText: true, text: ({ to }) => stateText(to as Parameters<typeof stateText>[0]) },
    ]}
  />
);
