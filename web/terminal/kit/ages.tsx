/** Ages, countdowns and progress of long work, updated without new reads. */
import { Progress } from '@mantine/core';
import { age, dayAndTime, priceText, remaining } from '../../words.js';
import { feed } from '../market.ts';
import { useTicking } from './store.ts';

/** `12 s ago`, by the service's clock. */
export function Ago({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  useTicking();
  if (at === null || at === undefined) return <span className="faint">{none}</span>;
  return (
    <time className="num" dateTime={at} title={dayAndTime(at)}>
      {age(feed.now() - Date.parse(at))} ago
    </time>
  );
}

/** `in 12 s`, or `now` once it is due. */
export function Until({ at }: { readonly at: string }) {
  useTicking();
  const left = Date.parse(at) - feed.now();
  return (
    <time className="num" dateTime={at} title={dayAndTime(at)}>
      {left > 0 ? `in ${age(left)}` : 'now'}
    </time>
  );
}

/** Time in the chosen zone. */
export function At({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  if (at === null || at === undefined) return <span className="faint">{none}</span>;
  return (
    <time className="num" dateTime={at}>
      {dayAndTime(at)}
    </time>
  );
}

export interface Work {
  readonly state: 'running' | 'silent' | 'done' | 'failed';
  readonly seenAt: string;
  readonly error: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly unit: string } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: { readonly detail: string } | null;
}

/** Finished share of the work, or null if unknown. */
const computePart = ({ progress }: Pick<Work, 'progress'>): number | null =>
  progress === null || progress.total === 0 ? null : Math.min(100, (progress.done / progress.total) * 100);

/** Progress, remaining time and cause of a wait, or the reason of the end. */
export function WorkState({ work, name }: { readonly work: Work; readonly name: string }) {
  const { state, seenAt, error, progress, remainingMs, waitingFor } = work;
  const part = computePart(work);
  if (state === 'failed') return <span className="down long">Failed{error === null ? '' : `: ${error}`}</span>;
  if (state === 'done') return <span className="up">Done</span>;
  return (
    <span className="work">
      {part !== null && (
        <Progress value={part} size={5} color={state === 'silent' ? 'yellow' : 'blue'} aria-label={`Progress of ${name}`} />
      )}
      <span className="num">
        {state === 'silent' && <strong className="warn">Stopped, last sign {dayAndTime(seenAt)} </strong>}
        {progress !== null && `${priceText(String(progress.done))} of ${priceText(String(progress.total))} ${progress.unit}`}
        {progress === null && state === 'running' && 'Running'}
        {remainingMs !== null && `, ${remaining(remainingMs)} left`}
      </span>
      {waitingFor !== null && <span className="faint long">waits: {waitingFor.detail}</span>}
    </span>
  );
}
