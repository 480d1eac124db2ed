/** Composition of a portfolio: instruments, sectors, and underlyings with duplicate exposure. */
import { isPosition } from '../books/book.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { findExposureGroup } from '../risk/capacity.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { PortfolioPosition, PortfolioTotals } from './positions.ts';
import { catalogInputId, MANDATE_INPUT } from './input-trace.ts';

/** Sector name of cash. */
const CASH_SECTOR = 'cash';

/** Part of the portfolio's value. Net values and cash sum to the value of the portfolio. */
export interface SectorWeight {
  readonly sector: string;
  /** Longs minus shorts. */
  readonly netUsd: DecimalString;
  /** Longs plus shorts. */
  readonly grossUsd: DecimalString;
  /** net / value of the portfolio x 100, or null if that is not positive. */
  readonly weightPct: number | null;
  readonly inputs: readonly string[];
}

/** An instrument over all places, with the mandate's limit on a position. */
export interface InstrumentWeight {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly grossUsd: DecimalString;
  readonly weightPct: number | null;
  readonly limitPct: number;
  readonly exceedsLimit: boolean;
  readonly inputs: readonly string[];
}

export const EXPOSURE_RELATIONS = ['same_underlying', 'paired_stock'] as const;

/** A member of a group of instruments with exposure to one underlying. */
interface ExposureMember {
  readonly instrument: InstrumentKey;
  /** `paired_stock`: an agent token launched against a share of the underlying. */
  readonly relation: (typeof EXPOSURE_RELATIONS)[number];
  /** Null if it has no price. It is then in no sum. */
  readonly valueUsd: DecimalString | null;
}

/** An underlying with exposure through several instruments. */
export interface DuplicateExposure {
  readonly underlying: string;
  readonly members: readonly ExposureMember[];
  /** Absolute values of the members on the underlying itself. */
  readonly sameUnderlyingUsd: DecimalString;
  /** Absolute values of agent tokens paired with its share. */
  readonly pairedUsd: DecimalString;
  /** (same underlying + paired) / value of the portfolio x 100, which the pre-trade risk function compares with its limit. */
  readonly weightPct: number | null;
  readonly limitPct: number;
  /** True if the members together exceed the limit, or if that is unknown because one has no price. */
  readonly exceedsLimit: boolean;
  readonly inputs: readonly string[];
}

function computeWeight(amount: Decimal, total: Decimal): number | null {
  return total.gt(0) ? amount.times(100).div(total).toDecimalPlaces(8).toNumber() + 0 : null;
}

/** Evaluates amount > limit percent of total, multiplied out. Every holding exceeds a limit of a worthless portfolio. */
function exceeds(amount: Decimal, total: Decimal, limitPct: number): boolean {
  return amount.times(100).gt(Decimal.max(0, total).times(plainDecimal(limitPct)));
}

/** Groups items in the order of their first member. */
function grouped<Key extends string>(
  holdings: readonly PortfolioPosition[],
  keyOf: (holding: PortfolioPosition) => Key | null,
): Map<Key, PortfolioPosition[]> {
  const groups = new Map<Key, PortfolioPosition[]>();
  for (const holding of holdings) {
    const key = keyOf(holding);
    if (key === null) continue;
    const group = groups.get(key) ?? [];
    group.push(holding);
    groups.set(key, group);
  }
  return groups;
}

function sumValues(holdings: readonly PortfolioPosition[], part: 'net' | 'gross'): Decimal {
  return holdings.reduce((sum, { valueUsd }) => {
    const value = new Decimal(valueUsd ?? '0');
    return sum.plus(part === 'net' ? value : value.abs());
  }, new Decimal(0));
}

