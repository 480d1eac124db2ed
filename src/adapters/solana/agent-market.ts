/** Market data of agent tokens: holders, creators and curves from the node, depth and prices from the feeds. */
import type { Clock } from '../../../streams/clock/clock.ts';
import {
  type CreatorLook,
  type DepthLook,
  halve,
  type PriceLook,
  type TokenLook,
  vestingState,
} from '../../domain/agent-market/analysis.ts';
import type { CatalogEntry } from '../../domain/catalog/catalog.ts';
import type { TokenOrigin } from '../../domain/catalog/listed-token.ts';
import { priceOfSqrt } from '../../domain/launch/curve/curve-config.ts';
import {
  associatedAccount,
  readPoolConfig,
  readVirtualPool,
  storedVesting,
  successorPoolAddress,
  successorVaultAddress,
} from '../../domain/launch/curve/program.ts';
import { wholeTokens } from '../../domain/launch/launch-preview.ts';
import type { QuoteToken, TokenDollars } from '../../domain/launch/quote-tokens.ts';
import type { Quote } from '../../domain/market/quote.ts';
import { midPrice } from '../../domain/market/valuation.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { readTokenAccount } from '../../domain/solana/token-layout.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { NodeError } from '../json-rpc.ts';
import type { SolanaRpc } from './rpc.ts';

type MarketLook = Pick<TokenLook, 'at' | 'holders'> & {
  readonly creator: CreatorLook | null;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
};

/** Milliseconds for which a result is cached. */
const KEPT_MS = 15_000;
const MOST_KEPT = 1_000;

type HolderChain = Pick<SolanaRpc, 'largestHolders' | 'accounts'>;

/** Quote tokens of curves, and their present price. */
interface CurveQuotes {
  readonly token: (mint: string) => QuoteToken | null;
  readonly dollars: (token: QuoteToken) => TokenDollars | null;
}

interface AgentMarketDeps {
  /** Null without a configured node of the chain. */
  readonly chain: HolderChain | null;
  readonly originOf: (mint: string) => Promise<TokenOrigin | null>;
  /** Returns the last recent liquidity of a pool, both sides; null if there is none. */
  readonly liquidity: (instrument: InstrumentKey) => Promise<{ readonly liquidityUsd: DecimalString; readonly observedAt: number } | null>;
  /** Returns the newest quote of an instrument if it is live now. */
  readonly liveQuote: (instrument: InstrumentKey) => Quote | null;
  /** Quote tokens of curves and their value. */
  readonly quotes: CurveQuotes;
  readonly makers: readonly string[];
  readonly clock: Pick<Clock, 'now'>;
}

interface CurveLook {
  readonly creator: CreatorLook;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
}

/** Creates the market data for the API; each token is read at most once in fifteen seconds. */
export function createAgentMarket(deps: AgentMarketDeps) {
  const { clock } = deps;
  const kept = new Map<string, { readonly at: number; readonly look: Promise<MarketLook> }>();
  return {
    /** Market makers of the aggregator. Their balances count as pool liquidity. */
    makers: new Set(deps.makers) as ReadonlySet<string>,
    /** Reads a token's market data; parts that were not answered are null. May return a cached result. */
    look(entry: CatalogEntry): Promise<MarketLook> {
      const now = clock.now();
      const known = kept.get(entry.key);
      if (known !== undefined && now - known.at < KEPT_MS) return known.look;
      kept.delete(entry.key);
      const look = lookAt(deps, entry);
      kept.set(entry.key, { at: now, look });
      look.catch(() => kept.delete(entry.key));
      for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
      return look;
    },
  };
}

export type AgentMarket = ReturnType<typeof createAgentMarket>;

async function lookAt(deps: AgentMarketDeps, entry: CatalogEntry): Promise<MarketLook> {
  const { chain, clock } = deps;
  const mint = entry.token?.mint ?? '';
  const origin = await deps.originOf(mint);
  const [holders, curve, pool] = await Promise.all([
    chain === null ? null : unlessSilent(chain.largestHolders(mint)),
    chain === null || origin === null ? null : unlessSilent(readCurve(chain, deps, entry, origin)),
    deps.liquidity(entry.key),
  ]);
  const received: DepthLook | null =
    pool === null ? null : { source: 'aggregator', depthUsd: halve(pool.liquidityUsd), at: pool.observedAt };
  return {
    at: clock.now(),
    holders,
    creator: curve?.creator ?? null,
    depth: curve?.depth ?? received,
    price: receivedPrice(deps, entry.key) ?? curve?.price ?? null,
  };
}

