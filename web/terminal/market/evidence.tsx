/** Evidence of a listing, for its card and its page. */
import type { Listing } from '../../../clients/typescript/src/index.ts';
import { moneyText } from '../kit/numbers.tsx';

const GATES = 6;

export const readMetrics = ({ metrics }: Pick<Listing, 'metrics'>): { readonly [name: string]: number | null } =>
  (metrics ?? {}) as { readonly [name: string]: number | null };

export const deflatedSharpe = ({ evidence: { luck } }: Pick<Listing, 'evidence'>): number | null =>
  (luck as { readonly deflatedSharpe: number | null } | null)?.deflatedSharpe ?? null;

export const priceWords = (priceUsd: string): string => (Number(priceUsd) === 0 ? 'free' : moneyText(priceUsd));

/** Gates passed at publication, as a row of marks. */
export const Gates = ({ passed }: { readonly passed: number }) => (
  <div className="gate-marks" role="img" aria-label={`${passed} of ${GATES} gates passed`} title={`${passed} of ${GATES} gates passed`}>
    {Array.from({ length: GATES }, (_, place) => (
      <i key={place} data-passed={place < passed} />
    ))}
  </div>
);
