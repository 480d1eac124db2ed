/** The aggregator's desk: real transactions for its quotes, which a maker has signed already, and the landing of those that come back. */
import { type Address, address, isAddress } from '@solana/kit';
import type { Clock } from '../../../streams/clock.ts';
import { readTokenAccount } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { SimulatorReply } from '../reference/http-simulator.ts';
import type { SolanaChain } from '../solana/chain.ts';
import { errorSentence } from '../solana/errors.ts';
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
} from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import { fullySigned, type ReadTransaction, readWire } from '../solana/wire.ts';
import { SANDBOX_MAKER } from './maker.ts';

/** What a pool gives for what it takes. Raw units. */
export interface SwapQuote {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inAmount: bigint;
  /** What arrives. */
  readonly outAmount: bigint;
  /** What leaves the pool: more where the mint keeps a fee. */
  readonly sentAmount: bigint;
  readonly threshold: bigint;
  readonly slippageBps: number;
}

/**
 * What a hostile aggregator does: pays out to somebody else, pays out half, takes everything that the taker has of the
 * input, or moves the taker's lamports as well.
 */
export const CHEATS = ['other_recipient', 'half_output', 'takes_all'] as const;
export type Cheat = (typeof CHEATS)[number];

export interface SwapBuilder {
  /** Fields of an order with its transaction; `transaction` is empty and says why where none could be built. */
  order(ask: {
    readonly id: string;
    readonly quote: SwapQuote;
    readonly taker: string;
    readonly receiver: string | null;
  }): { readonly fields: object } | { readonly refusal: SimulatorReply };
  swap(ask: { readonly quote: SwapQuote; readonly taker: string; readonly threshold: bigint; readonly legacy: boolean }): SimulatorReply;
  execute(ask: { readonly id: string; readonly signedTransaction: string }): SimulatorReply;
  cheat(how: Cheat | null): void;
  /** The chain's newest slot. */
  slot(): number;
}

export interface SwapBuilderOptions {
  readonly chain: SolanaChain;
  readonly clock: Clock;
  readonly mints: readonly MintListing[];
  readonly stable: { readonly mint: string; readonly decimals: number };
}

/** Owns all that pools hold, and signs what leaves them. */
const MAKER = sandboxKey('maker');
const STRANGER = sandboxKey('stranger').address;
/** More than any swap of the sandbox takes. */
const DEEP = 100_000_000_000_000_000n;
const UNIT_LIMIT = 200_000;
const UNIT_PRICE = 10_000n;
const PRIORITY_LAMPORTS = (UNIT_PRICE * BigInt(UNIT_LIMIT)) / 1_000_000n;
const SIGNATURE_LAMPORTS = 10_000n;
/** How long an order can be executed for. */
const ORDER_MS = 120_000;

interface Order {
  readonly message: Uint8Array;
  readonly quote: SwapQuote;
  readonly taker: Address;
  readonly until: EpochMs;
}

