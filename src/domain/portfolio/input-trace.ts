/** Sources of a portfolio's figures: every input once, with an id that derived figures refer to. */
import type { Catalog } from '../catalog/catalog.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Quality, QualityFlag, Quote } from '../market/quote.ts';
import { type EpochMs, isoTime } from '../values/time.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';

export const INPUT_KINDS = [
  'quote',
  'reported_value',
  'book',
  'fills',
  'wallet',
  'pool',
  'catalog',
  'mandate',
  'scenario',
  'calendar',
  'allocation',
] as const;

/** An input of figures. */
export interface PortfolioInput {
  readonly id: string;
  readonly kind: (typeof INPUT_KINDS)[number];
  /** Meaning, as part of a sentence. */
  readonly what: string;
  /** Value that was read, or null if it is not a single number. */
  readonly value: DecimalString | null;
  /** Feed, table or table row that it was read from. */
  readonly source: string;
  readonly observedAt: EpochMs | null;
  readonly ageMs: number | null;
  /** Quality of a quote, or null for other inputs. */
  readonly quality: Quality | null;
  readonly flags: readonly QualityFlag[];
  /** Ids outside this answer, such as those of fills. */
  readonly refers: readonly string[];
}

/** Returns an input that is not a quote and has no time of its own. */
export function plainInput(
  parts: Pick<PortfolioInput, 'id' | 'kind' | 'what' | 'source'> & Partial<Omit<PortfolioInput, 'id' | 'kind' | 'what' | 'source'>>,
): PortfolioInput {
  return { value: null, observedAt: null, ageMs: null, quality: null, flags: [], refers: [], ...parts };
}

export const quoteInputId = (instrument: InstrumentKey): string => `quote:${instrument}`;
export const catalogInputId = (instrument: InstrumentKey): string => `catalog:${instrument}`;
export const poolInputId = (instrument: InstrumentKey): string => `pool:${instrument}`;
export const scenarioInputId = (scenario: string): string => `scenario:${scenario}`;
export const MANDATE_INPUT = 'mandate';
export const CALENDAR_INPUT = 'calendar';

/** Returns a quote as an input. Its midpoint values a holding. */
export function quoteInput(quote: Quote, mark: DecimalString | null, at: EpochMs): PortfolioInput {
  const { venue, instrument, source, observedAt, quality, flags, bid, ask } = quote;
  return plainInput({
    id: quoteInputId(instrumentKey(venue, instrument)),
    kind: 'quote',
    what: `bid ${bid ?? 'none'}, ask ${ask ?? 'none'} on ${venue}`,
    value: mark,
    source,
    observedAt,
    ageMs: Math.max(0, at - observedAt),
    quality,
    flags,
  });
}

/** Returns the catalog's facts about an instrument as an input: class, sector and relations. */
export function catalogInput(instrument: InstrumentKey, catalog: Catalog): PortfolioInput {
  const entry = catalog.byKey(instrument);
  const paired = entry?.pairedStock ?? null;
  const what =
    entry === undefined
      ? 'the catalog does not list it'
      : `${entry.kind}, sector ${entry.sector}, underlying ${entry.underlying}${paired === null ? '' : `, paired with ${paired}`}`;
  return plainInput({ id: catalogInputId(instrument), kind: 'catalog', what, source: '/v1/catalog' });
}

/** Returns the next regular open as an input. Null if the calendar ends before. */
export function calendarInput(opensAt: EpochMs | null): PortfolioInput {
  const what =
    opensAt === null ? 'the known calendar ends before the next regular session' : `the next regular session opens at ${isoTime(opensAt)}`;
  return plainInput({ id: CALENDAR_INPUT, kind: 'calendar', what, source: '/v1/catalog/sessions', observedAt: null });
}