/** Returns null if the node does not answer. */
async function unlessSilent<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NodeError) return null;
    throw error;
  }
}

async function heldBy(chain: HolderChain, owner: string, token: { readonly mint: string; readonly program: string }): Promise<bigint> {
  const [found] = (await chain.accounts([associatedAccount(owner, token.mint, token.program)])).accounts;
  return found == null ? 0n : (readTokenAccount(found.data)?.amount ?? 0n);
}

/** Reads the curve of a launch, or its successor pool. */
async function readCurve(
  chain: HolderChain,
  deps: Pick<AgentMarketDeps, 'quotes' | 'clock'>,
  entry: CatalogEntry,
  origin: TokenOrigin,
): Promise<CurveLook | null> {
  const { creator, pool, config, quoteMint } = origin;
  if (entry.token === null) return null;
  const held = await heldBy(chain, creator, entry.token);
  const heldAlone: CurveLook = { creator: { address: creator, held, vesting: null }, depth: null, price: null };
  if (pool === null || config === null || quoteMint === null) return heldAlone;
  const { mint } = entry.token;
  const successor = successorVaultAddress(quoteMint, successorPoolAddress(mint, quoteMint));
  const [curveAccount, configAccount, vault] = (await chain.accounts([pool, config, successor])).accounts;
  const curve = curveAccount == null ? null : readVirtualPool(curveAccount.data);
  const terms = configAccount == null ? null : readPoolConfig(configAccount.data);
  if (curve === null || terms === null) return heldAlone;
  const at = deps.clock.now();
  const vesting = vestingState(storedVesting(terms), curve.finishedAt, BigInt(Math.floor(at / 1_000)));
  const successorReserve = vault == null ? 0n : (readTokenAccount(vault.data)?.amount ?? 0n);
  return {
    creator: { address: creator, held, vesting },
    ...curveMarket({ ...deps, curve, successorReserve, tokenDecimals: entry.token.decimals, quoteMint, at }),
  };
}

/** Returns depth and price of a curve in US dollars; null if its quote token has no price. */
function curveMarket(curveNow: {
  readonly quotes: CurveQuotes;
  readonly curve: NonNullable<ReturnType<typeof readVirtualPool>>;
  readonly successorReserve: bigint;
  readonly tokenDecimals: number;
  readonly quoteMint: string;
  readonly at: number;
}): Pick<CurveLook, 'depth' | 'price'> {
  const { quotes, curve, successorReserve, tokenDecimals, quoteMint, at } = curveNow;
  const token = quotes.token(quoteMint);
  const dollars = token === null ? null : quotes.dollars(token);
  if (token === null || dollars === null) return { depth: null, price: null };
  const isMigrated = curve.isMigrated === 1;
  const reserve = isMigrated ? successorReserve : curve.quoteReserve;
  const depthUsd = plainDecimal(new Decimal(wholeTokens(reserve, token.decimals)).times(dollars.perToken).toDecimalPlaces(6));
  const priceUsd = plainDecimal(
    new Decimal(priceOfSqrt(curve.sqrtPrice, tokenDecimals, token.decimals)).times(dollars.perToken).toSignificantDigits(18),
  );
  return {
    depth: { source: isMigrated ? 'successor_pool' : 'curve', depthUsd, at },
    // After migration the curve's price no longer changes.
    price: isMigrated ? null : { source: 'curve', priceUsd, at },
  };
}

function receivedPrice({ liveQuote }: Pick<AgentMarketDeps, 'liveQuote'>, key: InstrumentKey): PriceLook | null {
  const quote = liveQuote(key);
  const middle = quote === null ? null : midPrice(quote.bid, quote.ask);
  return quote === null || middle === null ? null : { source: 'aggregator', priceUsd: middle, at: quote.observedAt };
}
