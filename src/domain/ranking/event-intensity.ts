/** Event intensity of an asset, by severity, age and corroboration. Lists every input. */
import type { ObservedEvent } from '../market/cut.ts';
import { Decimal, plainDecimal } from '../values/decimal.ts';
import type { Severity } from '../market/market-event.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';
import { toRatioText, type ScoreTerm, sumScore } from './ranked-row.ts';

/** Each severity weighs twice the one below. */
const SEVERITY_WEIGHTS: Readonly<Record<Severity, number>> = { low: 1, medium: 2, high: 4, critical: 8 };
/** Half-life of an event's weight, in hours. */
const EVENT_HALF_LIFE_HOURS = 24;
/** Weight of an unconfirmed event. */
const RUMOR_WEIGHT = 0.5;

export interface WeighedEvent {
  readonly id: string;
  readonly severity: Severity;
  readonly negative: boolean;
  readonly rumor: boolean;
  readonly observedAt: EpochMs;
  readonly headline: string;
  /** The product of the three factors. */
  readonly weight: string;
  readonly factors: EventFactors;
}

/** Factors of an event's weight, as decimals. */
interface EventFactors {
  readonly severity: string;
  readonly age: string;
  readonly corroboration: string;
}

interface EventIntensity {
  readonly terms: readonly ScoreTerm[];
  readonly events: readonly WeighedEvent[];
}

/** Returns the factors severity x 0.5 ^ (age in hours / 24) x (1 if confirmed, 0.5 if a rumor). */
export function eventFactors(event: Pick<ObservedEvent, 'severity' | 'rumor' | 'observedAt'>, at: EpochMs): EventFactors {
  const hours = Math.max(0, at - event.observedAt) / HOUR_MS;
  return {
    severity: String(SEVERITY_WEIGHTS[event.severity]),
    age: toRatioText(0.5 ** (hours / EVENT_HALF_LIFE_HOURS)),
    corroboration: String(event.rumor ? RUMOR_WEIGHT : 1),
  };
}

/** Returns the product of the factors to eight decimals. */
export function computeWeight({ severity, age, corroboration }: EventFactors): string {
  return plainDecimal(new Decimal(severity).times(age).times(corroboration).toDecimalPlaces(8));
}

/** Returns the intensity of an asset's active events at an instant: the sum of their weights, with one term per severity. */
export function eventIntensity(events: readonly ObservedEvent[], at: EpochMs): EventIntensity {
  const weighed = events
    .map((event) => {
      const factors = eventFactors(event, at);
      return {
        id: event.id,
        severity: event.severity,
        negative: event.negative,
        rumor: event.rumor,
        observedAt: event.observedAt,
        headline: event.headline,
        weight: computeWeight(factors),
        factors,
      };
    })
    .sort((a, b) => new Decimal(b.weight).comparedTo(a.weight) || (a.id < b.id ? -1 : 1));
  const terms = (['critical', 'high', 'medium', 'low'] as const).flatMap((severity): ScoreTerm[] => {
    const own = weighed.filter((event) => event.severity === severity);
    if (own.length === 0) return [];
    const points = sumScore(own.map(({ weight }) => ({ name: '', value: weight, points: weight })));
    return [{ name: `events of ${severity} severity`, value: String(own.length), points }];
  });
  return { terms, events: weighed };
}
