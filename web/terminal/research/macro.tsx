/** Macro data: regime, policy rates, series, and the calendar of releases. */
import { useState } from 'react';
import { age, capitalized, forPeople, plain } from '../../words.js';
import { api, useRead, type MacroIntelligence, type MacroRegime, type MacroSeries } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Segments } from '../kit/form.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Sparkline } from '../kit/sparkline.tsx';

const READ_EVERY_MS = 60_000;
const GROUPS = ['all', 'rates', 'inflation', 'labour', 'markets'] as const;
type Group = (typeof GROUPS)[number];

export function Macro() {
  const [group, setGroup] = useState<Group>('all');
  const macro = useRead(
    ['macro', group],
    (call) => api.getMacroIntelligence({ observations: 24, ...(group === 'all' ? {} : { group }) }, call),
    { refetchInterval: READ_EVERY_MS, placeholderData: (before) => before },
  );
  const regime = useRead(['regime'], (call) => api.getMacroRegime({}, call), { refetchInterval: READ_EVERY_MS });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Macro</h1>
        <Segments label="Group of series" of={GROUPS} value={group} choose={setGroup} />
      </div>
      <Loaded query={regime}>{(data) => <Regime regime={data} />}</Loaded>
      <Loaded query={macro}>
        {(data) => (
          <>
            <Rates rates={data.rates} />
            <Series series={data.series} />
            <Calendar calendar={data.calendar} />
          </>
        )}
      </Loaded>
    </div>
  );
}

const TONES: Record<MacroRegime['regime'], string> = { risk_on: 'up', neutral: '', risk_off: 'down', unknown: 'faint' };

function Regime({ regime: { regime, explanation, asOf, inputs } }: { readonly regime: MacroRegime }) {
  const missing = inputs.filter(({ state }) => state !== 'used');
  return (
    <section className="card regime" aria-label="Regime">
      <strong className={`regime-word ${TONES[regime]}`}>{plain(regime)}</strong>
      <div>
        <p>{capitalized(forPeople(explanation))}.</p>
        {missing.length > 0 && (
          <p className="warn">Not counted: {missing.map(({ name, state }) => `${plain(name)} (${plain(state)})`).join(', ')}</p>
        )}
      </div>
      <span className="faint num">
        <Ago at={asOf} />
      </span>
    </section>
  );
}

function Rates({ rates }: { readonly rates: MacroIntelligence['rates'] }) {
  const { policy, policyRate, policyChange, targetLower, targetUpper, curve, curveSlope, realPolicyRate } = rates;
  const figures: readonly (readonly [title: string, text: string | null])[] = [
    ['Policy', policy],
    ['Policy rate', percent(policyRate)],
    ['Change', percent(policyChange)],
    ['Target range', targetLower === null || targetUpper === null ? null : `${targetLower} to ${targetUpper} %`],
    ['Yield curve', curve],
    ['Slope', percent(curveSlope)],
    ['Real policy rate', percent(realPolicyRate)],
  ];
  return <FigureList lines={figures} look="card figures" />;
}

const percent = (text: string | null): string | null => (text === null ? null : `${text} %`);

/** Returns the observations, oldest first. */
const sortPoints = ({ observations }: MacroSeries) => [...observations].sort((a, b) => (a.date < b.date ? -1 : 1));

const Series = ({ series }: { readonly series: readonly MacroSeries[] }) => (
  <Table
    label="Series"
    empty="No series yet. They are read once a macro source is configured."
    rows={series}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Series',
        cell: ({ id, title }) => (
          <>
            {title} <small>{id}</small>
          </>
        ),
      },
      { title: 'Group', isText: true, text: ({ group }) => group },
      { title: 'Latest', isFigure: true, text: (one) => sortPoints(one).at(-1)?.value ?? '–' },
      { title: 'Previous', isFaint: true, text: (one) => sortPoints(one).at(-2)?.value ?? '–' },
      { title: 'Unit', isText: true, text: ({ unit }) => unit },
      {
        title: 'Trend',
        isSorted: false,
        cell: (one) => <Sparkline values={sortPoints(one).map(({ value }) => value)} label={`Trend of ${one.title}`} />,
      },
      { title: 'Date', text: (one) => sortPoints(one).at(-1)?.date ?? '–' },
      {
        title: 'Age',
        cell: ({ ageMs, tooOld }) => <span className={tooOld ? 'warn' : 'faint'}>{ageMs === null ? 'never read' : age(ageMs)}</span>,
      },
    ]}
  />
);

const IMPACT = { high: 'down', medium: 'warn', low: 'faint' } as const;

function Calendar({ calendar }: { readonly calendar: MacroIntelligence['calendar'] }) {
  if (calendar.length === 0) return null;
  return (
    <>
      <h2>Calendar of releases</h2>
      <Table
        label="Calendar of releases"
        rows={calendar}
        keyOf={({ releaseId, date }) => `${date} ${releaseId}`}
        columns={[
          { title: 'Release', text: ({ name }) => name },
          { title: 'Date', isText: true, cell: ({ date }) => <span className="num">{date}</span> },
          { title: 'Impact', isText: true, cell: ({ impact }) => <span className={IMPACT[impact]}>{impact}</span> },
          { title: 'State', isText: true, isFaint: true, text: ({ released }) => (released ? 'released' : 'expected') },
        ]}
      />
    </>
  );
}
