/** Public view of a wallet: an address on the perpetuals venue, and its balances on the EVM chain. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** A fill as the venue reports it. `closedPnl` is before `fee`, which is signed: negative is a rebate. */
export interface ReportedFill {
  readonly coin: string;
  readonly at: EpochMs;
  readonly direction: string;
  /** Signed size before the fill. */
  readonly startPosition: DecimalString;
  readonly closedPnl: DecimalString;
  readonly fee: DecimalString;
  readonly feeToken: string;
  readonly tradeId: number;
  readonly orderId: number;
  readonly hash: string;
}

/** Profit and loss of closing fills. All amounts are decimals in US dollars. */
interface PnlSum {
  readonly grossPnl: DecimalString;
  readonly closingFills: number;
  readonly wins: number;
  readonly losses: number;
}

/** Closed profit and loss of a wallet's recent fills. */
interface ClosedPnl extends PnlSum {
  /** Signed sum over all perpetual fills, including opening ones. */
  readonly fees: DecimalString;
  /** Null if the fee of a counted fill could not be summed. */
  readonly netPnl: DecimalString | null;
  readonly long: PnlSum;
  readonly short: PnlSum;
  readonly byCoin: readonly (PnlSum & { readonly coin: string; readonly fees: DecimalString })[];
}

/** Basis of the numbers. */
interface FillCoverage {
  /** Label of figures that the venue reports about itself and that may be incomplete. */
  readonly label: 'reported/partial';
  /** Number of fills that the venue sent. `perpFills` is the number that count. */
  readonly fills: number;
  readonly counted: number;
  /** Number of spot fills, conversions, repeated rows, and fees in other tokens than dollar stablecoins, which no sum includes. */
  readonly excluded: number;
  readonly feesInOtherTokens: number;
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  /** True if the venue's cap was reached, so that older fills are unknown. */
  readonly truncated: boolean;
  readonly cap: number;
}

/** Maximum number of recent fills that the venue returns. */
export const FILLS_CAP = 2_000;

/** Dollar stablecoins in which the venue charges fees. They count at par. */
const FEE_DOLLARS: ReadonlySet<string> = new Set(['USDC', 'USDH', 'USDT0', 'USDE', 'USDT']);

const NO_PERP_DIRECTIONS = new Set(['Buy', 'Sell', 'Spot Dust Conversion', 'Split Outcome', 'Merge Outcome']);

interface Tally {
  gross: Decimal;
  fees: Decimal;
  closing: number;
  wins: number;
  losses: number;
}

const tally = (): Tally => ({ gross: new Decimal(0), fees: new Decimal(0), closing: 0, wins: 0, losses: 0 });

/** True for fills of perpetuals. Spot coins are written `@107` or `PURR/USDC`, outcome tokens `#250`. */
export function isPerpFill({ coin, direction }: Pick<ReportedFill, 'coin' | 'direction'>): boolean {
  return !coin.startsWith('@') && !coin.startsWith('#') && !coin.includes('/') && !NO_PERP_DIRECTIONS.has(direction);
}

/** True for a fill that closes a position or a part of one. */
export function isClosingFill({ closedPnl, direction }: Pick<ReportedFill, 'closedPnl' | 'direction'>): boolean {
  return !new Decimal(closedPnl).isZero() || /^(Close|Long >|Short >)/.test(direction);
}

