/** Long table that renders only the visible rows, with one spacer row above and one below. */
import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Number of rows rendered beyond the edges, so that scrolling shows no gap. */
const BEYOND = 8;
/** Height of the sticky head. */
const HEAD_PX = 26;

interface VirtualTableProps {
  readonly label: string;
  readonly head: ReactNode;
  readonly columns: number;
  /** Height of each row in pixels. */
  readonly rowPx: number;
  readonly count: number;
  readonly row: (index: number) => ReactNode;
  /** Row to scroll into view when it changes. */
  readonly shown?: number;
  /** Receives the rendered range, `to` excluded. */
  readonly onRows?: (from: number, to: number) => void;
  /** Runs when the last rows come into sight. */
  readonly onEnd?: (() => void) | undefined;
  readonly className?: string;
  /** Numbers of the columns that are not shown, from 1. */
  readonly hidden?: string | undefined;
}

export function VirtualTable({ label, head, columns, rowPx, count, shown, row, onRows, onEnd, hidden, className = '' }: VirtualTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [{ top, height }, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const from = Math.max(0, Math.min(count, Math.floor(top / rowPx)) - BEYOND);
  const to = Math.min(count, Math.ceil((top + height) / rowPx) + BEYOND);
  useEffect(() => {
    if (to > from) onRows?.(from, to);
    // A changed callback alone must not run this again.
  }, [from, to]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || shown === undefined) return;
    const [rowTop, sight] = [shown * rowPx, element.clientHeight - HEAD_PX];
    if (rowTop < element.scrollTop || rowTop + rowPx > element.scrollTop + sight) element.scrollTop = rowTop - (sight - rowPx) / 2;
  }, [shown, rowPx, count]);
  useEffect(() => {
    if (to === count && count > 0) onEnd?.();
  }, [to, count, onEnd]);
  return (
    <div ref={scroller} className={`virtual ${className}`} tabIndex={0} role="region" aria-label={label}>
      <table className="rows wide" aria-rowcount={count + 1} data-hidden={hidden}>
        {head}
        <tbody>
          <Gap px={from * rowPx} columns={columns} />
          {Array.from({ length: to - from }, (_, place) => row(from + place))}
          <Gap px={(count - to) * rowPx} columns={columns} />
        </tbody>
      </table>
    </div>
  );
}

function Gap({ px, columns }: { readonly px: number; readonly columns: number }) {
  return px === 0 ? null : (
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );
}
