/** Steps of an actor, newest first. Only visible rows are read. */
import { clockTime, countText, dayAndTime, eventWord, plain, stateText } from '../../words.js';
import type { Column } from '../kit/columns.tsx';
import { Rows } from '../kit/table.tsx';
import type { StateValue } from './layout.ts';
import type { Step } from './steps.ts';
import type { Place, Travel } from './travel.ts';

const ROW_PX = 40;

export function History({ travel, place: { version: shown, last } }: { readonly travel: Travel; readonly place: Place }) {
  const columns: readonly Column<number>[] = [
    { title: 'Step', cell: (version) => <span className="num">{countText(version)}</span> },
    { title: 'Event and change', isText: true, cell: (version) => <Change version={version} travel={travel} /> },
    { title: 'Time', cell: (version) => <Time step={travel.cache.at(version)} /> },
  ];
  return (
    <Rows
      label="Steps, newest first"
      area="virtual history"
      columns={columns}
      count={last}
      rowAt={(place) => last - place}
      keyOf={String}
      rowPx={ROW_PX}
      shown={last - shown}
      onRows={(from, to) => travel.cache.want(last - to + 1, last - from)}
      attributesOf={(version) => ({
        'data-step': version,
        'aria-current': version === shown ? 'step' : undefined,
        onClick: () => travel.look(version),
      })}
    />
  );
}

function Change({ version, travel }: { readonly version: number; readonly travel: Travel }) {
  const step = travel.cache.at(version);
  const [what, why] = step === null ? ['…', ''] : step === undefined ? missing(travel) : [eventWord(step.event.type), changeText(step)];
  return (
    <span className="two-lines">
      <button type="button" className="plain" onClick={() => travel.look(version)}>
        {what}
      </button>
      <small>{why}</small>
    </span>
  );
}

const Time = ({ step }: { readonly step: Step | null | undefined }) =>
  step && (
    <span className="faint" title={[dayAndTime(step.at), step.cause].filter(Boolean).join(', ')}>
      {clockTime(step.at)}
    </span>
  );

/** Explains a version without a step. */
const missing = ({ cache: { archived } }: Travel): readonly [what: string, why: string] =>
  archived === null ? ['quarantined or released', 'not a step'] : [`archived on ${archived.at.slice(0, 10)}`, `in file ${archived.file}`];

const changeText = ({ from, to }: Step): string => (from === null ? stateText(to) : changed(from, to));

/** Describes what a step changed, region by region: `duty active → paused`. */
export function changed(from: StateValue, to: StateValue): string {
  if (typeof from === 'string' || typeof to === 'string') return `${stateText(from)} → ${stateText(to)}`;
  const moved = Object.keys(to).filter((region) => JSON.stringify(from[region]) !== JSON.stringify(to[region]));
  if (moved.length === 0) return 'stays';
  return moved.map((region) => `${plain(region)} ${stateText(from[region] ?? '')} → ${stateText(to[region] ?? '')}`).join(', ');
}
