/** Swap transactions of the aggregator: builds them with the maker's signature, and submits those that come back signed. */
import { type Address, address, type Instruction, isAddress } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import { readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { SimulatorReply } from '../reference/http-simulator.ts';
import type { SolanaChain } from '../solana/chain.ts';
import { decodeTransaction, fullySigned, type ReadTransaction } from '../solana/decode-transaction.ts';
import { COMMON_TABLE, commonAddresses, fund, type MintListing } from '../solana/genesis.ts';
import {
  associatedAccount,
  buildTransaction,
  computeLimit,
  computePrice,
  createAssociatedAccount,
  TOKEN,
  TOKEN_2022,
  type TokenTransfer,
  transferChecked,
  WRAPPED_SOL,
} from '../solana/instructions.ts';
import { type SandboxKey, sandboxKey } from '../solana/keys.ts';
import { errorSentence } from '../solana/transaction-error.ts';
import { type LaunchedRoute, launchedRoute, openRouteAccounts } from './launched-route.ts';
import { SANDBOX_MAKER } from './pool.ts';

/** Swap quote. Amounts in raw units. */
export interface SwapQuote {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: bigint;
  /** Amount that the taker receives. */
  readonly outAmount: bigint;
  /** Amount that leaves the pool, including the mint's transfer fee. */
  readonly sentAmount: bigint;
  readonly threshold: bigint;
  readonly slippageBps: number;
  /** Route through a launched token's curve or pool; absent if the maker's own pools are used. */
  readonly launched?: LaunchedRoute;
}

/**
 * Faults of a hostile aggregator: it pays somebody else, pays half, takes the taker's whole input balance, or also moves the taker's
 * lamports.
 */
const CHEATS = ['other_recipient', 'half_output', 'takes_all'] as const;
export type Cheat = (typeof CHEATS)[number];

export interface SwapBuilder {
  /** Builds an order with its transaction. If none can be built, `transaction` is empty and the error says why. */
  order(ask: {
    readonly id: string;
    readonly quote: SwapQuote;
    readonly taker: string;
    readonly receiver: string | null;
  }): { readonly fields: object } | { readonly refusal: SimulatorReply };
  swap(ask: { readonly quote: SwapQuote; readonly taker: string; readonly threshold: bigint; readonly legacy: boolean }): SimulatorReply;
  execute(ask: { readonly id: string; readonly signedTransaction: string }): SimulatorReply;
  cheat(how: Cheat | null): void;
  /** Returns the chain's newest slot. */
  slot(): number;
}

interface SwapBuilderOptions {
  readonly chain: SolanaChain;
  readonly clock: Clock;
  readonly mints: readonly MintListing[];
  readonly stable: { readonly mint: string; readonly decimals: number };
}

/** Owner of the pools' tokens, which signs their payouts. */
const MAKER = sandboxKey('maker');
const STRANGER = sandboxKey('stranger').address;
/** Maker's balance of a token in raw units, beyond any swap of the sandbox. */
const DEEP = 100_000_000_000_000_000n;
/** Maker's balance of wrapped SOL, smaller because it consists of real lamports. */
const DEEP_NATIVE = 10_000_000_000_000n;
const UNIT_LIMIT = 200_000;
const ROUTE_UNIT_LIMIT = 400_000;
const UNIT_PRICE = 10_000n;
const PRIORITY_LAMPORTS = (UNIT_PRICE * BigInt(UNIT_LIMIT)) / 1_000_000n;
const ROUTE_PRIORITY_LAMPORTS = (UNIT_PRICE * BigInt(ROUTE_UNIT_LIMIT)) / 1_000_000n;
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Lifetime of an order, in milliseconds. */
const ORDER_MS = 120_000;

interface Order {
  readonly message: Uint8Array;
  readonly quote: SwapQuote;
  readonly taker: Address;
  readonly until: EpochMs;
}

/** Returns the signers beside the taker: the maker, if it gives something. */
const listSigners = ({ launched }: Pick<SwapQuote, 'launched'>): readonly SandboxKey[] =>
  launched !== undefined && launched.maker === null ? [] : [MAKER];

/** Returns the taker's cost of signatures and priority, in lamports. */
function computeFees(quote: SwapQuote): { readonly signatures: bigint; readonly priority: bigint } {
  return {
    signatures: BigInt(1 + listSigners(quote).length) * LAMPORTS_PER_SIGNATURE,
    priority: quote.launched === undefined ? PRIORITY_LAMPORTS : ROUTE_PRIORITY_LAMPORTS,
  };
}

export function createSwapBuilder(options: SwapBuilderOptions): SwapBuilder {
  return new RouteBuilder(options);
}

interface Build {
  readonly quote: SwapQuote;
  readonly taker: Address;
  readonly receiver: Address;
  readonly legacy: boolean;
}

class RouteBuilder implements SwapBuilder {
  readonly #chain: SwapBuilderOptions['chain'];
  readonly #clock: SwapBuilderOptions['clock'];
  readonly #stable: SwapBuilderOptions['stable'];
  readonly #decimals;
  readonly #tables;
  readonly #orders = new Map<string, Order>();
  #trick: Cheat | null = null;

  constructor({ chain, clock, mints, stable }: SwapBuilderOptions) {
    this.#chain = chain;
    this.#clock = clock;
    this.#stable = stable;
    this.#decimals = new Map([[stable.mint, stable.decimals], ...mints.map((one) => [one.mint, one.decimals] as const)]);
    this.#tables = { [COMMON_TABLE]: commonAddresses({ mints: mints, stable: stable }) };
  }

  cheat(how: Cheat | null): void {
    return void (this.#trick = how);
  }

  slot(): number {
    return this.#chain.slot('processed');
  }

  order({
    id,
    quote,
    taker,
    receiver,
  }: {
    readonly id: string;
    readonly quote: SwapQuote;
    readonly taker: string;
    readonly receiver: string | null;
  }): { readonly fields: object } | { readonly refusal: SimulatorReply } {
    if (!isAddress(taker)) return unreadable('taker', 'Invalid public key');
    if (receiver !== null && (!isAddress(receiver) || receiver === taker))
      return unreadable('receiver', 'another public key than the taker is needed');
    const to = receiver === null ? taker : address(receiver);
    if (quote.launched === undefined) this.#provision(quote.outputMint, quote.sentAmount);
    const short = this.#shortage({ quote, taker, receiver: to });
    if (short !== null) return { fields: { taker, transaction: '', lastValidBlockHeight: null, ...short, error: short.errorMessage } };
    const rent = this.#rentOf(to, quote.outputMint);
    const { bytes, lastValidBlockHeight } = this.#build({ quote, taker, receiver: to, legacy: false });
    this.#forgetOld();
    this.#orders.set(id, { message: decodeTransaction(bytes).message, quote, taker, until: this.#clock.now() + ORDER_MS });
    const fees = { ...computeFees(quote), rent };
    const fields = orderFields({ taker, fees, maker: listSigners(quote).length > 0, bytes, lastValidBlockHeight });
    return { fields };
  }

  swap({
    quote,
    taker,
    threshold,
    legacy,
  }: {
    readonly quote: SwapQuote;
    readonly taker: string;
    readonly threshold: bigint;
    readonly legacy: boolean;
  }): SimulatorReply {
    if (!isAddress(taker)) return { status: 400, body: { error: 'Invalid public key' } };
    if (quote.launched === undefined) this.#provision(quote.outputMint, quote.sentAmount);
    const short = this.#shortage({ quote, taker, receiver: taker });
    const { bytes, lastValidBlockHeight } = this.#build({ quote, taker, receiver: taker, legacy });
    const slipped = quote.outAmount < threshold ? { errorCode: 'TRANSACTION_ERROR', error: 'Slippage tolerance exceeded' } : null;
    const poor = short === null ? null : { errorCode: 'TRANSACTION_ERROR', error: short.errorMessage };
    const [units, priority] = [quote.launched === undefined ? UNIT_LIMIT : ROUTE_UNIT_LIMIT, Number(computeFees(quote).priority)];
    return { status: 200, body: { ...swapFields(bytes, lastValidBlockHeight, units, priority), simulationError: slipped ?? poor } };
  }

  execute({ id, signedTransaction }: { readonly id: string; readonly signedTransaction: string }): SimulatorReply {
    this.#forgetOld();
    const order = this.#orders.get(id);
    const failed = (code: number, error: string): SimulatorReply => ({
      status: 200,
      body: { status: 'Failed', signature: '', error, code },
    });
    if (order === undefined) return failed(-1, 'Missing cached order');
    const transaction = readSigned(signedTransaction);
    if (transaction === null) return failed(-2, 'Invalid signed transaction');
    if (Buffer.compare(transaction.message, order.message) !== 0) return failed(-3, 'Invalid message bytes');
    if (!fullySigned(transaction)) return failed(-1003, 'Transaction is not fully signed');
    this.#chain.submit(transaction);
    const landed = this.#chain.landed(transaction.signature);
    const { signature } = transaction;
    if (landed === null) return { status: 200, body: { status: 'Failed', signature, error: 'Transaction failed to land', code: -1000 } };
    const { error } = landed.run;
    if (error !== null)
      return { status: 200, body: { status: 'Failed', signature, slot: String(landed.slot), error: errorSentence(error), code: -1001 } };
    return { status: 200, body: { status: 'Success', signature, slot: String(landed.slot), code: 0, ...movedFields(order.quote) } };
  }

  #held(owner: Address, mint: string): bigint | null {
    const account = this.#chain.account(this.#accountOf(owner, mint), 'processed');
    return account === null ? null : (readTokenAccount(account.data as Uint8Array)?.amount ?? null);
  }

  /** Refills the maker's balance of a mint. */
  #provision(mint: string, needed: bigint): void {
    const has = this.#held(MAKER.address, mint);
    const deep = mint === WRAPPED_SOL ? DEEP_NATIVE : DEEP;
    if (has === null || has < needed) fund(this.#chain, MAKER.address, mint, needed > deep ? needed : deep);
  }

  #transfer(mint: string, from: Address, to: Address, amount: bigint): TokenTransfer {
    const program = this.#programOf(mint);
    const places = { from: this.#accountOf(from, mint), to: this.#accountOf(to, mint) };
    return { program, mint: address(mint), decimals: this.#decimals.get(mint) as number, ...places, authority: from, amount };
  }

  /** Builds the exchange: the taker pays the input to the maker, the maker pays the output to the receiver. */
  #exchange({ quote, taker }: Build, to: Address, given: bigint): readonly Instruction[] {
    const { inputMint, outputMint } = quote;
    this.#provision(inputMint, 0n);
    this.#provision(outputMint, quote.sentAmount);
    const paid = this.#trick === 'half_output' ? quote.sentAmount / 2n : quote.sentAmount;
    return [
      transferChecked(this.#transfer(inputMint, taker, MAKER.address, given)),
      transferChecked(this.#transfer(outputMint, MAKER.address, to, paid)),
    ];
  }

  /** Builds a route through the aggregator's program, and refills the maker's balance of what it pays. */
  #throughPools({ quote, taker }: Build, { maker, ...launched }: LaunchedRoute, to: Address, given: bigint): readonly Instruction[] {
    const { quoteMint } = launched.token.keys;
    openRouteAccounts(this.#chain, MAKER, [...new Set([this.#stable.mint, quoteMint, launched.token.mint])], (mint) =>
      this.#programOf(mint),
    );
    const [input, output] = launched.direction === 'buy' ? [this.#stable.mint, quoteMint] : [quoteMint, this.#stable.mint];
    if (maker !== null) this.#provision(input, 0n);
    // A seller may get a better price than the quoted one.
    if (maker !== null) this.#provision(output, maker.got * 2n);
    const priced = maker === null || this.#trick !== 'half_output' ? maker : { ...maker, got: maker.got / 2n };
    const asked = { ...quote, taker, to, given, quoted: this.#trick === null ? quote.outAmount : 0n };
    return [
      launchedRoute({ ...launched, maker: priced }, asked, {
        stable: this.#stable.mint,
        maker: MAKER.address,
        accountOf: (owner, mint) => this.#accountOf(owner, mint),
      }),
    ];
  }

  /** Builds the transaction. The taker pays the fee and the input; the other signers have already signed. */
  #build(swap: Build): { readonly bytes: Uint8Array; readonly lastValidBlockHeight: number } {
    const { quote, taker, receiver, legacy } = swap;
    const { inputMint, outputMint, launched } = quote;
    const to = this.#trick === 'other_recipient' ? STRANGER : receiver;
    const given = this.#trick === 'takes_all' ? (this.#held(taker, inputMint) ?? quote.inAmount) : quote.inAmount;
    const moves = launched === undefined ? this.#exchange(swap, to, given) : this.#throughPools(swap, launched, to, given);
    const { blockhash, lastValidBlockHeight } = this.#chain.latestBlockhash('confirmed');
    const bytes = buildTransaction({
      version: legacy ? 'legacy' : 0,
      feePayer: taker,
      blockhash,
      instructions: [
        computeLimit(launched === undefined ? UNIT_LIMIT : ROUTE_UNIT_LIMIT),
        computePrice(UNIT_PRICE),
        createAssociatedAccount(taker, to, address(outputMint), this.#programOf(outputMint)),
        ...moves,
      ],
      tables: this.#tables,
      signers: listSigners(quote),
    });
    return { bytes, lastValidBlockHeight };
  }

  /** Returns the rent that the taker pays for a new account of the receiver, in lamports. */
  #rentOf(receiver: Address, mint: string): bigint {
    if (this.#held(receiver, mint) !== null) return 0n;
    const model = this.#chain.account(this.#accountOf(MAKER.address, mint), 'processed');
    return this.#chain.rent(model?.data.length ?? 165);
  }

  /** Returns why the taker cannot pay, with the order's error code, or null if it can. */
  #shortage({ quote, taker, receiver }: Omit<Build, 'legacy'>): { readonly errorCode: number; readonly errorMessage: string } | null {
    if ((this.#held(taker, quote.inputMint) ?? 0n) < quote.inAmount) return { errorCode: 1, errorMessage: 'Insufficient funds' };
    const lamports = this.#chain.account(taker, 'processed')?.lamports ?? 0n;
    const { signatures, priority } = computeFees(quote);
    const needed = signatures + priority + this.#rentOf(receiver, quote.outputMint);
    return lamports < needed ? { errorCode: 2, errorMessage: 'Top up SOL for gas' } : null;
  }

  #forgetOld(): void {
    for (const [id, { until }] of this.#orders) if (until < this.#clock.now()) this.#orders.delete(id);
  }

  /** Returns the token program that owns a mint. */
  #programOf(mint: string): Address {
    if (mint === this.#stable.mint) return TOKEN;
    return this.#decimals.has(mint) ? TOKEN_2022 : (this.#chain.account(address(mint), 'processed')?.programAddress ?? TOKEN);
  }

  #accountOf(owner: Address, mint: string): Address {
    return associatedAccount(owner, address(mint), this.#programOf(mint));
  }
}

/** Returns the order fields about the transaction and the taker's costs. */
function orderFields({
  taker,
  fees,
  maker,
  bytes,
  lastValidBlockHeight,
}: {
  readonly taker: string;
  readonly fees: { readonly signatures: bigint; readonly priority: bigint; readonly rent: bigint };
  /** True if the maker signs beside the taker. */
  readonly maker: boolean;
  readonly bytes: Uint8Array;
  readonly lastValidBlockHeight: number;
}): object {
  return {
    taker,
    gasless: false,
    ...(maker ? { maker: SANDBOX_MAKER } : {}),
    signatureFeeLamports: Number(fees.signatures),
    signatureFeePayer: taker,
    prioritizationFeeLamports: Number(fees.priority),
    prioritizationFeePayer: taker,
    rentFeeLamports: Number(fees.rent),
    rentFeePayer: fees.rent === 0n ? null : taker,
    transaction: Buffer.from(bytes).toString('base64'),
    lastValidBlockHeight: String(lastValidBlockHeight),
  };
}

/** Returns the first API's fields about a transaction. */
function swapFields(bytes: Uint8Array, lastValidBlockHeight: number, computeUnitLimit: number, prioritizationFeeLamports: number): object {
  const microLamports = Number(UNIT_PRICE);
  return {
    swapTransaction: Buffer.from(bytes).toString('base64'),
    lastValidBlockHeight,
    prioritizationFeeLamports,
    computeUnitLimit,
    prioritizationType: { computeBudget: { microLamports, estimatedMicroLamports: microLamports } },
    dynamicSlippageReport: null,
  };
}

/** Returns the amounts moved by an executed swap. */
function movedFields({ inputMint, outputMint, inAmount, outAmount }: SwapQuote): object {
  const amounts = { inputMint, inputAmount: inAmount.toString(), outputMint, outputAmount: outAmount.toString() };
  return {
    totalInputAmount: amounts.inputAmount,
    totalOutputAmount: amounts.outputAmount,
    inputAmountResult: amounts.inputAmount,
    outputAmountResult: amounts.outputAmount,
    swapEvents: [amounts],
  };
}

function unreadable(name: string, why: string): { readonly refusal: SimulatorReply } {
  return { refusal: { status: 400, body: { error: `Query parameter ${name} cannot be parsed: ${why}` } } };
}

function readSigned(text: string): ReadTransaction | null {
  try {
    return decodeTransaction(Buffer.from(text, 'base64'));
  } catch {
    return null;
  }
}
