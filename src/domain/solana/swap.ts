/** A swap: its promise, the check that a transaction keeps it, and the fill of a finalized one. Chain amounts are raw base units. */
import { type Fill, type FillQuote, PRICE_DECIMALS } from '../books/book.ts';
import { USDC_DECIMALS, USDC_MINT } from '../catalog/catalog.ts';
import { computeSlippageBps } from '../orders/costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { findMarketStep } from '../market/market-step.ts';
import { type Order, type OrderSide, completeOrder } from '../orders/order.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { BalanceChanges } from './chain.ts';
import { listAccounts, listSigners, type WireInstruction, type WireTransaction } from './message.ts';
import {
  AGGREGATOR_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  namedProgram,
  programWords,
  SYSTEM_PROGRAM,
  TOKEN_2022,
  TOKEN_PROGRAM,
} from './programs.ts';

/** A side of a swap. A UI unit is `multiplier` x 10^-decimals of raw units. */
export interface SwapLeg {
  readonly mint: string;
  readonly decimals: number;
  readonly multiplier: DecimalString;
}

/** Maximum input and minimum output of the wallet. Plain JSON. */
export interface SwapPromise {
  readonly wallet: string;
  readonly side: OrderSide;
  readonly input: SwapLeg;
  readonly output: SwapLeg;
  /** Input in raw units: exactly this amount is swapped. */
  readonly inAmount: string;
  /** Output in raw units, as quoted. */
  readonly outAmount: string;
  /** Minimum output in raw units, which the chain itself enforces. */
  readonly minOutAmount: string;
}

export const USDC_LEG: SwapLeg = { mint: USDC_MINT, decimals: USDC_DECIMALS, multiplier: '1' };

/** Converts a raw amount to UI units. */
export function toUi(raw: string, { decimals, multiplier }: SwapLeg): Decimal {
  return new Decimal(raw).times(multiplier).div(new Decimal(10).pow(decimals));
}

/** Converts a UI amount to raw units, rounded down. */
export function toRaw(ui: Decimal | DecimalString, { decimals, multiplier }: SwapLeg): string {
  return new Decimal(ui).times(new Decimal(10).pow(decimals)).div(multiplier).floor().toFixed(0);
}

/** Returns the US dollars per UI unit of the token, from the raw amounts of both sides. */
export function computePrice(
  { side, input, output }: Pick<SwapPromise, 'side' | 'input' | 'output'>,
  inRaw: string,
  outRaw: string,
): Decimal {
  const [given, got] = [toUi(inRaw, input), toUi(outRaw, output)];
  return side === 'buy' ? given.div(got) : got.div(given);
}

/** Programs that a swap may call at its top level. The simulation assesses what a route's own program calls. */
const SWAP_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  AGGREGATOR_PROGRAM,
]);

/** First bytes of token instructions that move, wrap or close. None of them grants a right (approve, set authority). */
const TOKEN_INSTRUCTIONS: ReadonlySet<number> = new Set([3, 9, 12, 17]);
/** System instructions: create an account, transfer, and the account of a wrapped coin. */
const SYSTEM_INSTRUCTIONS: ReadonlySet<number> = new Set([0, 2]);
/** Associated-token-account instructions: create, and create idempotently. */
const ASSOCIATED_INSTRUCTIONS: ReadonlySet<number> = new Set([0, 1]);

