/** Chart of the bonding curve: price over fill, and the present fill. */
import type { LaunchPreview } from '../../../clients/typescript/src/index.ts';
import { percentText, quoteText } from '../../words.js';

interface CurveProps {
  readonly preview: Pick<LaunchPreview, 'startingPrice' | 'ladder' | 'quote'>;
  /** State of the curve, or null if the launch is not on the chain. */
  readonly now: { readonly fillPct: string; readonly price: string } | null;
  readonly symbol: string;
}

const [WIDTH, HEIGHT, SIDE, TOP, BOTTOM] = [640, 260, 16, 34, 34];

/** Draws the curve. Numbers are for drawing only. */
export function Curve({ preview, now, symbol }: CurveProps) {
  const quoteSymbol = preview.quote.symbol;
  const ladder = [{ fillPct: 0, price: preview.startingPrice }, ...preview.ladder];
  const highest = Number(ladder.at(-1)?.price ?? 1);
  const x = (fillPct: number) => SIDE + ((WIDTH - 2 * SIDE) * fillPct) / 100;
  const y = (price: number) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * price) / highest;
  const toPoint = ({ fillPct, price }: { readonly fillPct: number; readonly price: number | string }) =>
    `${x(fillPct).toFixed(1)},${y(Number(price)).toFixed(1)}`;
  const filled = { fillPct: Number(now?.fillPct ?? 0), price: Number(now?.price ?? ladder[0]?.price ?? 0) };
  const passed = ladder.filter(({ fillPct }) => fillPct < filled.fillPct);
  const [first, last] = [ladder[0]?.price ?? '0', ladder.at(-1)?.price ?? '0'];
  const words = `Bonding curve of ${symbol}: ${now === null ? 'not on the chain yet' : `${percentText(now.fillPct)} full at ${quoteText(now.price)} ${quoteSymbol}`}`;
  return (
    <figure className="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <polygon className="curve-whole" points={`${x(0)},${y(0)} ${ladder.map(toPoint).join(' ')} ${x(100)},${y(0)}`} />
        <polygon
          className="curve-filled"
          points={[`${x(0)},${y(0)}`, ...passed.map(toPoint), toPoint(filled), `${x(filled.fillPct).toFixed(1)},${y(0)}`].join(' ')}
        />
        <polyline className="curve-line" points={ladder.map(toPoint).join(' ')} />
        <line className="curve-mark" x1={x(filled.fillPct)} x2={x(filled.fillPct)} y1={y(0)} y2={y(filled.price)} />
        <circle className="curve-mark" cx={x(filled.fillPct)} cy={y(filled.price)} r={5} data-fill={now?.fillPct ?? '0'} />
        <text x={SIDE} y={HEIGHT - 12}>
          start at {quoteText(first)} {quoteSymbol}
        </text>
        <text x={WIDTH - SIDE} y={HEIGHT - 12} textAnchor="end">
          graduation at {quoteText(last)} {quoteSymbol}
        </text>
      </svg>
      <figcaption className="faint">{words}</figcaption>
    </figure>
  );
}
