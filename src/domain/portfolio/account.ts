/** Places of an organization's holdings: its own books, and wallets that the caller names. */
import type { TradingBook } from '../books/book.ts';
import { type Catalog, USDC_MINT } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { HoldingMargin } from '../orders/margin.ts';
import type { ExecutionMode } from '../orders/order.ts';
import type { EpochMs } from '../values/time.ts';
import type { FreeDollars, OutsideCoin } from '../books/free-dollars.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';
import { toAmount, type ChainWallet, type PublicWallet } from '../identity/wallet.ts';
import { type PortfolioInput, plainInput } from './input-trace.ts';

/** A book as a portfolio reads it, with the fills behind its open positions. */
export interface PortfolioBook {
  readonly agentId: string | null;
  readonly version: number;
  readonly state: TradingBook;
  /** Newest fills of the open position, by instrument. */
  readonly fills: ReadonlyMap<InstrumentKey, readonly string[]>;
  /** Margins of its perpetuals, by instrument. */
  readonly margins: ReadonlyMap<InstrumentKey, HoldingMargin>;
  /** Input ids of simulated allocations by instrument. Absent for a stored book. */
  readonly simulated?: ReadonlyMap<InstrumentKey, readonly string[]>;
}

/** Value of a position as the venue reports it, if the catalog has no quote of it. */
interface ReportedValue {
  readonly valueUsd: DecimalString;
  readonly observedAt: EpochMs;
}

/** A position of a place, before valuation. */
export interface AccountPosition {
  /** Null if the catalog does not list it, so that it has no price. */
  readonly instrument: InstrumentKey | null;
  /** Identifies it within its place: the instrument, or a token's address. */
  readonly asset: string;
  readonly symbol: string;
  /** Negative if short. */
  readonly quantity: DecimalString;
  readonly costUsd: DecimalString | null;
  readonly reported: ReportedValue | null;
  /** Reason why its value is for display only although the quote is live. Empty otherwise. */
  readonly caveat: string;
  /** Margin of a perpetual in a book; absent for everything else. */
  readonly margin?: HoldingMargin;
  readonly inputs: readonly string[];
}

export const ACCOUNT_KINDS = ['book', 'chain_wallet', 'perp_account', 'bridge_transfer', 'free_dollars'] as const;

/** A place with its cash and positions, which sum to its value at the same marks. */
export interface Account {
  readonly id: string;
  readonly kind: (typeof ACCOUNT_KINDS)[number];
  /** Wallets hold real money, hence `live`. */
  readonly mode: ExecutionMode;
  readonly agentId: string | null;
  readonly address: string | null;
  /** US dollars and dollar stablecoins at par. For a book with perpetuals it is net of their value, and may be negative. */
  readonly cashUsd: DecimalString;
  /** Part of the cash that pending buys reserve. */
  readonly reservedUsd: DecimalString;
  /** Marks funds in transit between the chains, which are owned but unavailable. Absent for other places. */
  readonly quality?: 'in_transit';
  readonly positions: readonly AccountPosition[];
  readonly inputs: readonly string[];
}

/** A place, and the inputs it was read from. */
export interface ReadAccount {
  readonly place: Account;
  readonly inputs: readonly PortfolioInput[];
}

const OUTSIDE = 'held at the exchange outside the books, so closing positions does not sell it';

/**
 * Returns the free dollars of accounts as a place, with the coins that no live book holds. Together with all live books they are what the
 * accounts hold.
 */
export function accountOfFree({ usd, at, why, places }: FreeDollars, coins: readonly OutsideCoin[], now: EpochMs): readonly ReadAccount[] {
  if (usd === '0' && places.length === 0 && coins.length === 0) return [];
  const id = 'accounts:free';
  const what =
    at === null
      ? `allocations of live Takes are subtracted, because the balances of accounts are unknown${why === '' ? '' : `: ${why}`}`
      : `dollars of ${places.map(({ place }) => place).join(', ') || 'accounts'} beyond the cash of live books`;
  const input = plainInput({
    id,
    kind: 'wallet',
    what,
    value: usd,
    source: '/v1/reserves',
    observedAt: at,
    ageMs: at === null ? null : Math.max(0, now - at),
  });
  const place: Account = {
    id,
    kind: 'free_dollars',
    mode: 'live',
    agentId: null,
    address: null,
    cashUsd: usd,
    reservedUsd: '0',
    positions: coins.map(({ instrument, quantity }) => ({
      instrument,
      asset: instrument,
      symbol: instrument.slice(instrument.indexOf(':') + 1),
      quantity,
      costUsd: null,
      reported: null,
      caveat: OUTSIDE,
      inputs: [id],
    })),
    inputs: [id],
  };
  return [{ place, inputs: [input] }];
}