/** Returns the sectors of the catalog, largest first and cash last. Holdings without a price have no weight. */
export function sectorWeights(
  holdings: readonly PortfolioPosition[],
  totals: PortfolioTotals,
  places: readonly string[],
): readonly SectorWeight[] {
  const total = new Decimal(totals.valueUsd);
  const priced = holdings.filter(({ valueUsd }) => valueUsd !== null);
  const sectors = [...grouped(priced, ({ sector }) => sector)].map(([sector, members]) => ({
    sector,
    members,
    gross: sumValues(members, 'gross'),
  }));
  sectors.sort((a, b) => b.gross.cmp(a.gross) || (a.sector < b.sector ? -1 : 1));
  const rows = sectors.map(({ sector, members, gross }): SectorWeight => {
    const net = sumValues(members, 'net');
    return {
      sector,
      netUsd: plainDecimal(net),
      grossUsd: plainDecimal(gross),
      weightPct: computeWeight(net, total),
      inputs: members.map(({ id }) => id),
    };
  });
  const cash = new Decimal(totals.cashUsd);
  return [
    ...rows,
    {
      sector: CASH_SECTOR,
      netUsd: totals.cashUsd,
      grossUsd: plainDecimal(cash.abs()),
      weightPct: computeWeight(cash, total),
      inputs: places,
    },
  ];
}

/** Compares every priced instrument with `maxPositionWeightPct`, in the order of the holdings. */
export function instrumentWeights(
  holdings: readonly PortfolioPosition[],
  totals: PortfolioTotals,
  limitPct: number,
): readonly InstrumentWeight[] {
  const total = new Decimal(totals.valueUsd);
  return [...grouped(holdings, ({ instrument, valueUsd }) => (valueUsd === null ? null : instrument))].map(([instrument, members]) => {
    const gross = sumValues(members, 'gross');
    const quantity = members.reduce((sum, each) => sum.plus(each.quantity), new Decimal(0));
    return {
      instrument,
      quantity: plainDecimal(quantity),
      grossUsd: plainDecimal(gross),
      weightPct: computeWeight(gross, total),
      limitPct,
      exceedsLimit: exceeds(gross, total, limitPct),
      inputs: [...members.map(({ id }) => id), MANDATE_INPUT],
    };
  });
}

/** False for dust without a price, which is in no sum and makes none unknown. */
function isKnownOrPosition({ instrument, quantity, valueUsd }: PortfolioPosition): boolean {
  if (valueUsd !== null || instrument === null) return true;
  return isPosition({ instrument, quantity: plainDecimal(new Decimal(quantity).abs()) });
}

/**
 * Returns underlyings with exposure through more than one instrument: a token, a perpetual and a share token of one underlying, and agent
 * tokens with their paired share. Grouped and measured like the pre-trade risk function.
 */
export function duplicateExposures(
  holdings: readonly PortfolioPosition[],
  totals: PortfolioTotals,
  limitPct: number,
  catalog: Catalog,
): readonly DuplicateExposure[] {
  const total = new Decimal(totals.valueUsd);
  const pairedWith = (instrument: InstrumentKey): InstrumentKey | null => catalog.byKey(instrument)?.pairedStock ?? null;
  const groups = grouped(holdings.filter(isKnownOrPosition), ({ instrument, underlying }) =>
    instrument === null ? null : pairedWith(instrument) === null ? underlying : findExposureGroup(catalog, instrument),
  );
  return [...groups].flatMap(([underlying, group]) => {
    const byInstrument = [...grouped(group, ({ instrument }) => instrument)];
    if (byInstrument.length < 2) return [];
    const members = byInstrument.map(
      ([instrument, held]): ExposureMember => ({
        instrument,
        relation: pairedWith(instrument) === null ? 'same_underlying' : 'paired_stock',
        valueUsd: held.some(({ valueUsd }) => valueUsd === null) ? null : plainDecimal(sumValues(held, 'net')),
      }),
    );
    const of = (relation: ExposureMember['relation']): ExposureMember[] => members.filter((member) => member.relation === relation);
    const sumAbs = (some: readonly ExposureMember[]): Decimal =>
      some.reduce((sum, { valueUsd }) => sum.plus(new Decimal(valueUsd ?? '0').abs()), new Decimal(0));
    const sameUsd = sumAbs(of('same_underlying'));
    const allUsd = sumAbs(members);
    const unknown = members.some(({ valueUsd }) => valueUsd === null);
    return {
      underlying,
      members,
      sameUnderlyingUsd: plainDecimal(sameUsd),
      pairedUsd: plainDecimal(sumAbs(of('paired_stock'))),
      weightPct: unknown ? null : computeWeight(allUsd, total),
      limitPct,
      exceedsLimit: unknown || exceeds(allUsd, total, limitPct),
      inputs: [...group.map(({ id }) => id), ...members.map(({ instrument }) => catalogInputId(instrument)), MANDATE_INPUT],
    };
  });
}