/** Sums closing fills of long and short trades. Direction texts are only for display: the signed position decides. */
export function sumClosedPnl(fills: readonly ReportedFill[]): { readonly pnl: ClosedPnl; readonly coverage: FillCoverage } {
  const all = tally();
  const [long, short] = [tally(), tally()];
  const coins = new Map<string, Tally>();
  const seen = new Set<string>();
  let counted = 0;
  let feesInOtherTokens = 0;
  let from: EpochMs | null = null;
  let to: EpochMs | null = null;
  for (const fill of fills) {
    if (!isPerpFill(fill)) continue;
    const key = `${fill.at} ${fill.coin} ${fill.tradeId} ${fill.orderId} ${fill.hash}`;
    // Without a trade number the parts of one order look alike, and each of them counts.
    if (fill.tradeId !== 0 && seen.has(key)) continue;
    seen.add(key);
    counted++;
    from = from === null ? fill.at : Math.min(from, fill.at);
    to = to === null ? fill.at : Math.max(to, fill.at);
    const coin = coins.get(fill.coin) ?? tally();
    coins.set(fill.coin, coin);
    if (FEE_DOLLARS.has(fill.feeToken.toUpperCase())) for (const sum of [all, coin]) sum.fees = sum.fees.plus(fill.fee);
    else feesInOtherTokens++;
    const pnl = new Decimal(fill.closedPnl);
    if (!isClosingFill(fill)) continue;
    for (const sum of [all, coin, fill.startPosition.startsWith('-') ? short : long]) count(sum, pnl);
  }
  return {
    pnl: {
      ...toPnlSum(all),
      fees: plainDecimal(all.fees),
      netPnl: feesInOtherTokens > 0 ? null : plainDecimal(all.gross.minus(all.fees)),
      long: toPnlSum(long),
      short: toPnlSum(short),
      byCoin: [...coins]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([coin, sum]) => ({ coin, ...toPnlSum(sum), fees: plainDecimal(sum.fees) })),
    },
    coverage: {
      label: 'reported/partial',
      fills: fills.length,
      counted,
      excluded: fills.length - counted,
      feesInOtherTokens,
      from,
      to,
      truncated: fills.length >= FILLS_CAP,
      cap: FILLS_CAP,
    },
  };
}

function count(sum: Tally, pnl: Decimal): void {
  sum.gross = sum.gross.plus(pnl);
  sum.closing++;
  if (pnl.isPositive() && !pnl.isZero()) sum.wins++;
  else if (pnl.isNegative() && !pnl.isZero()) sum.losses++;
}

function toPnlSum(sum: Tally): PnlSum {
  return { grossPnl: plainDecimal(sum.gross), closingFills: sum.closing, wins: sum.wins, losses: sum.losses };
}

/** Open perpetual position, as the venue reports it. */
export interface PublicPosition {
  readonly coin: string;
  /** Signed: negative is short. */
  readonly size: DecimalString;
  readonly entryPrice: DecimalString | null;
  readonly positionValue: DecimalString;
  readonly unrealizedPnl: DecimalString;
  readonly liquidationPrice: DecimalString | null;
  readonly marginUsed: DecimalString;
  readonly leverage: number;
  readonly marginMode: 'cross' | 'isolated';
  /** Funding since it was opened, with the venue's sign, or null if the venue does not report it. */
  readonly fundingSinceOpen: DecimalString | null;
}

/** A wallet of the perpetuals venue, as the venue reports it. */
export interface PublicWallet {
  /** Checksummed address. */
  readonly address: string;
  /** Time of the venue, or null if it sent none. */
  readonly observedAt: EpochMs | null;
  readonly fetchedAt: EpochMs;
  readonly accountValue: DecimalString;
  readonly totalNotional: DecimalString;
  readonly totalMarginUsed: DecimalString;
  readonly withdrawable: DecimalString;
  readonly positions: readonly PublicPosition[];
  readonly pnl: ClosedPnl;
  readonly coverage: FillCoverage;
}

export interface ChainToken {
  readonly symbol: string;
  /** Null for the chain's native coin. */
  readonly contract: string | null;
  readonly decimals: number;
  /** Amount in base units. */
  readonly balance: string;
  readonly amount: DecimalString;
}

/** Kinds of accounts behind an address. `delegated`: a person's key whose code is elsewhere (EIP-7702). */
export type AccountKind = 'account' | 'contract' | 'delegated';

/** Balances of an address, all at one block. */
export interface ChainWallet {
  readonly address: string;
  readonly chainId: number;
  readonly kind: AccountKind;
  /** Number of transactions it has sent. */
  readonly nonce: number;
  readonly block: { readonly number: string; readonly hash: string; readonly at: EpochMs };
  readonly fetchedAt: EpochMs;
  readonly native: ChainToken;
  readonly tokens: readonly ChainToken[];
  /** Tokens whose contract did not answer, so that their balance is unknown. */
  readonly unread: readonly { readonly symbol: string; readonly contract: string; readonly why: string }[];
}

/** Returns base units as a plain decimal: `1500000` with 6 decimals is `1.5`. Exact at any length. */
export function toAmount(balance: bigint, decimals: number): DecimalString {
  const digits = balance.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