/** Returns a book as a place. */
export function accountOfBook({ agentId, version, state, fills, margins, simulated = new Map() }: PortfolioBook): ReadAccount {
  const bookInput = `book:${state.id}`;
  const inputs: PortfolioInput[] = [
    plainInput({
      id: bookInput,
      kind: 'book',
      what: `cash and quantities after ${state.fills} fills, version ${version}`,
      value: state.cashUsd,
      source: `/v1/books/${state.id}/fills`,
    }),
  ];
  const positions = state.holdings.map(({ instrument, quantity, costUsd, openedAt }): AccountPosition => {
    const id = `fills:${state.id}/${instrument}`;
    const refers = fills.get(instrument) ?? [];
    const source = `/v1/books/${state.id}/fills`;
    if (refers.length > 0)
      inputs.push(
        plainInput({ id, kind: 'fills', what: 'the newest fills of the position', value: quantity, source, observedAt: openedAt, refers }),
      );
    const margin = margins.get(instrument);
    return {
      instrument,
      asset: instrument,
      symbol: instrument.slice(instrument.indexOf(':') + 1),
      quantity,
      costUsd,
      reported: null,
      caveat: '',
      ...(margin === undefined ? {} : { margin }),
      inputs: [bookInput, ...(refers.length > 0 ? [id] : []), ...(simulated.get(instrument) ?? [])],
    };
  });
  let reserved = new Decimal(0);
  for (const { side, notionalUsd } of state.openProposals) if (side === 'buy') reserved = reserved.plus(notionalUsd);
  const place: Account = {
    id: state.id,
    kind: 'book',
    mode: state.mode,
    agentId,
    address: null,
    cashUsd: state.cashUsd,
    reservedUsd: plainDecimal(reserved),
    positions,
    inputs: [bookInput, ...[...simulated.values()].flat()],
  };
  return { place, inputs };
}

/** Dollar stablecoins by symbol, booked at par as in every book. */
const STABLECOINS: ReadonlySet<string> = new Set(['USDC', 'USDC.e', 'USDT']);
/** Native coins of chains, and the exchange instrument that prices them. */
const COIN_OF: Readonly<Record<string, InstrumentKey>> = {
  ETH: 'spotexchange:ETHUSDT',
  WETH: 'spotexchange:ETHUSDT',
  SOL: 'spotexchange:SOLUSDT',
};
const ELSEWHERE = 'it is held on a chain and valued at the price of the spot exchange';

/** Balance of one asset in a wallet, in whole units. */
interface Balance {
  readonly asset: string;
  readonly symbol: string;
  readonly amount: DecimalString;
  readonly instrument: InstrumentKey | null;
  readonly isCash: boolean;
  readonly caveat: string;
}

function coin(symbol: string, asset: string, amount: DecimalString): Balance {
  const instrument = COIN_OF[symbol] ?? null;
  return { asset, symbol, amount, instrument, isCash: STABLECOINS.has(symbol), caveat: instrument === null ? '' : ELSEWHERE };
}

function walletAccount(
  address: string,
  chain: string,
  balances: readonly Balance[],
  read: { at: EpochMs; what: string },
  now: EpochMs,
): ReadAccount {
  const id = `wallet:${chain}:${address}`;
  let cash = new Decimal(0);
  const positions: AccountPosition[] = [];
  for (const { asset, symbol, amount, instrument, isCash, caveat } of balances) {
    if (new Decimal(amount).isZero()) continue;
    if (isCash) cash = cash.plus(amount);
    else positions.push({ instrument, asset, symbol, quantity: plainDecimal(amount), costUsd: null, reported: null, caveat, inputs: [id] });
  }
  const input = plainInput({
    id,
    kind: 'wallet',
    what: read.what,
    value: plainDecimal(cash),
    source: chain,
    observedAt: read.at,
    ageMs: Math.max(0, now - read.at),
  });
  const place: Account = {
    id,
    kind: 'chain_wallet',
    mode: 'live',
    agentId: null,
    address,
    cashUsd: plainDecimal(cash),
    reservedUsd: '0',
    positions,
    inputs: [id],
  };
  return { place, inputs: [input] };
}

