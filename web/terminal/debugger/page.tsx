/** Debugger of one actor: its history, the chart at the chosen step, why the step was taken, prices, and what-if questions. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { barLength, TIMEFRAMES } from '../../timeframes.js';
import { countText, dayAndTime, plain, zoneWord } from '../../words.js';
import { api, ApiError, refresh, useRead, type ActorDetail } from '../api.ts';
import { isWriting } from '../kit/browser.ts';
import { Loaded } from '../kit/lists.tsx';
import { laterPart, Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { SHOWN_BARS, type Timeframe, useBars } from '../chart/bars.ts';
import { within } from '../place.ts';
import { Account, useAccount } from './account.tsx';
import { ExportTest } from './export-test.tsx';
import { History } from './history.tsx';
import type { Taken } from './layout.ts';
import { TimeLanes } from './lanes.tsx';
import { StateChart } from './state-chart.tsx';
import { findActorPage, nameActor, useTraded } from './subject.ts';
import { Transport } from './transport.tsx';
import { type Place, stepAt, Travel } from './travel.ts';
import { WhatIf } from './what-if.tsx';
import { feed } from '../market.ts';

const ActorPrice = laterPart(async () => (await import('../charts.tsx')).ActorPrice);

export function DebuggerPage() {
  const [id = '', version = ''] = useStore(within).split('/');
  return <Debugger key={id} id={id} wanted={version} />;
}

/** @param props.wanted A version, `@` and a time, or empty for the newest step. */
function Debugger({ id, wanted }: { readonly id: string; readonly wanted: string }) {
  const [travel] = useState(() => new Travel(id));
  const place = useSyncExternalStore(travel.subscribe, travel.get);
  const read = useRead(['actor', id], (call) => api.getActor({ id }, call));
  const { data: actor, error } = read;
  useEffect(() => travel.follow(() => refresh('actor')), [travel]);
  useEffect(() => {
    if (actor !== undefined) travel.reach(actor.version);
  }, [actor, travel]);
  const isRead = actor !== undefined;
  useEffect(() => {
    if (!isRead || wanted === '') return;
    if (wanted.startsWith('@')) void travel.lookAt(Date.parse(decodeURIComponent(wanted.slice(1))));
    else travel.look(Number(wanted) || 1);
  }, [isRead, wanted, travel]);
  if (actor !== undefined) return <Past actor={actor} travel={travel} place={place} />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <div className="page">
        <h1>Actor not found</h1>
        <p className="faint">
          It may belong to another organization. <a href="#/runtime">All actors</a>
        </p>
      </div>
    );
  return (
    <div className="page">
      <Loaded query={read} />
    </div>
  );
}

function Past({ actor, travel, place }: { readonly actor: ActorDetail; readonly travel: Travel; readonly place: Place }) {
  const steps = useMemo(() => travel.cache.known(), [travel, place.revision]);
  const traded = useTraded(actor, steps);
  const timeframe = timeframeFor(actor);
  const { data: bars = [] } = useBars(traded.key, timeframe);
  const [branch, setBranch] = useState<Taken | null>(null);
  const step = stepAt(travel, place);
  const at = place.isNewest ? null : (place.pointedAt ?? (step ? Date.parse(step.at) : null));
  return (
    <div className="debugger" data-version={place.version}>
      <Head actor={actor} />
      <Transport travel={travel} place={place} moment={describeMoment(travel, place)} />
      <TimeLanes span={computeSpan(actor, bars, timeframe)} bars={bars} marks={traded.marks} steps={steps} at={at} choose={travel.lookAt} />
      <Refusal error={place.error} />
      <div className="debugger-body">
        <section className="card debugger-history" aria-label="History">
          <History travel={travel} place={place} />
        </section>
        <section className="debugger-sight" aria-label="Chart">
          <div className="card debugger-chart" data-past={!place.isNewest} data-branch={branch !== null}>
            {step ? (
              <StateChart
                machine={step.machine}
                value={(branch ?? step).to}
                taken={branch ?? { from: step.from, to: step.to, event: step.event.type }}
                isLive={place.isNewest || branch !== null}
                label="State chart at this step"
              />
            ) : (
              <p className="empty">{step === null ? 'Reading…' : 'No step led to this version: the actor was quarantined or released.'}</p>
            )}
          </div>
          {traded.key !== null && (
            <div className="card debugger-price">
              <Suspense fallback={<div className="chart-place" />}>
                <ActorPrice traded={{ ...traded, key: traded.key }} timeframe={timeframe} at={at} />
              </Suspense>
            </div>
          )}
        </section>
        <Side actor={actor} version={place.version} light={setBranch} />
      </div>
    </div>
  );
}

