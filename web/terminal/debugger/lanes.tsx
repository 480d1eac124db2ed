/** Timeline of an actor's steps, decisions, fills and price. A click selects the step of that time. */
import { Button } from '@mantine/core';
import { type MouseEvent, useState } from 'react';
import { dayAndTime, priceText, zoneWord } from '../../words.js';
import type { Step } from './steps.ts';
import type { EventMark } from './subject.ts';
import { renderItems } from '../kit/lists.tsx';

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Bar {
  readonly openTime: string;
  readonly close: string;
}

interface Props {
  readonly span: Span;
  readonly bars: readonly Bar[];
  readonly marks: readonly EventMark[];
  /** Loaded steps. */
  readonly steps: readonly Step[];
  /** Selected time, or null for the present. */
  readonly at: number | null;
  readonly choose: (at: number) => void;
}

const WIDTH = 1_000;
const LANE = 14;
const PRICE_HEIGHT = 34;
const HEIGHT = 3 * LANE + PRICE_HEIGHT;
/** Maximum number of marks. More would merge into one stroke. */
const MOST_STROKES = 2_000;
/** Distance from the right edge that selects the present. */
const EDGE_PX = 6;
const LANES = ['steps', 'decisions', 'fills', 'price'] as const;

const isFill = ({ kind }: EventMark): boolean => kind === 'entry' || kind === 'exit';

export function TimeLanes({ span, bars, marks, steps, at, choose }: Props) {
  const [said, setSaid] = useState<string | null>(null);
  const shown = marks.filter(isWithin(span)).sort((a, b) => a.at - b.at);
  /** Selects the next or previous decision or fill. */
  const leap = (way: 1 | -1) => {
    const now = at ?? span.to;
    const found = way > 0 ? shown.find((mark) => mark.at > now) : shown.findLast((mark) => mark.at < now);
    setSaid(found === undefined ? `No ${way > 0 ? 'later' : 'earlier'} decision or fill in this period.` : null);
    if (found !== undefined) choose(found.at);
  };
  return (
    <div className="card time-lanes">
      <div className="lane-grid">
        <ul className="lane-names faint" aria-hidden="true">
          {renderItems(LANES)}
        </ul>
        <Picture span={span} bars={bars} marks={shown} steps={steps} at={at} choose={choose} />
      </div>
      <div className="lane-foot">
        <p className="faint" role="status">
          {said ?? describeSpan(span, shown, bars)}
        </p>
        <span className="space" />
        <Button size="compact-xs" variant="default" onClick={() => leap(-1)}>
          ‹ decision or fill
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => leap(1)}>
          decision or fill ›
        </Button>
      </div>
    </div>
  );
}

const isWithin =
  ({ from, to }: Span) =>
  ({ at }: { readonly at: number }): boolean =>
    at >= from && at <= to;

/** Draws the lanes. The step slider is the keyboard's way to the same places. */
function Picture({ span, bars, marks, steps, at, choose }: Props) {
  const x = (time: number): number => (WIDTH * (time - span.from)) / Math.max(1, span.to - span.from);
  const pick = ({ clientX, currentTarget }: MouseEvent) => {
    const { left, right, width } = currentTarget.getBoundingClientRect();
    choose(clientX > right - EDGE_PX ? span.to : span.from + ((clientX - left) / width) * (span.to - span.from));
  };
  const cursor = at === null ? WIDTH : Math.min(WIDTH, Math.max(0, x(at)));
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Steps, decisions, fills and the price over time"
      onClick={pick}
    >
      {[1, 2, 3].map((lane) => (
        <line key={lane} className="lane-line" x1={0} x2={WIDTH} y1={lane * LANE} y2={lane * LANE} />
      ))}
      <path className="lane-price" d={drawPath(bars, x)} />
      {steps
        .filter(({ at: time }) => isWithin(span)({ at: Date.parse(time) }))
        .slice(-MOST_STROKES)
        .map(({ version, at: time }) => (
          <Stroke key={version} x={x(Date.parse(time))} y1={3} y2={LANE - 2} kind="step" />
        ))}
      {marks.slice(-MOST_STROKES).map((mark) => (
        <EventStroke key={`${mark.at} ${mark.kind} ${mark.text}`} mark={mark} x={x(mark.at)} />
      ))}
      <line className="lane-cursor" x1={cursor} x2={cursor} y1={0} y2={HEIGHT} />
    </svg>
  );
}

function describeSpan({ from, to }: Span, shown: readonly EventMark[], bars: readonly Bar[]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  const prices = first === undefined || last === undefined ? '' : `, price from ${priceText(first.close)} to ${priceText(last.close)}`;
  const fills = shown.filter(isFill).length;
  return `${dayAndTime(from)} to ${dayAndTime(to)} ${zoneWord()}: ${shown.length - fills} decisions, ${fills} fills${prices}`;
}

interface StrokeProps {
  readonly x: number;
  readonly y1: number;
  readonly y2: number;
  readonly kind: string;
  readonly title?: string;
}

const Stroke = ({ x, y1, y2, kind, title }: StrokeProps) => (
  <line className={`lane-stroke lane-${kind}`} x1={x} x2={x} y1={y1} y2={y2}>
    {title !== undefined && <title>{title}</title>}
  </line>
);

/** Draws an event. Purchases are in the upper half of their lane, sales in the lower. */
function EventStroke({ mark: { at, kind, text }, x }: { readonly mark: EventMark; readonly x: number }) {
  const title = `${text}, ${dayAndTime(at)}`;
  if (kind === 'entry') return <Stroke x={x} y1={2 * LANE + 1} y2={2.6 * LANE} kind={kind} title={title} />;
  if (kind === 'exit') return <Stroke x={x} y1={2.4 * LANE} y2={3 * LANE - 1} kind={kind} title={title} />;
  return <Stroke x={x} y1={LANE + 3} y2={2 * LANE - 2} kind={kind} title={title} />;
}

/** Returns the path of the closes in the lowest lane, for drawing only. */
function drawPath(bars: readonly Bar[], x: (at: number) => number): string {
  const closes = bars.map(({ close }) => Number(close));
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const y = (close: number): number => 3 * LANE + 4 + (PRICE_HEIGHT - 8) * (high === low ? 0.5 : (high - close) / (high - low));
  return bars
    .map(({ openTime, close }, index) => `${index === 0 ? 'M' : 'L'}${x(Date.parse(openTime)).toFixed(1)} ${y(Number(close)).toFixed(1)}`)
    .join('');
}