export function createSwapBuilder({ chain, clock, mints, stable }: SwapBuilderOptions): SwapBuilder {
  const decimals = new Map([[stable.mint, stable.decimals], ...mints.map((one) => [one.mint, one.decimals] as const)]);
  const tables = { [COMMON_TABLE]: commonAddresses({ mints, stable }) };
  const orders = new Map<string, Order>();
  let trick: Cheat | null = null;

  const programOf = (mint: string): Address => (mint === stable.mint ? TOKEN : TOKEN_2022);
  const accountOf = (owner: Address, mint: string): Address => associatedAccount(owner, address(mint), programOf(mint));

  function held(owner: Address, mint: string): bigint | null {
    const account = chain.account(accountOf(owner, mint), 'processed');
    return account === null ? null : (readTokenAccount(account.data as Uint8Array)?.amount ?? null);
  }

  /** The maker is never short of anything. */
  function provision(mint: string, needed: bigint): void {
    const has = held(MAKER.address, mint);
    if (has === null || has < needed) fund(chain, MAKER.address, mint, needed > DEEP ? needed : DEEP);
  }

  function transfer(mint: string, from: Address, to: Address, amount: bigint): TokenTransfer {
    const program = programOf(mint);
    const places = { from: accountOf(from, mint), to: accountOf(to, mint) };
    return { program, mint: address(mint), decimals: decimals.get(mint) as number, ...places, authority: from, amount };
  }

  interface Build {
    readonly quote: SwapQuote;
    readonly taker: Address;
    readonly receiver: Address;
    readonly legacy: boolean;
  }

  /** The taker pays for it and gives the input; the maker gives the output, and has signed already. */
  function build({ quote, taker, receiver, legacy }: Build): { readonly bytes: Uint8Array; readonly lastValidBlockHeight: number } {
    const { inputMint, outputMint } = quote;
    provision(inputMint, 0n);
    provision(outputMint, quote.sentAmount);
    const to = trick === 'other_recipient' ? STRANGER : receiver;
    const given = trick === 'takes_all' ? (held(taker, inputMint) ?? quote.inAmount) : quote.inAmount;
    const paid = trick === 'half_output' ? quote.sentAmount / 2n : quote.sentAmount;
    const { blockhash, lastValidBlockHeight } = chain.latestBlockhash('confirmed');
    const bytes = buildTransaction({
      version: legacy ? 'legacy' : 0,
      feePayer: taker,
      blockhash,
      instructions: [
        computeLimit(UNIT_LIMIT),
        computePrice(UNIT_PRICE),
        createAssociatedAccount(taker, to, address(outputMint), programOf(outputMint)),
        transferChecked(transfer(inputMint, taker, MAKER.address, given)),
        transferChecked(transfer(outputMint, MAKER.address, to, paid)),
      ],
      tables,
      signers: [MAKER],
    });
    return { bytes, lastValidBlockHeight };
  }

  /** What a new account of the receiver costs the taker. */
  function rentOf(receiver: Address, mint: string): bigint {
    if (held(receiver, mint) !== null) return 0n;
    const model = chain.account(accountOf(MAKER.address, mint), 'processed');
    return chain.rent(model?.data.length ?? 165);
  }

  /** Why the taker could not pay, with the code of the order's router; null where it can. */
  function shortage({
    quote,
    taker,
    receiver,
  }: Omit<Build, 'legacy'>): { readonly errorCode: number; readonly errorMessage: string } | null {
    if ((held(taker, quote.inputMint) ?? 0n) < quote.inAmount) return { errorCode: 1, errorMessage: 'Insufficient funds' };
    const lamports = chain.account(taker, 'processed')?.lamports ?? 0n;
    const needed = SIGNATURE_LAMPORTS + PRIORITY_LAMPORTS + rentOf(receiver, quote.outputMint);
    return lamports < needed ? { errorCode: 2, errorMessage: 'Top up SOL for gas' } : null;
  }

  function forgetOld(): void {
    for (const [id, { until }] of orders) if (until < clock.now()) orders.delete(id);
  }

  return {
    cheat: (how) => void (trick = how),
    slot: () => chain.slot('processed'),
    order({ id, quote, taker, receiver }) {
      if (!isAddress(taker)) return unreadable('taker', 'Invalid public key');
      if (receiver !== null && (!isAddress(receiver) || receiver === taker))
        return unreadable('receiver', 'another public key than the taker is needed');
      const to = receiver === null ? taker : address(receiver);
      provision(quote.outputMint, quote.sentAmount);
      const short = shortage({ quote, taker, receiver: to });
      if (short !== null) return { fields: { taker, transaction: '', lastValidBlockHeight: null, ...short, error: short.errorMessage } };
      const rent = rentOf(to, quote.outputMint);
      const { bytes, lastValidBlockHeight } = build({ quote, taker, receiver: to, legacy: false });
      forgetOld();
      orders.set(id, { message: readWire(bytes).message, quote, taker, until: clock.now() + ORDER_MS });
      const fields = {
        taker,
        gasless: false,
        maker: SANDBOX_MAKER,
        signatureFeeLamports: Number(SIGNATURE_LAMPORTS),
        signatureFeePayer: taker,
        prioritizationFeeLamports: Number(PRIORITY_LAMPORTS),
        prioritizationFeePayer: taker,
        rentFeeLamports: Number(rent),
        rentFeePayer: rent === 0n ? null : taker,
        transaction: Buffer.from(bytes).toString('base64'),
        lastValidBlockHeight: String(lastValidBlockHeight),
      };
      return { fields };
    },
    swap({ quote, taker, threshold, legacy }) {
      if (!isAddress(taker)) return { status: 400, body: { error: 'Invalid public key' } };
      provision(quote.outputMint, quote.sentAmount);
      const short = shortage({ quote, taker, receiver: taker });
      const { bytes, lastValidBlockHeight } = build({ quote, taker, receiver: taker, legacy });
      const slipped = quote.outAmount < threshold ? { errorCode: 'TRANSACTION_ERROR', error: 'Slippage tolerance exceeded' } : null;
      const poor = short === null ? null : { errorCode: 'TRANSACTION_ERROR', error: short.errorMessage };
      return {
        status: 200,
        body: {
          swapTransaction: Buffer.from(bytes).toString('base64'),
          lastValidBlockHeight,
          prioritizationFeeLamports: Number(PRIORITY_LAMPORTS),
          computeUnitLimit: UNIT_LIMIT,
          prioritizationType: { computeBudget: { microLamports: Number(UNIT_PRICE), estimatedMicroLamports: Number(UNIT_PRICE) } },
          dynamicSlippageReport: null,
          simulationError: slipped ?? poor,
        },
      };
    },
    execute({ id, signedTransaction }) {
      forgetOld();
      const order = orders.get(id);
      const failed = (code: number, error: string): SimulatorReply => ({
        status: 200,
        body: { status: 'Failed', signature: '', error, code },
      });
      if (order === undefined) return failed(-1, 'Missing cached order');
      const transaction = readSigned(signedTransaction);
      if (transaction === null) return failed(-2, 'Invalid signed transaction');
      if (Buffer.compare(transaction.message, order.message) !== 0) return failed(-3, 'Invalid message bytes');
      if (!fullySigned(transaction)) return failed(-1003, 'Transaction is not fully signed');
      chain.submit(transaction);
      const landed = chain.landed(transaction.signature);
      const { signature } = transaction;
      if (landed === null) return { status: 200, body: { status: 'Failed', signature, error: 'Transaction failed to land', code: -1000 } };
      const { error } = landed.run;
      if (error !== null)
        return { status: 200, body: { status: 'Failed', signature, slot: String(landed.slot), error: errorSentence(error), code: -1001 } };
      const { inputMint, outputMint, inAmount, outAmount } = order.quote;
      const amounts = { inputMint, inputAmount: inAmount.toString(), outputMint, outputAmount: outAmount.toString() };
      return {
        status: 200,
        body: {
          status: 'Success',
          signature,
          slot: String(landed.slot),
          code: 0,
          totalInputAmount: amounts.inputAmount,
          totalOutputAmount: amounts.outputAmount,
          inputAmountResult: amounts.inputAmount,
          outputAmountResult: amounts.outputAmount,
          swapEvents: [amounts],
        },
      };
    },
  };
}

function unreadable(name: string, why: string): { readonly refusal: SimulatorReply } {
  return { refusal: { status: 400, body: { error: `Query parameter ${name} cannot be parsed: ${why}` } } };
}

function readSigned(text: string): ReadTransaction | null {
  try {
    return readWire(Buffer.from(text, 'base64'));
  } catch {
    return null;
  }
}