function Head({ actor }: { readonly actor: ActorDetail }) {
  const address = findActorPage(actor);
  return (
    <header className="debugger-head">
      <a href="#/runtime">← Actors</a>
      <h1>{nameActor(actor)}</h1>
      <span className="faint">{actor.machine}</span>
      <span className={actor.status === 'quarantined' ? 'down' : actor.status === 'running' ? 'up' : 'faint'}>{plain(actor.status)}</span>
      <code className="faint" title={actor.id}>
        {actor.id.slice(-12)}
      </code>
      {address !== null && <a href={address}>its page</a>}
    </header>
  );
}

const SIDES = [
  { value: 'step', label: 'Step' },
  { value: 'what-if', label: 'What if' },
  { value: 'export', label: 'Export' },
];

interface SideProps {
  readonly actor: ActorDetail;
  readonly version: number;
  readonly light: (taken: Taken | null) => void;
}

/** Details of the step, what-if questions, and the exported test. */
function Side({ actor: { id }, version, light }: SideProps) {
  const [side, setSide] = useState('step');
  const { data: account, error, isOf } = useAccount(id, version);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== 'w' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      event.preventDefault();
      setSide('what-if');
      setTimeout(() => document.getElementById('what-if-event')?.focus(), 30);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  const content: Record<string, ReactNode> = {
    step: <Account account={account} error={error} />,
    'what-if': <WhatIf key={version} id={id} version={version} takes={isOf ? (account?.takes ?? []) : []} light={light} />,
    export: <ExportTest key={version} id={id} version={version} />,
  };
  return (
    <section className="card debugger-side" aria-label="Step details">
      <SegmentedControl fullWidth size="xs" aria-label="Step details" data={SIDES} value={side} onChange={setSide} />
      <div className="debugger-details" tabIndex={0} role="region" aria-label="Details">
        {content[side]}
      </div>
    </section>
  );
}

/** Describes the selected step: its number, its time, and the member or program that caused it. */
function describeMoment(travel: Travel, place: Place): string {
  const step = stepAt(travel, place);
  const words = `step ${countText(place.version)} of ${countText(place.last)}`;
  if (step === undefined) return `${words}: quarantined or released`;
  if (step === null) return words;
  // The request id at the end of a cause is for logs.
  const by = step.cause === null ? '' : `, by ${step.cause.replace(/ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')}`;
  return `${words}, ${dayAndTime(step.at)} ${zoneWord()}${by}`;
}

/** Returns the shortest timeframe that covers the actor's life in one chart. */
function timeframeFor({ createdAt }: ActorDetail): Timeframe {
  const lived = feed.now() - Date.parse(createdAt);
  return TIMEFRAMES.slice(1).find(([, ms]) => ms * SHOWN_BARS >= lived)?.[0] ?? '24h';
}

/** Returns the period from the first bar, or the actor's start, to its last change. */
function computeSpan({ createdAt, changedAt }: ActorDetail, bars: readonly { readonly openTime: string }[], timeframe: Timeframe) {
  const begun = Date.parse(createdAt);
  const changed = Math.max(Date.parse(changedAt), begun + 1_000);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return { from: begun, to: changed };
  return { from: Date.parse(first.openTime), to: Math.max(Date.parse(last.openTime) + barLength(timeframe), changed) };
}
