/** Steps of an actor, newest first. Only visible rows are read. */
import { clockTime, countText, dayAndTime, eventWord, plain, stateText } from '../../words.js';
import { Heads } from '../kit/heads.tsx';
import { VirtualTable } from '../kit/virtual-rows.tsx';
import type { StateValue } from './layout.ts';
import type { Step } from './steps.ts';
import type { Place, Travel } from './travel.ts';

const ROW_PX = 40;

interface Props {
  readonly travel: Travel;
  readonly place: Place;
}

export function History({ travel, place: { version, last } }: Props) {
  return (
    <VirtualTable
      className="history"
      label="Steps, newest first"
      head={<Heads titles={['Step', 'Event and change', 'Time']} words={['Event and change']} />}
      columns={3}
      rowPx={ROW_PX}
      count={last}
      shown={last - version}
      onRows={(from, to) => travel.cache.want(last - to + 1, last - from)}
      row={(index) => {
        const own = last - index;
        return <Row key={own} version={own} step={travel.cache.at(own)} isShown={own === version} travel={travel} />;
      }}
    />
  );
}

interface RowProps {
  readonly version: number;
  readonly step: Step | null | undefined;
  readonly isShown: boolean;
  readonly travel: Travel;
}

function Row({ version, step, isShown, travel }: RowProps) {
  return (
    <tr data-step={version} aria-current={isShown ? 'step' : undefined} onClick={() => travel.look(version)}>
      <th scope="row" className="num">
        {countText(version)}
      </th>
      <td className="text">
        <span className="two-lines">
          <button type="button" className="plain" onClick={() => travel.look(version)}>
            {step === null ? '…' : step === undefined ? missing(travel)[0] : eventWord(step.event.type)}
          </button>
          <small>{step === null ? '' : step === undefined ? missing(travel)[1] : changeText(step)}</small>
        </span>
      </td>
      <td className="num faint" title={step ? [dayAndTime(step.at), step.cause].filter(Boolean).join(', ') : undefined}>
        {step ? clockTime(step.at) : ''}
      </td>
    </tr>
  );
}

/** Explains a version without a step. */
function missing({ cache: { archived } }: Travel): readonly [what: string, why: string] {
  return archived === null
    ? ['quarantined or released', 'not a step']
    : [`archived on ${archived.at.slice(0, 10)}`, `in file ${archived.file}`];
}

const changeText = ({ from, to }: Step): string => (from === null ? stateText(to) : changed(from, to));

/** Describes what a step changed, region by region: `duty active → paused`. */
export function changed(from: StateValue, to: StateValue): string {
  if (typeof from === 'string' || typeof to === 'string') return `${stateText(from)} → ${stateText(to)}`;
  const moved = Object.keys(to).filter((region) => JSON.stringify(from[region]) !== JSON.stringify(to[region]));
  if (moved.length === 0) return 'stays';
  return moved.map((region) => `${plain(region)} ${stateText(from[region] ?? '')} → ${stateText(to[region] ?? '')}`).join(', ');
}
