/** State chart with the active states and the arrow of the last step highlighted. */
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { api, useRead, type MachineLayout } from '../api.ts';
import {
  activeStates,
  arrangement,
  type Box,
  type Drawing,
  splitDrawings,
  type Edge,
  headPath,
  roundedPath,
  activeWords,
  type StateValue,
  type Taken,
  waysTaken,
} from './layout.ts';

const MARGIN = 2;
const NARROW_PX = 640;

/** Layout of a machine with its version, for example `agent@1`. Machines do not change while the service runs. */
export const useLayout = (machine: string | null) =>
  useRead(['machine-layout', machine], (call) => api.getMachineLayout({ machine: machine ?? '' }, call), {
    enabled: machine !== null,
    staleTime: Infinity,
    gcTime: Infinity,
  });

interface Props {
  readonly machine: string;
  readonly value: StateValue;
  readonly taken: Taken | null;
  /** True if a marker runs along the arrow of the transition. */
  readonly isLive: boolean;
  readonly label: string;
}

export function StateChart({ machine, value, taken, isLive, label }: Props) {
  const { data: layout, error } = useLayout(machine);
  if (layout !== undefined) return <Chart layout={layout} value={value} taken={taken} isLive={isLive} label={label} />;
  if (error === null) return <p className="empty">Drawing…</p>;
  return (
    <div className="empty">
      <p>{activeWords(value)}</p>
      <p className="faint">This version of the service cannot draw state chart {machine}.</p>
    </div>
  );
}

function Chart({ layout, value, taken, isLive, label }: Omit<Props, 'machine'> & { readonly layout: MachineLayout }) {
  const [place, size] = useSize();
  const { drawings, anytime } = useMemo(() => splitDrawings(layout), [layout]);
  const lit = useMemo(() => activeStates(value), [value]);
  const ways = useMemo(() => (taken === null ? new Set<string>() : waysTaken(layout.edges, taken)), [layout, taken]);
  const { columns, scale } = useMemo(
    () =>
      arrangement(
        drawings.map(({ frame }) => ({ width: frame.width + 2 * MARGIN, height: frame.height + 2 * MARGIN })),
        { width: size.width, height: size.height - (anytime.length > 0 ? 24 : 0) },
        size.width < NARROW_PX,
      ),
    [drawings, anytime, size],
  );
  const words = activeWords(value);
  return (
    <div ref={place} className="state-chart" role="group" tabIndex={0} aria-label={label} data-active={words} data-live={isLive}>
      <div className="state-columns">
        {size.width > 0 &&
          columns.map((items) => (
            <div key={items.join()} className="state-column">
              {items.map((index) => {
                const drawing = drawings[index] as Drawing;
                return <Region key={drawing.frame.id} drawing={drawing} scale={scale} lit={lit} ways={ways} />;
              })}
            </div>
          ))}
      </div>
      {anytime.length > 0 && (
        <p className="state-anytime faint">
          At any time:{' '}
          {anytime.map((event) => (
            <code key={event}>{event}</code>
          ))}
        </p>
      )}
      <p className="sr-only" aria-live="polite">
        {words}
      </p>
    </div>
  );
}

/** Measures an element whenever its size changes. */
function useSize() {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (place.current === null) return;
    const sizes = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    sizes.observe(place.current);
    return () => sizes.disconnect();
  }, []);
  return [place, size] as const;
}

interface RegionProps {
  readonly drawing: Drawing;
  readonly scale: number;
  readonly lit: ReadonlySet<string>;
  readonly ways: ReadonlySet<string>;
}

const Region = memo(function Region({ drawing: { frame, boxes, edges }, scale, lit, ways }: RegionProps) {
  const [width, height] = [frame.width + 2 * MARGIN, frame.height + 2 * MARGIN];
  return (
    <svg
      className="state-region"
      viewBox={`${frame.x - MARGIN} ${frame.y - MARGIN} ${width} ${height}`}
      width={Math.floor(width * scale)}
      height={Math.floor(height * scale)}
      role="img"
      aria-label={`State chart: ${frame.title}`}
    >
      {boxes.map((box) => (
        <BoxShape key={box.id} box={box} isLit={box.id !== '' && lit.has(box.id)} />
      ))}
      {edges.map((edge) => (
        <EdgeShape key={edge.id} edge={edge} isTaken={ways.has(edge.id)} />
      ))}
    </svg>
  );
});

const LEAVES: readonly Box['kind'][] = ['state', 'final', 'any'];

function BoxShape({ box, isLit }: { readonly box: Box; readonly isLit: boolean }) {
  const { id, x, y, width, height, kind, title, stays } = box;
  const centre = x + width / 2;
  const className = `box box-${kind}${isLit ? ' is-active' : ''}`;
  if (kind === 'initial')
    return (
      <g className={className} data-state={id}>
        <circle cx={centre} cy={y + height / 2} r={width / 2} />
      </g>
    );
  const isLeaf = LEAVES.includes(kind);
  const radius = kind === 'any' ? height / 2 : kind === 'state' || kind === 'final' ? 9 : 12;
  return (
    <g className={className} data-state={id}>
      <rect x={x} y={y} width={width} height={height} rx={radius} />
      {kind === 'final' && <rect x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={6} />}
      <text
        className="box-title"
        x={isLeaf ? centre : x + 14}
        y={kind === 'any' ? y + height / 2 + 4 : y + 22}
        textAnchor={isLeaf ? 'middle' : 'start'}
      >
        {title}
      </text>
      {kind !== 'machine' &&
        stays.map((event, index) => (
          <text key={event} className="box-stay" x={centre} y={y + 40 + index * 15} textAnchor="middle">
            ↺ {event}
          </text>
        ))}
    </g>
  );
}

const EdgeShape = ({ edge: { event, points, label }, isTaken }: { readonly edge: Edge; readonly isTaken: boolean }) => (
  <g className={isTaken ? 'edge is-taken' : 'edge'} data-event={event}>
    <path className="edge-line" d={roundedPath(points)} pathLength={1} />
    <path className="edge-head" d={headPath(points)} />
    {label?.lines.map((text, index) => (
      <text key={text} className="edge-label" x={label.x + label.width / 2} y={label.y + 11 + index * 15} textAnchor="middle">
        {text}
      </text>
    ))}
  </g>
);
