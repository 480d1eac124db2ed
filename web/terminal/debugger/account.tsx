/** Details of one step: its event, the guards with their inputs, the changes, and the effects. */
import { useDebouncedValue } from '@mantine/hooks';
import { Fragment, type ReactNode, useState } from 'react';
import { dayAndTime, eventWord, plain, zoneWord } from '../../words.js';
import { api, useRead, type ActorBranch, type StepAccount } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';

/** Delay in milliseconds before a step is read, so that scrubbing reads nothing. */
const SETTLED_MS = 120;
type Changes = StepAccount['changes'];

/** Reads the details of the chosen step after a short delay. */
export function useAccount(id: string, version: number) {
  const [settled] = useDebouncedValue(version, SETTLED_MS);
  const query = useRead(['step', id, settled], (call) => api.getActorStep({ id, version: String(settled) }, call), {
    enabled: settled > 0,
    staleTime: 30_000,
  });
  return { ...query, isOf: settled === version };
}

export function Account({ account, error }: { readonly account: StepAccount | undefined; readonly error: unknown }) {
  if (account === undefined) return error === null ? <p className="empty">Reading…</p> : <Refusal error={error} />;
  const { event, guards, changes, timers, activities, records, announcements, context, version } = account;
  const { type, ...fields } = event;
  return (
    <div className="account" data-account={version}>
      <Part title="Event" none="">
        <p key="type">
          <strong>{eventWord(String(type))}</strong>
        </p>
        <Fields key="fields" of={fields} />
      </Part>
      <Part title="Guards" none="No guards.">
        {guards.map((guard, place) => (
          <Guard key={`${place} ${guard.guard}`} guard={guard} />
        ))}
      </Part>
      <Part title="Changed" none="No changes.">
        {changes.length === 0 ? [] : <ChangeTable changes={changes} />}
      </Part>
      <Part title="Timers" none="No timers set or cleared.">
        {timers.map((timer) => (
          <p key={JSON.stringify(timer)}>{timerText(timer)}</p>
        ))}
      </Part>
      <Part title="Activities" none="No activities.">
        {activities.map((activity) => (
          <Activity key={JSON.stringify(activity.payload)} activity={activity} />
        ))}
      </Part>
      <Part title="Records" none="No records.">
        {records.map(({ type: kind, ...rest }, place) => (
          <Unfolding key={`${place} ${String(kind)}`} title={plain(String(kind))} value={rest} />
        ))}
      </Part>
      <Part title="Events published" none="No events.">
        {announcements.map(({ channel, body }, place) => (
          <Unfolding key={`${place} ${String(channel)}`} title={plain(String(channel))} value={body} />
        ))}
      </Part>
      <Unfolding title="Full context after this step" value={context} />
    </div>
  );
}

function Part({ title, none, children }: { readonly title: string; readonly none: string; readonly children: ReactNode }) {
  const isEmpty = Array.isArray(children) && children.length === 0;
  return (
    <section>
      <h2>{title}</h2>
      {isEmpty ? <p className="faint">{none}</p> : children}
    </section>
  );
}

const Guard = ({ guard: { guard, params, passed, inputs } }: { readonly guard: StepAccount['guards'][number] }) => (
  <div className="guard" data-passed={passed}>
    <p>
      <span className={passed ? 'up' : 'down'}>{passed ? '✓ yes' : '✗ no'}</span> {guard}
      {params !== null && <code> ({shortJson(params)})</code>}
    </p>
    <Fields of={Object.fromEntries(inputs.map(({ path, value }) => [path, value]))} />
  </div>
);

function Fields({ of }: { readonly of: { readonly [name: string]: unknown } }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <dl className="fields">
      {entries.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{shortJson(value)}</code>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

const ChangeTable = ({ changes }: { readonly changes: Changes }) => (
  <dl className="fields">
    {changes.map(({ path, before, after }) => (
      <Fragment key={path}>
        <dt>{path}</dt>
        <dd>
          <del>{shortJson(before)}</del>
          <span className="sr-only"> became </span> <ins>{shortJson(after)}</ins>
        </dd>
      </Fragment>
    ))}
  </dl>
);

function timerText({ op, timerId, dueAt, event }: { readonly [name: string]: unknown }): string {
  if (op === 'cancel') return `cleared ${eventWord(String(timerId))}`;
  const type = (event as { readonly type?: string } | null)?.type ?? timerId;
  return `set ${eventWord(String(type))} for ${dayAndTime(Number(dueAt))}`;
}

function Activity({ activity: { kind, payload, fate } }: { readonly activity: StepAccount['activities'][number] }) {
  const ended = fate?.endedAt == null ? '' : ` at ${dayAndTime(Date.parse(fate.endedAt))}`;
  const attempts = fate === null ? '' : `, ${fate.attempts} ${fate.attempts === 1 ? 'attempt' : 'attempts'}`;
  return (
    <div>
      <p>
        <strong>{plain(kind)}</strong>, {fate === null ? 'no longer stored' : `${plain(fate.state)}${ended}${attempts}`}
      </p>
      <Unfolding title="asked" value={payload} />
      {fate !== null && fate.answer !== null && <Unfolding title="answered" value={fate.answer} />}
    </div>
  );
}

/** A value as JSON behind its title. Most are never opened. */
function Unfolding({ title, value }: { readonly title: string; readonly value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="json" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <pre tabIndex={0} role="region" aria-label={title}>
          {JSON.stringify(value, null, 2)}
        </pre>
      )}
    </details>
  );
}

export function BranchAccount({ step }: { readonly step: ActorBranch['steps'][number] }) {
  const { taken, refusal, changes, timers, activities, records } = step;
  if (refusal !== null)
    return (
      <p className="down">
        refused, {plain(refusal.code ?? '')}: {refusal.detail ?? ''}
      </p>
    );
  if (!taken) return <p className="faint">No transition: the state does not accept this event, or a guard blocked it.</p>;
  const words = [counted(timers, 'timer change'), counted(activities, 'activity request'), counted(records, 'record')].filter(Boolean);
  return (
    <>
      {changes.length > 0 && <ChangeTable changes={changes} />}
      <p className="faint">{words.length === 0 ? 'It would have no side effects.' : `It would request ${words.join(', ')}.`}</p>
    </>
  );
}

const counted = (all: readonly unknown[], one: string): string =>
  all.length === 0 ? '' : `${all.length} ${one}${all.length === 1 ? '' : 's'}`;

/** Numbers above this are shown as times. Milliseconds since the epoch. */
const FIRST_INSTANT = Date.UTC(2015);
const LAST_INSTANT = Date.UTC(2100);
const SHORT = 160;

/** Shortens JSON of a step. Numbers of milliseconds are shown as times. */
function shortJson(value: unknown): string {
  if (typeof value === 'number' && value > FIRST_INSTANT && value < LAST_INSTANT) return `${dayAndTime(value)} ${zoneWord()}`;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
