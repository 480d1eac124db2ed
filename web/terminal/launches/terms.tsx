/** Charts of a curve's terms: fee over time, fee recipients, supply distribution, and vesting. */
import type { LaunchPreview } from '../../../clients/typescript/src/index.ts';
import { priceText, quoteText } from '../../words.js';
import { compactText, Money } from '../kit/numbers.tsx';
import { FigureList } from '../kit/lists.tsx';

const DAY_SECONDS = 86_400;
const [WIDTH, HEIGHT] = [260, 64];

/** `90 s`, `10 min`, `180 d`. */
function lengthText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * DAY_SECONDS ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / DAY_SECONDS)} d`;
}

export function Terms({ preview }: { readonly preview: LaunchPreview }) {
  const { quote, startingPrice, graduationPrice, graduationThreshold, graduationFdv, dollars, successorPool } = preview;
  const lines: readonly (readonly [string, React.ReactNode])[] = [
    ['Starting price', `${quoteText(startingPrice)} ${quote.symbol}`],
    ['Graduation price', `${quoteText(graduationPrice)} ${quote.symbol}`],
    ['It graduates when it holds', `${priceText(graduationThreshold)} ${quote.symbol}`],
    ['In dollars', <Money key="dollars" usd={dollars.graduationThreshold} />],
    ['Worth at graduation', `${quoteText(graduationFdv)} ${quote.symbol}`],
    ['Pool after graduation', `${successorPool.feeBps} bps fee, ${successorPool.lockedPct} % locked`],
  ];
  return (
    <div className="stack">
      {quote.refusedBecause !== null && (
        <p className="refusal" role="alert">
          {quote.symbol} cannot be the quote token: {quote.refusedBecause}
        </p>
      )}
      <FigureList lines={lines} />
      <div className="two-columns">
        <Fees preview={preview} />
        <Supply preview={preview} />
      </div>
    </div>
  );
}

/** Trading fee over time. It falls after the launch, so that early sniping bots gain nothing. */
function Fees({ preview: { fees, feeShares } }: { readonly preview: LaunchPreview }) {
  const [first] = fees;
  const last = fees.at(-1);
  if (first === undefined || last === undefined) return null;
  const highest = Math.max(...fees.map(({ bps }) => Number(bps)), 1);
  const x = (at: number) => (last.at === 0 ? 0 : (at / last.at) * WIDTH);
  const y = (bps: number) => HEIGHT - 4 - (bps / highest) * (HEIGHT - 12);
  const words = `Trading fee: ${Math.round(Number(first.bps))} bps at launch, ${Math.round(Number(last.bps))} bps after ${lengthText(last.at)}`;
  const shares = [
    ['creator', feeShares.creatorPct],
    ['partner', feeShares.partnerPct],
    // The referral share is paid from the protocol's.
    ['protocol', feeShares.protocolPct],
  ] as const;
  return (
    <figure className="term" aria-label="Fee schedule">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        <polyline points={fees.map(({ at, bps }) => `${x(at).toFixed(1)},${y(Number(bps)).toFixed(1)}`).join(' ')} />
      </svg>
      <figcaption>
        {words}
        <Shares label="Shares of the fee" of={shares} />
      </figcaption>
    </figure>
  );
}

function Supply({ preview: { supply, vesting } }: { readonly preview: LaunchPreview }) {
  const total = Number(supply.total) || 1;
  const shares = [
    ['on the curve', String((Number(supply.onCurve) / total) * 100)],
    ['pool after graduation', String((Number(supply.successorPool) / total) * 100)],
    ['vested', String((Number(supply.vesting) / total) * 100)],
  ] as const;
  return (
    <figure className="term" aria-label="Supply">
      <figcaption>
        {compactText(supply.total)} tokens
        <Shares label="Where the supply goes" of={shares} />
        {vesting === null ? (
          <p>Nothing is vested.</p>
        ) : (
          <p>
            {vesting.supplyPct} % of the supply is locked after graduation: {compactText(vesting.cliff)} at once, then{' '}
            {compactText(vesting.perPeriod)} every {lengthText(vesting.periodSeconds)}, over {lengthText(vesting.durationSeconds)}.
          </p>
        )}
      </figcaption>
    </figure>
  );
}

function Shares({ label, of }: { readonly label: string; readonly of: readonly (readonly [name: string, pct: string])[] }) {
  const own = of.filter(([, pct]) => Number(pct) > 0);
  return (
    <div className="shares">
      <div className="share-bar" aria-hidden="true">
        {own.map(([name, pct], place) => (
          <i key={name} data-place={place} style={{ width: `${Number(pct)}%` }} />
        ))}
      </div>
      <ul aria-label={label}>
        {own.map(([name, pct], place) => (
          <li key={name}>
            <i data-place={place} aria-hidden="true" /> {name} <span className="num">{Number(pct).toFixed(1)} %</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