/** Returns a wallet of the EVM chain as a place. */
export function accountOfChainWallet({ address, block, native, tokens }: ChainWallet, now: EpochMs): ReadAccount {
  const balances = [native, ...tokens].map(({ symbol, contract, amount }) => coin(symbol, contract ?? symbol, amount));
  return walletAccount(address, 'evmchain', balances, { at: block.at, what: `balances at block ${block.number}` }, now);
}

/** An address of the primary chain, as its node reports it. */
export interface PrimaryBalances {
  readonly address: string;
  readonly slot: number;
  readonly fetchedAt: EpochMs;
  readonly lamports: bigint;
  /** Amounts in raw units. A quoted unit is `multiplier` times 10^-decimals of them. */
  readonly tokens: readonly {
    readonly mint: string;
    readonly amount: bigint;
    readonly decimals: number;
    readonly multiplier: number;
    /** True if the balance cannot be moved. */
    readonly frozen: boolean;
  }[];
}

const LAMPORT_DECIMALS = 9;
/** Maximum unlisted tokens that are named, because anybody can send tokens to an address. */
const UNLISTED_NAMED = 100;
const FROZEN = 'it is frozen and cannot be moved';

/** Returns a wallet of the primary chain as a place. The multiplier is the mint's own. */
export function accountOfPrimaryWallet(wallet: PrimaryBalances, catalog: Catalog, now: EpochMs): ReadAccount {
  let unlisted = 0;
  const balances = wallet.tokens.flatMap(({ mint, amount, decimals, multiplier, frozen }): Balance[] => {
    const whole = toAmount(amount, decimals);
    const caveat = frozen ? FROZEN : '';
    // Frozen funds are not cash.
    if (mint === USDC_MINT) return [{ asset: mint, symbol: 'USDC', amount: whole, instrument: null, isCash: !frozen, caveat }];
    const entry = catalog.byMint(mint);
    if (entry === undefined) {
      unlisted++;
      return unlisted > UNLISTED_NAMED ? [] : [{ asset: mint, symbol: mint, amount: whole, instrument: null, isCash: false, caveat }];
    }
    const scaled = plainDecimal(new Decimal(whole).times(plainDecimal(multiplier)));
    return [{ asset: mint, symbol: entry.instrument, amount: scaled, instrument: entry.key, isCash: false, caveat }];
  });
  const native = coin('SOL', 'SOL', toAmount(wallet.lamports, LAMPORT_DECIMALS));
  const left = unlisted > UNLISTED_NAMED ? `; ${unlisted - UNLISTED_NAMED} more tokens that the catalog does not list` : '';
  const read = { at: wallet.fetchedAt, what: `balances at slot ${wallet.slot}${left}` };
  return walletAccount(wallet.address, 'spotchain', [native, ...balances], read, now);
}

/**
 * Returns an account of the perpetuals venue as a place. Its account value is its margin with every position at the venue's marks. Cash is
 * the rest, so that cash and positions sum to it.
 */
export function accountOfPerpAccount(wallet: PublicWallet, catalog: Catalog, now: EpochMs): ReadAccount {
  const id = `wallet:evmvenue:${wallet.address}`;
  const observedAt = wallet.observedAt ?? wallet.fetchedAt;
  let cash = new Decimal(wallet.accountValue);
  const positions = wallet.positions.map(({ coin: name, size, positionValue }): AccountPosition => {
    const short = size.startsWith('-');
    const valueUsd = plainDecimal(new Decimal(positionValue).abs().times(short ? -1 : 1));
    cash = cash.minus(valueUsd);
    const instrument = instrumentKey('evmvenue', name);
    const listed = catalog.byKey(instrument) !== undefined;
    return {
      instrument,
      asset: instrument,
      symbol: name,
      quantity: plainDecimal(size),
      costUsd: null,
      reported: listed ? null : { valueUsd, observedAt },
      caveat: '',
      inputs: [id],
    };
  });
  const place: Account = {
    id,
    kind: 'perp_account',
    mode: 'live',
    agentId: null,
    address: wallet.address,
    cashUsd: plainDecimal(cash),
    reservedUsd: '0',
    positions,
    inputs: [id],
  };
  const input = plainInput({
    id,
    kind: 'wallet',
    what: 'account value and signed positions as the venue reports them',
    value: plainDecimal(wallet.accountValue),
    source: 'evmvenue',
    observedAt,
    ageMs: Math.max(0, now - observedAt),
  });
  return { place, inputs: [input] };
}
