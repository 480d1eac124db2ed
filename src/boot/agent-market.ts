/** Agent tokens as this process looks at them: holders, creators and curves at the node, depth and prices as the feeds heard them. */
import type { AgentMarketPorts, MarketLook } from '../../api/v1/agent-market/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { BusQuote } from '../adapters/queue/quote-bus.ts';
import { NodeError } from '../adapters/solana/json-rpc.ts';
import type { SolanaRpc } from '../adapters/solana/rpc.ts';
import { type CreatorLook, type DepthLook, halfOf, type PriceLook } from '../domain/agent-market/analysis.ts';
import { vestingState } from '../domain/agent-market/vesting-state.ts';
import type { CatalogEntry } from '../domain/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/decimal.ts';
import { priceOfSqrt } from '../domain/launch/curve-config.ts';
import {
  associatedAccount,
  readPoolConfig,
  readVirtualPool,
  storedVesting,
  successorPoolAddress,
  successorVaultAddress,
} from '../domain/launch/curve-program.ts';
import { wholeTokens } from '../domain/launch/preview.ts';
import type { TokenOrigin } from '../domain/listed-token.ts';
import { readTokenAccount } from '../domain/solana/token-layout.ts';
import { midPrice } from '../domain/valuation.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { createLiveQuotes } from '../trading/live-marks.ts';
import { createLaunchQuotes } from './launches.ts';

/** A token that was looked at is not looked at again for so long. */
const KEPT_MS = 15_000;
const MOST_KEPT = 1_000;

export interface AgentMarketDeps {
  /** Null where no node of the chain is named. */
  readonly chain: Pick<SolanaRpc, 'largestHolders' | 'accounts'> | null;
  readonly originOf: (mint: string) => Promise<TokenOrigin | null>;
  /** The liquidity of a pool, both sides, as it was heard last; null where none was heard lately. */
  readonly liquidity: (instrument: InstrumentKey) => Promise<{ readonly liquidityUsd: DecimalString; readonly observedAt: number } | null>;
  readonly bus: { latest(key: InstrumentKey): BusQuote | null };
  readonly makers: readonly string[];
  readonly clock: Pick<Clock, 'now'>;
}

interface CurveLook {
  readonly creator: CreatorLook;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
}

export function createAgentMarket(deps: AgentMarketDeps): AgentMarketPorts {
  const { chain, clock } = deps;
  const quotes = createLaunchQuotes(deps.bus, clock);
  const liveQuote = createLiveQuotes(deps.bus, clock);
  const kept = new Map<string, { readonly at: number; readonly look: Promise<MarketLook> }>();

  /** What nobody answers is unknown. */
  async function unlessSilent<Value>(work: Promise<Value>): Promise<Value | null> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof NodeError) return null;
      throw error;
    }
  }

  async function heldBy(owner: string, entry: CatalogEntry): Promise<bigint> {
    if (chain === null || entry.token === null) return 0n;
    const account = associatedAccount(owner, entry.token.mint, entry.token.program);
    const [found] = (await chain.accounts([account])).accounts;
    return found == null ? 0n : (readTokenAccount(found.data)?.amount ?? 0n);
  }

  /** The curve of a launch, or the pool that followed it. */
  async function curveOf(entry: CatalogEntry, origin: TokenOrigin): Promise<CurveLook | null> {
    const { creator, pool, config, quoteMint } = origin;
    if (chain === null || entry.token === null) return null;
    const held = await heldBy(creator, entry);
    if (pool === null || config === null || quoteMint === null)
      return { creator: { address: creator, held, vesting: null }, depth: null, price: null };
    const { mint } = entry.token;
    const successor = successorVaultAddress(quoteMint, successorPoolAddress(mint, quoteMint));
    const [curveAccount, configAccount, vault] = (await chain.accounts([pool, config, successor])).accounts;
    const curve = curveAccount == null ? null : readVirtualPool(curveAccount.data);
    const terms = configAccount == null ? null : readPoolConfig(configAccount.data);
    if (curve === null || terms === null) return { creator: { address: creator, held, vesting: null }, depth: null, price: null };
    const at = clock.now();
    const vesting = vestingState(storedVesting(terms), curve.finishedAt, BigInt(Math.floor(at / 1_000)));
    const token = quotes.token(quoteMint);
    const dollars = token === null ? null : quotes.dollars(token);
    const isMigrated = curve.isMigrated === 1;
    const reserve = isMigrated ? (vault == null ? 0n : (readTokenAccount(vault.data)?.amount ?? 0n)) : curve.quoteReserve;
    return {
      creator: { address: creator, held, vesting },
      depth:
        token === null || dollars === null
          ? null
          : {
              source: isMigrated ? 'successor_pool' : 'curve',
              depthUsd: plainDecimal(new Decimal(wholeTokens(reserve, token.decimals)).times(dollars.perToken).toDecimalPlaces(6)),
              at,
            },
      price:
        // The curve's price stands still once the successor pool trades.
        token === null || dollars === null || isMigrated
          ? null
          : {
              source: 'curve',
              priceUsd: plainDecimal(
                new Decimal(priceOfSqrt(curve.sqrtPrice, entry.token.decimals, token.decimals))
                  .times(dollars.perToken)
                  .toSignificantDigits(18),
              ),
              at,
            },
    };
  }

  function heardPrice(key: InstrumentKey): PriceLook | null {
    const quote = liveQuote(key);
    const middle = quote === null ? null : midPrice(quote.bid, quote.ask);
    return quote === null || middle === null ? null : { source: 'aggregator', priceUsd: middle, at: quote.observedAt };
  }

  async function lookAt(entry: CatalogEntry): Promise<MarketLook> {
    const mint = entry.token?.mint ?? '';
    const origin = await deps.originOf(mint);
    const [holders, curve, pool] = await Promise.all([
      chain === null ? null : unlessSilent(chain.largestHolders(mint)),
      origin === null ? null : unlessSilent(curveOf(entry, origin)),
      deps.liquidity(entry.key),
    ]);
    const heard: DepthLook | null =
      pool === null ? null : { source: 'aggregator', depthUsd: halfOf(pool.liquidityUsd), at: pool.observedAt };
    return {
      at: clock.now(),
      holders,
      creator: curve?.creator ?? null,
      depth: curve?.depth ?? heard,
      price: heardPrice(entry.key) ?? curve?.price ?? null,
    };
  }

  return {
    makers: new Set(deps.makers),
    look(entry) {
      const now = clock.now();
      const known = kept.get(entry.key);
      if (known !== undefined && now - known.at < KEPT_MS) return known.look;
      kept.delete(entry.key);
      const look = lookAt(entry);
      kept.set(entry.key, { at: now, look });
      look.catch(() => kept.delete(entry.key));
      for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
      return look;
    },
  };
}
