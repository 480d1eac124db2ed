/** Decisions of an agent: a long table with filters, and the details of one. */
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { age, dayAndTime, flagWords, forPeople, plain, readSymbol, valueText } from '../../words.js';
import { api, type Decision, useRead } from '../api.ts';
import type { Column } from '../kit/columns.tsx';
import { Loaded, NotRead, renderItems } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useView, Views } from '../kit/views.tsx';
import { useDecisions } from './data.ts';
import { decisionColumns, Disposition } from './state.tsx';
import { Mark } from './mark.tsx';
import { Rejections } from '../kit/refusal.tsx';

const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'acted', label: 'Entries and exits' },
  { value: 'blocked', label: 'Blocked' },
];
type Filter = 'all' | 'acted' | 'blocked';

const KEPT: Readonly<Record<Filter, (decision: Decision) => boolean>> = {
  all: () => true,
  acted: ({ disposition }) => disposition === 'propose_entry' || disposition === 'propose_exit',
  blocked: ({ disposition }) => disposition === 'blocked_by_risk',
};

export function Decisions({ agentId }: { readonly agentId: string }) {
  const view = useView('decisions', { filter: 'all' }, { filter: Object.keys(KEPT) });
  const filter = view.values.filter as Filter;
  const [open, setOpen] = useState<string | null>(null);
  const decisions = useDecisions(agentId);
  const { data, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = decisions;
  const all = (data?.pages ?? []).flatMap(({ items }) => items);
  const shown = all.filter(KEPT[filter]);
  const columns = buildColumns(open, setOpen);
  const opened = all.find(({ id }) => id === open);
  return (
    <div className="decisions">
      <div className="part-head">
        <Filters filter={filter} setFilter={(value) => view.set({ filter: value })} shown={shown.length} all={all} />
        <span className="space" />
        <Views view={view} titles={columns.map(({ title }) => title)} />
        {hasNextPage && (
          <Button size="compact-xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Look further back
          </Button>
        )}
      </div>
      <NotRead query={decisions} />
      {isPending && <p className="empty">Reading…</p>}
      {data !== undefined && all.length === 0 && (
        <p className="empty">No decisions yet. A running agent decides once a minute, and each decision appears here.</p>
      )}
      {all.length > 0 && shown.length === 0 && (
        <p className="empty">None of these {all.length} decisions. Look further back, or show all.</p>
      )}
      <div className="decisions-body" data-open={opened !== undefined}>
        {shown.length > 0 && (
          <Table
            label="Decisions, newest first"
            area="virtual"
            isSearched={false}
            view={view}
            rows={shown}
            columns={columns}
            keyOf={({ id }) => id}
            attributesOf={({ id }) => ({ 'data-decision': id, 'data-chosen': id === open })}
            onEnd={filter === 'all' && hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          />
        )}
        {opened !== undefined && <Explained key={opened.id} decision={opened} close={() => setOpen(null)} />}
      </div>
    </div>
  );
}

interface FiltersProps {
  readonly filter: Filter;
  readonly setFilter: (filter: Filter) => void;
  /** Number of decisions that pass the filter. */
  readonly shown: number;
  readonly all: readonly Decision[];
}

function Filters({ filter, setFilter, shown, all }: FiltersProps) {
  const oldest = all.at(-1);
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Decisions shown"
        data={FILTERS}
        value={filter}
        onChange={(value) => setFilter(value as Filter)}
      />
      {oldest !== undefined && (
        <span className="faint">
          {shown} of {all.length} decisions back to {dayAndTime(oldest.slot)}
        </span>
      )}
    </>
  );
}

const findWhy = ({ risk, reason }: Decision): string | null => risk?.rejections[0]?.code ?? reason;

function buildColumns(open: string | null, setOpen: (id: string | null) => void): readonly Column<Decision>[] {
  const [time, outcome, entry, exit] = decisionColumns<Decision>(({ slot }) => slot, open, setOpen);
  const instrument: Column<Decision> = {
    title: 'Instrument',
    isText: true,
    text: ({ instrument: key }) => (key === null ? '' : readSymbol(key)),
  };
  const reason: Column<Decision> = { title: 'Reason', isText: true, isFaint: true, text: (decision) => plain(findWhy(decision) ?? '') };
  return [time, outcome, instrument, entry, exit, reason];
}

/** One decision: summary, each rule with its observed values, the market at that time, and the risk rejections. */
function Explained({ decision, close }: { readonly decision: Decision; readonly close: () => void }) {
  const { id, agentId, slot, disposition, risk, hash } = decision;
  const explained = useRead(['explained', id], (call) => api.explainDecision({ id: agentId, decisionId: id }, call), {
    staleTime: Infinity,
  });
  return (
    <aside className="explained" aria-label="Decision explained">
      <div className="part-head">
        <strong>
          <Disposition of={disposition} /> at <span className="num">{dayAndTime(slot)}</span>
        </strong>
        <span className="space" />
        <Button size="compact-xs" variant="default" onClick={close}>
          Close
        </Button>
      </div>
      <div aria-live="polite">
        <Loaded query={explained}>
          {({ summary, why }) => (
            <>
              <p>{forPeople(summary)}</p>
              <ul>{renderItems(why.map(forPeople))}</ul>
            </>
          )}
        </Loaded>
      </div>
      <Rejections of={risk?.rejections} />
      <RuleTable decision={decision} />
      <Known decision={decision} />
      <p className="faint">
        Record <code title={hash}>{hash.slice(0, 12)}</code> · <a href={`#/actors/${agentId}/@${slot}`}>Travel to this moment</a>
      </p>
    </aside>
  );
}

const RuleTable = ({ decision: { rules } }: { readonly decision: Decision }) =>
  rules.length === 0 ? null : (
    <Table
      label="Rules with observed values"
      rows={rules.map((rule, place) => ({ ...rule, place }))}
      keyOf={({ place, type }) => `${place} ${type}`}
      columns={[
        {
          title: 'Rule',
          value: ({ side, type }) => `${side} ${plain(type)}`,
          cell: ({ passed, side, type }) => (
            <>
              <Mark passed={passed} words={['passed', 'failed']} /> <span className="faint">{side}</span> {plain(type)}
            </>
          ),
        },
        { title: 'Instrument', isText: true, text: ({ instrument }) => readSymbol(instrument) },
        {
          title: 'Observed',
          text: ({ observed, unknown }) =>
            unknown === undefined ? valueText(observed) : `${plain(unknown.input)} ${plain(unknown.cause)}`,
        },
        { title: 'Required', text: ({ threshold }) => valueText(threshold) },
      ]}
    />
  );

const Known = ({ decision: { observed } }: { readonly decision: Decision }) => (
  <Table
    label="Market data at the decision"
    rows={Object.entries(observed)}
    keyOf={([key]) => key}
    columns={[
      { title: 'Market', text: ([key]) => readSymbol(key) },
      { title: 'Bid', quote: ([, { quote }]) => quote?.bid },
      { title: 'Ask', quote: ([, { quote }]) => quote?.ask },
      { title: 'Reference', quote: ([, { reference }]) => reference?.referencePrice },
      { title: 'Age', text: ([, { quote }]) => (quote === null ? '–' : age(quote.ageMs)) },
      {
        title: 'Quality',
        isText: true,
        text: ([, { quote }]) => `${quote?.quality ?? 'unknown'} ${(quote?.flags ?? []).map((flag) => flagWords(flag).word).join(', ')}`,
      },
    ]}
  />
);
