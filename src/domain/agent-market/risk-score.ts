/** The risk score of an agent token: five terms, each with its input, points and weight, so that the sum can be verified. */

export const RISK_TERMS = ['liquidity_depth', 'top_wallet_concentration', 'creator_allocation', 'token_age', 'volume_stability'] as const;
type RiskTermName = (typeof RISK_TERMS)[number];

/** Weights of the terms; they sum to 1. */
export const RISK_WEIGHTS: Readonly<Record<RiskTermName, number>> = {
  liquidity_depth: 0.3,
  top_wallet_concentration: 0.25,
  creator_allocation: 0.2,
  token_age: 0.1,
  volume_stability: 0.15,
};

export const RISK_FORMULAS: Readonly<Record<RiskTermName, string>> = {
  liquidity_depth:
    '100 x (1 - log10(US dollars on the quote side of the pool or curve / 1000) / 3): $1,000 scores 100 points, $1,000,000 scores 0',
  top_wallet_concentration: '1.25 x percent of the circulating supply in the ten largest wallets',
  creator_allocation: '4 x percent of the supply that the creator can sell now + 0.5 x percent of the supply still vesting to the creator',
  token_age: '100 x (1 - days since listing / 90)',
  volume_stability:
    'the larger of two figures: 50 x coefficient of variation of daily volume, and percent of volume that price moves do not explain',
};

/** Inputs of the score; null means unknown. */
export interface RiskInputs {
  /** Dollars on the paying side of the pool or curve. */
  readonly depthUsd: number | null;
  readonly top10Pct: number | null;
  /** Percent of the supply. */
  readonly creator: { readonly freePct: number; readonly lockedPct: number } | null;
  readonly ageDays: number;
  readonly volume: { readonly variation: number; readonly washedPct: number } | null;
}

interface RiskTerm {
  readonly name: RiskTermName;
  /** Inputs of the term by name; null if unknown. */
  readonly input: { readonly [name: string]: number | null };
  /** Points from 0 to 100. An unknown input counts as 100. */
  readonly points: number;
  readonly weight: number;
}

export interface RiskScore {
  /** Sum of points x weight. 0 is the least risk, 100 the most. */
  readonly score: number;
  readonly terms: readonly RiskTerm[];
  /** Terms whose input is unknown. */
  readonly unknown: readonly RiskTermName[];
}

const MOST = 100;
const DAYS_UNTIL_OLD = 90;

function bounded(points: number): number {
  return Math.round(Math.min(MOST, Math.max(0, points)) * 10_000) / 10_000;
}

function depthPoints(depthUsd: number): number {
  return depthUsd <= 0 ? MOST : MOST * (1 - Math.log10(depthUsd / 1_000) / 3);
}

export function computeRiskScore({ depthUsd, top10Pct, creator, ageDays, volume }: RiskInputs): RiskScore {
  const raw: Readonly<Record<RiskTermName, readonly [RiskTerm['input'], number | null]>> = {
    liquidity_depth: [{ depthUsd }, depthUsd === null ? null : depthPoints(depthUsd)],
    top_wallet_concentration: [{ top10Pct }, top10Pct === null ? null : 1.25 * top10Pct],
    creator_allocation: [
      { freePct: creator?.freePct ?? null, lockedPct: creator?.lockedPct ?? null },
      creator === null ? null : 4 * creator.freePct + 0.5 * creator.lockedPct,
    ],
    token_age: [{ ageDays }, MOST * (1 - ageDays / DAYS_UNTIL_OLD)],
    volume_stability: [
      { variation: volume?.variation ?? null, washedPct: volume?.washedPct ?? null },
      volume === null ? null : Math.max(50 * volume.variation, volume.washedPct),
    ],
  };
  const terms = RISK_TERMS.map((name): RiskTerm => {
    const [input, points] = raw[name];
    return { name, input, points: points === null ? MOST : bounded(points), weight: RISK_WEIGHTS[name] };
  });
  return {
    score: bounded(terms.reduce((sum, { points, weight }) => sum + points * weight, 0)),
    terms,
    unknown: RISK_TERMS.filter((name) => raw[name][1] === null),
  };
}