export interface RouteRules {
  /** Programs besides `SWAP_PROGRAMS` that routes use. */
  readonly programs: ReadonlySet<string>;
  /** Known makers that may sign with the wallet. */
  readonly makers: ReadonlySet<string>;
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** Returns why a wallet must not be asked to sign an unsigned transaction for this swap, or null. */
export function routeObjection(transaction: WireTransaction, promise: Pick<SwapPromise, 'wallet'>, rules: RouteRules): string | null {
  const { wallet } = promise;
  const signers = listSigners(transaction);
  if (!signers.includes(wallet)) return `the wallet ${wallet} does not sign it`;
  const [payer] = signers;
  if (payer !== wallet && !rules.makers.has(payer as string)) return `${payer} pays for it, who is neither the wallet nor a known maker`;
  for (const [index, signer] of signers.entries()) {
    const isSigned = (transaction.signatures[index] as Uint8Array).some((byte) => byte !== 0);
    if (signer === wallet && isSigned) return 'it already carries a signature of the wallet';
    if (signer !== wallet && !rules.makers.has(signer)) return `${signer} is to sign it, who is no known maker`;
    if (signer !== wallet && !isSigned) return `the maker ${signer} has not signed it`;
  }
  const accounts = listAccounts(transaction, rules.tables);
  for (const [index, instruction] of transaction.instructions.entries()) {
    const objection = instructionObjection(instruction, accounts, wallet, rules);
    if (objection !== null) return `instruction ${index}: ${objection}`;
  }
  return null;
}

function instructionObjection(
  { program, data, accounts }: WireInstruction,
  names: readonly string[],
  wallet: string,
  { programs }: RouteRules,
): string | null {
  const words = programWords(namedProgram(program));
  if (!SWAP_PROGRAMS.has(program) && !programs.has(program)) return `${words} is no program of a swap`;
  const tag = data[0];
  if (program === TOKEN_PROGRAM || program === TOKEN_2022) {
    // Token-2022 wraps its transfer with a fee in an extension's instruction: 26, 1.
    const isFeeTransfer = program === TOKEN_2022 && tag === 26 && data[1] === 1;
    if (!isFeeTransfer && !TOKEN_INSTRUCTIONS.has(tag ?? -1)) return `${words} is asked for more than moving tokens (instruction ${tag})`;
    // The balance of a closed account goes to its second account.
    if (tag === 9 && names[accounts[1] ?? -1] !== wallet) return `${words} closes an account in favour of another than the wallet`;
  }
  if (program === SYSTEM_PROGRAM && !(SYSTEM_INSTRUCTIONS.has(tag ?? -1) && data[1] === 0 && data[2] === 0 && data[3] === 0))
    return `${words} is asked for more than creating an account and moving lamports (instruction ${tag})`;
  if (program === ASSOCIATED_TOKEN_PROGRAM && data.length > 0 && !ASSOCIATED_INSTRUCTIONS.has(tag ?? -1))
    return `${words} is asked for more than creating an account (instruction ${tag})`;
  return null;
}

/** Maximum lamports of a swap: fees, and the rent of new accounts (two, with extensions and a margin). */
const MOST_LAMPORTS = 12_000_000n;

/** Returns why these balance changes break the promise, or null if they keep it. */
export function balanceObjection(changes: BalanceChanges, promise: SwapPromise): string | null {
  const { wallet, input, output, inAmount, minOutAmount } = promise;
  const given = -sumDelta(changes, wallet, input.mint);
  const got = sumDelta(changes, wallet, output.mint);
  if (given <= 0n) return `the wallet would give nothing of ${input.mint}`;
  if (given > BigInt(inAmount)) return `the wallet would give ${given} of ${input.mint}, more than the ${inAmount} that were asked for`;
  if (got < BigInt(minOutAmount)) return `the wallet would get ${got} of ${output.mint}, less than the ${minOutAmount} that were promised`;
  for (const { owner, mint, before, after, account } of changes.tokens)
    if (owner === wallet && mint !== input.mint && BigInt(after) < BigInt(before))
      return `the wallet would also lose of ${mint} (${account})`;
  for (const { account, before, after } of changes.lamports) {
    const lost = BigInt(before) - BigInt(after);
    if (account === wallet && lost > MOST_LAMPORTS) return `the wallet would pay ${lost} lamports for it, more than ${MOST_LAMPORTS}`;
  }
  return null;
}

/** Returns the change of an owner's balance of a mint, over all of its accounts. */
function sumDelta({ tokens }: BalanceChanges, owner: string, mint: string): bigint {
  return tokens.reduce(
    (sum, change) => (change.owner === owner && change.mint === mint ? sum + BigInt(change.after) - BigInt(change.before) : sum),
    0n,
  );
}

/** Inputs of a fill besides the balances. */
interface SwapFillInfo {
  readonly id: string;
  readonly orderId: string;
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly decisionPrice: DecimalString;
  readonly at: EpochMs;
  readonly quotes: readonly FillQuote[];
}

/**
 * Returns the fill of a finalized swap: what the wallet really gave and got, whatever the quote. Null if the balances show no trade. Both
 * amounts are booked to the last base unit, without a fee. Only the price, their quotient, is rounded. Network fees are paid in lamports
 * and not included.
 */
export function swapFill(changes: BalanceChanges, promise: SwapPromise, info: SwapFillInfo): Fill | null {
  const { wallet, side, input, output } = promise;
  const given = -sumDelta(changes, wallet, input.mint);
  const got = sumDelta(changes, wallet, output.mint);
  if (given <= 0n || got <= 0n) return null;
  const [paid, received] = [toUi(given.toString(), input), toUi(got.toString(), output)];
  const [quantity, dollars] = side === 'buy' ? [received, paid] : [paid, received];
  const price = dollars.div(quantity).toDecimalPlaces(PRICE_DECIMALS);
  if (!price.gt(0)) return null;
  return {
    id: info.id,
    orderId: info.orderId,
    bookId: info.bookId,
    instrument: info.instrument,
    side,
    quantity: plainDecimal(quantity),
    fillPrice: plainDecimal(price),
    feeUsd: '0',
    notionalUsd: plainDecimal(dollars),
    decisionPrice: info.decisionPrice,
    slippageBps: computeSlippageBps(side, info.decisionPrice, price),
    at: info.at,
    quotes: info.quotes,
  };
}

/** Inputs of a swap's order. */
export interface SwapOrderParts {
  readonly id: string;
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  /** Worst price of the swap in US dollars per UI unit. */
  readonly worstPrice: Decimal | DecimalString;
  readonly maxSlippageBps: number;
  /** Sellable quantity of the book, to the last unit. Without it only whole lots are sold. */
  readonly sellable?: DecimalString | undefined;
}

/**
 * Returns the order that risk assesses for a swap: at its worst price, and for the wallet's maximum input. Both sides are rounded up to
 * whole steps. Only a sell that leaves less than a lot of the sellable quantity is rounded down: positions of swaps are no whole number of
 * lots, and the last part of one could otherwise never be sold.
 */
export function swapOrder({ side, input, inAmount }: Pick<SwapPromise, 'side' | 'input' | 'inAmount'>, parts: SwapOrderParts): Order {
  const { lot, tick } = findMarketStep(parts.instrument);
  const given = toUi(inAmount, input);
  const inSteps = (value: Decimal, step: DecimalString, up: boolean): Decimal => {
    const steps = value.div(step);
    return (up ? steps.ceil() : steps.floor()).times(step);
  };
  // A sell's worst price is its minimum. Rounded down, the chain would still refuse it.
  const limit = inSteps(new Decimal(parts.worstPrice), tick, side === 'buy');
  const limitPrice = limit.gt(0) ? limit : new Decimal(tick);
  const counted = inSteps(side === 'buy' ? given.div(limitPrice) : given, lot, true);
  const { id, bookId, instrument, maxSlippageBps, sellable = '0' } = parts;
  const isTheRest = side === 'sell' && given.lte(sellable) && counted.gt(sellable) && given.gte(lot);
  const quantity = isTheRest ? inSteps(given, lot, false) : counted;
  return completeOrder({
    id,
    origin: 'manual',
    mode: 'live',
    bookId,
    instrument,
    side,
    quantity: plainDecimal(quantity),
    limitPrice: plainDecimal(limitPrice),
    maxSlippageBps,
  });
}
