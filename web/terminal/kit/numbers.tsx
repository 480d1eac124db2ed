/** Numbers as a trader reads them: tabular digits, a sign and a colour, every digit on hover. */
import { plain } from '../../words.js';
import { useQuality } from '../market.ts';
import { findDirection, leftOut, signedMoney, signedText } from './number-texts.ts';

// A number that rounds to zero has no sign.
const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', signDisplay: 'negative' });
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1, signDisplay: 'negative' });
const PRICE = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'negative' });
const SMALL_PRICE = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 5, signDisplay: 'negative' });
const NONE = '–';

/** Passes a decimal text to `Intl`, which formats it exactly. */
const exact = (text: string) => text as Intl.StringNumericLiteral;

export const moneyText = (usd: string): string => MONEY.format(exact(usd));
/** Formats a price: two decimals, or five digits below 1. */
export const priceShown = (price: string): string => (/^-?0?(\.|$)/.test(price) ? SMALL_PRICE : PRICE).format(exact(price));
export const compactText = (amount: string): string => COMPACT.format(exact(amount));

/** Returns the spread in basis points of the ask. */
export function spreadText(bid: string | null | undefined, ask: string | null | undefined): string {
  const bps = (1 - Number(bid ?? Number.NaN) / Number(ask ?? Number.NaN)) * 10_000;
  return Number.isFinite(bps) ? `${bps.toFixed(2)} bps` : NONE;
}

export function Money({ usd }: { readonly usd: string | null | undefined }) {
  if (usd === null || usd === undefined) return <span className="faint">{NONE}</span>;
  return (
    <span className="num" title={`${usd} USD`}>
      {moneyText(usd)}
    </span>
  );
}

/** Large amount with one decimal: `$1.2B`. */
export function Large({ usd }: { readonly usd: string | null | undefined }) {
  if (usd === null || usd === undefined) return <span className="faint">{NONE}</span>;
  return <span title={`${usd} USD`}>${compactText(usd)}</span>;
}

/** Profit or loss. */
export function Gain({ usd }: { readonly usd: string | null | undefined }) {
  if (usd === null || usd === undefined) return <span className="faint">{NONE}</span>;
  const text = signedMoney(usd);
  return (
    <span className={`num ${findDirection(text)}`} title={`${usd} USD`}>
      {text}
    </span>
  );
}

/** Profit or loss of this UTC day, with the instruments that it leaves out. */
export function Today({ usd, without }: { readonly usd: string | null | undefined; readonly without: readonly string[] | undefined }) {
  const words = leftOut(without);
  if (words === '') return <Gain usd={usd} />;
  return (
    <>
      <Gain usd={usd} />{' '}
      <span className="tag" title={`Held at midnight UTC without a known price. Today’s P&L excludes them: ${without?.join(', ')}`}>
        {words}
      </span>
    </>
  );
}

/** A change in percent, with its sign. */
export function Change({ percent, title }: { readonly percent: number | null | undefined; readonly title?: string }) {
  if (percent === null || percent === undefined || !Number.isFinite(percent)) return <span className="faint">{NONE}</span>;
  const text = signedText(percent, 2);
  return (
    <span className={`num ${findDirection(text)}`} title={title}>
      {text} %
    </span>
  );
}

/** Formats a ratio or a part in percent with two decimals. */
export const ratioText = (value: number): string => PRICE.format(value);

/** Ratio, or part of a whole in percent, with every digit on hover. */
export function Ratio({ value, unit = '' }: { readonly value: number | null | undefined; readonly unit?: '' | '×' }) {
  if (value === null || value === undefined) return <span className="faint">{NONE}</span>;
  return (
    <span className="num" title={`${value}${unit}`}>
      {ratioText(value)}
      {unit}
    </span>
  );
}

export function Price({ price }: { readonly price: string | null | undefined }) {
  if (price === null || price === undefined) return <span className="faint">{NONE}</span>;
  return (
    <span className="num" title={price}>
      {priceShown(price)}
    </span>
  );
}

/** Quality of a quote as a coloured dot and a word. */
export function Quality({ row, short = false }: { readonly row: Parameters<typeof useQuality>[0]; readonly short?: boolean }) {
  const quality = useQuality(row);
  const word = quality === null ? 'no quote' : plain(quality);
  return (
    <span className={`quality quality-${quality ?? 'none'}`} title={word}>
      <span className="dot" aria-hidden="true" />
      <span className={short ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}
