/**
 * Takes live orders in two steps (spec 4.4, 5.5): prepare asks the venue for a transaction, judges exactly what it would
 * come to and stores it; execute takes the signed bytes. The venue fills what was opened, later.
 */
import { LicenceLost } from '../../src/domain/execution.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/decimal.ts';
import { type Order, orderOf } from '../../src/domain/order.ts';
import { takerFeeUsd } from '../../src/domain/prediction-market.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { depositObjection, depositTransactionObjection } from '../../src/domain/transaction/prediction-deposit.ts';
import { readTransaction, signersOf, type WireTransaction } from '../../src/domain/transaction/message.ts';
import { fromBase64, preparedMessageOf } from '../../src/domain/transaction/verify.ts';
import type { Clock } from '../../streams/clock.ts';
import type { CommandContext } from '../agent/commands.ts';
import { answeredMeanwhile, answerRows, auditRow } from '../agent/command-rows.ts';
import type { ChainDoor } from '../prepared-transaction/chain-door.ts';
import type { PreparedTransactionView, TransactionSubmission } from '../prepared-transaction/commands.ts';
import { transactionView } from '../prepared-transaction/commands.ts';
import type { PreparedTransactionInput, ResolvedLookup } from '../prepared-transaction/protocol.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { blockedBy, inputOf, predictionOrderView } from './command-desk.ts';
import type { LivePredictionOrders, PredictionOrderView, PredictionPreTrade, PredictionVerdict } from './commands.ts';
import type { OnchainOffer, OnchainVenue } from './onchain-venue.ts';
import type { PredictionSubject } from './purpose.ts';

/** A blockhash is good for 150 blocks; what claims to be good for much longer would reserve for as long. */
const MOST_BLOCKS_AHEAD = 300;
/** How often an order is judged anew where what it was judged on moved until its birth. */
const ATTEMPTS = 5;

export const NO_ORDER = 'there is no prediction order with this id';

export interface LivePredictionDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  /** Prices and judges on the book of the very venue that the order goes to. */
  readonly preTrade: PredictionPreTrade;
  readonly venue: OnchainVenue;
  readonly chain: Pick<ChainDoor, 'simulate' | 'lookupTable' | 'blockHeight'>;
  readonly submission: TransactionSubmission;
  readonly orders: {
    find(orgId: string, id: string): Promise<PredictionOrderView | null>;
    /** The account of the position that a wallet has in an outcome; null where no order of ours opened one. */
    positionOf(orgId: string, wallet: string, instrument: string): Promise<string | null>;
  };
  /** What a judgement rests on, and the rows that hold it until the birth; see `isMoved` and `isFull`. */
  readonly room: {
    ground(orgId: string, bookId: string): Promise<string>;
    record(orgId: string, bookId: string, ground: string): { readonly type: string; readonly [field: string]: unknown };
  };
  readonly isMoved: (error: unknown) => boolean;
  readonly isFull: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

export function createLivePredictionDesk(deps: LivePredictionDeps): LivePredictionOrders {
  const { venue, clock, runtime } = deps;

  return {
    async prepare(context, wish, wallet) {
      const id = deps.newId();
      for (let attempt = 1; ; attempt++) {
        const made = await offered(context.orgId, id, wish, wallet);
        if (!made.ok) return made;
        try {
          return { ok: true, value: await born(context, id, wish.outcome, wallet, made.value) };
        } catch (error) {
          if (error instanceof LicenceLost) return refuse('halted', 'an emergency halt came while this was prepared; it was not stored');
          if (deps.isFull(error))
            return refuse('too_many_prepared', 'too many prepared transactions are open: sign them or wait until they have expired');
          if (deps.isMoved(error) && attempt < ATTEMPTS) continue;
          if (deps.isMoved(error)) return refuse('unavailable', 'other orders kept changing the book: try again');
          return answeredMeanwhile(error);
        }
      }
    },

    async execute(context, orderId, signedBase64) {
      const order = await deps.orders.find(context.orgId, orderId);
      if (order === null) return refuse('not_found', NO_ORDER);
      if (order.onchain === null) return refuse('state_conflict', 'a paper order is filled when it is placed: nothing is executed');
      const submitted = await deps.submission.submit(context, 'prediction_order', order.onchain.transactionId, signedBase64);
      // Only a word in advance: the order asks after its transaction by itself.
      if (submitted.ok)
        await runtime.deliver(orderId, { type: 'transaction.submitted' }, { cause: `${context.subject} ${context.requestId}` });
      return submitted;
    },
  };

  /** The order that the venue would carry out, judged, with its transaction looked through. */
  async function offered(
    orgId: string,
    id: string,
    wish: Parameters<LivePredictionOrders['prepare']>[1],
    wallet: string,
  ): Promise<Outcome<Offered>> {
    const judged = await deps.preTrade.judge(orgId, id, 'live', wish);
    if (!judged.ok) return judged;
    const blocked = blockedBy(judged.value);
    if (blocked !== null) return blocked;
    const { market, order: wished } = judged.value;
    const positionAccount = wished.side === 'buy' ? null : await deps.orders.positionOf(orgId, wallet, wished.instrument);
    if (wished.side === 'sell' && positionAccount === null)
      return refuse('state_conflict', `the wallet ${wallet} has no position in ${wished.instrument} that was opened here`);
    const depositUsd = wished.side === 'sell' ? '0' : depositOf(wished, takerFeeUsd(market.fee, wished.limitPrice, wished.quantity));
    const offer = await venue.offer({ wallet, market, outcome: wish.outcome, order: wished, depositUsd, positionAccount });
    if (!offer.ok) return offer;
    const order = orderOf({ ...wished, quantity: offer.value.quantity, limitPrice: offer.value.limitPrice });
    const worse = worseThanWished(wished, order);
    if (worse !== null) return refuse('state_conflict', worse);
    const ground = await deps.room.ground(orgId, order.bookId);
    const final = await deps.preTrade.rejudge(orgId, market, order);
    if (!final.ok) return final;
    const refused = blockedBy(final.value);
    if (refused !== null) return refused;
    const transaction = await lookedThrough(wallet, offer.value, depositUsd);
    return transaction.ok
      ? {
          ok: true,
          value: { judged: { ...final.value, touch: judged.value.touch }, offer: offer.value, depositUsd, ground, ...transaction.value },
        }
      : transaction;
  }

  /** The offered transaction, where a wallet may be asked to sign it: its programs, its signers, and what it would do now. */
  async function lookedThrough(
    wallet: string,
    offer: OnchainOffer,
    depositUsd: DecimalString,
  ): Promise<Outcome<Pick<Offered, 'transaction' | 'lookups' | 'promise'>>> {
    const bytes = fromBase64(offer.transactionBase64);
    if (bytes === null) return refuse('route_refused', 'the venue gave a transaction that is not base64');
    const read = readTransaction(bytes);
    if (!read.ok) return refuse('route_refused', `the venue gave a transaction that cannot be read: ${read.refusal.detail}`);
    const transaction = read.value;
    if (transaction.blockhash !== offer.blockhash)
      return refuse('route_refused', 'the transaction has another blockhash than the venue says');
    const ahead = offer.lastValidBlockHeight - (await deps.chain.blockHeight('confirmed'));
    if (ahead <= 0 || ahead > MOST_BLOCKS_AHEAD)
      return refuse('route_refused', `it would be valid for ${ahead} more blocks; 1 to ${MOST_BLOCKS_AHEAD} are right`);
    const lookups = await resolved(transaction);
    if (lookups === null) return refuse('route_refused', 'the transaction names a lookup table that the chain does not have');
    const tables = new Map(lookups.map(({ table, places, addresses }) => [table, spread(places, addresses)]));
    const depositRaw = new Decimal(depositUsd).times(new Decimal(10).pow(venue.stable.decimals)).toFixed(0);
    const promise = { wallet, mint: venue.stable.mint, depositRaw, escrowAccount: offer.escrowAccount };
    const objection = depositTransactionObjection(transaction, promise, venue.programs, tables);
    if (objection !== null) return refuse('route_refused', `the venue gave a transaction that nobody should sign: ${objection}`);
    if (signersOf(transaction).length !== 1)
      return refuse('route_refused', 'the transaction asks for another signature than that of the wallet');
    const simulation = await deps.chain.simulate(bytes);
    if (simulation.error !== null)
      return refuse(
        'state_conflict',
        `the chain would refuse it now: ${simulation.error}; does the wallet hold the deposit of ${depositUsd} and the fee?`,
      );
    const broken = depositObjection(simulation.changes, promise);
    return broken === null
      ? { ok: true, value: { transaction, lookups, promise } }
      : refuse('route_refused', `the transaction is not the promised one: ${broken}`);
  }

  async function resolved({ lookups }: WireTransaction): Promise<ResolvedLookup[] | null> {
    const found: ResolvedLookup[] = [];
    for (const { table, writable, readonly } of lookups) {
      const all = await deps.chain.lookupTable(table);
      const places = [...writable, ...readonly];
      const addresses = places.map((place) => all?.[place]);
      if (addresses.some((each) => each === undefined)) return null;
      found.push({ table, places, addresses: addresses as string[] });
    }
    return found;
  }

  /** First the transaction, which reserves; then the order. Where the second is never born, the first one expires by itself. */
  async function born(
    context: CommandContext,
    orderId: string,
    outcome: 'yes' | 'no',
    wallet: string,
    { judged, offer, depositUsd, ground, transaction, lookups, promise }: Offered,
  ): Promise<{ readonly order: PredictionOrderView; readonly transaction: PreparedTransactionView }> {
    const { order } = judged;
    const createdAt = clock.now();
    const transactionId = deps.newId();
    const subject: PredictionSubject = { orderId, ...promise };
    const { bookId, instrument, side, quantity, notionalUsd } = order;
    const input: PreparedTransactionInput = {
      purpose: 'prediction_order',
      subject: subject as never,
      wallet,
      prepared: preparedMessageOf(transaction, offer.lastValidBlockHeight),
      unsignedBase64: offer.transactionBase64,
      lookups,
      reservation: { bookId, instrument, side, quantity, notionalUsd },
      executor: 'user',
      preparedBy: context.subject,
      epoch: judged.epoch,
      createdAt,
    };
    const cause = `${context.subject} ${context.requestId}`;
    const prepared = await runtime.start('prepared_transaction', transactionId, context.orgId, input as never, {
      cause,
      also: () => [deps.room.record(context.orgId, bookId, ground)],
    });
    const { venueMarketId, orderAccount, escrowAccount, positionAccount } = offer;
    const onchain = { wallet, transactionId, venueMarketId, orderAccount, escrowAccount, positionAccount, depositUsd };
    const view = transactionView(transactionId, prepared.state, createdAt);
    const begun = inputOf(judged, outcome, context.subject, createdAt, {
      begins: 'prepared',
      reason: null,
      detail: null,
      fills: [],
      onchain,
    });
    const plan = await runtime.start('prediction_order', orderId, context.orgId, begun as never, {
      cause,
      also: (begins) => [
        auditRow(context, 'prediction_order.prepare', orderId, null, begins.state),
        ...answerRows(context, { order: predictionOrderView(orderId, begins.state, createdAt), transaction: view }),
      ],
    });
    return { order: predictionOrderView(orderId, plan.state, createdAt), transaction: view };
  }
}

interface Offered {
  readonly judged: PredictionVerdict;
  readonly offer: OnchainOffer;
  readonly depositUsd: DecimalString;
  readonly ground: string;
  readonly transaction: WireTransaction;
  readonly lookups: readonly ResolvedLookup[];
  readonly promise: Omit<PredictionSubject, 'orderId'>;
}

/** What an order costs at its worst, in whole millionths of a dollar: the notional and the fee. @throws Error for an unknown fee. */
function depositOf({ notionalUsd }: Order, feeUsd: DecimalString | null): DecimalString {
  if (feeUsd === null) throw new Error('an order whose fee is not known was let through');
  return plainDecimal(new Decimal(notionalUsd).plus(feeUsd).toDecimalPlaces(6, Decimal.ROUND_UP));
}

/** Why what the venue would carry out is worse than what was wished; null where it is not. */
function worseThanWished(wished: Order, offered: Order): string | null {
  const buys = wished.side === 'buy';
  const beyond = buys ? new Decimal(offered.limitPrice).gt(wished.limitPrice) : new Decimal(offered.limitPrice).lt(wished.limitPrice);
  if (beyond)
    return `the venue would ${buys ? 'pay up to' : 'take down to'} ${offered.limitPrice}, and the worst acceptable price is ${wished.limitPrice}: ask for less, or accept a worse price`;
  if (!buys && !new Decimal(offered.quantity).eq(wished.quantity))
    return `the venue would sell ${offered.quantity} contracts instead of ${wished.quantity}`;
  return new Decimal(offered.quantity).gt(0) ? null : 'the venue would trade nothing';
}

/** Addresses at their places of a table. */
function spread(places: readonly number[], addresses: readonly string[]): readonly string[] {
  const table: string[] = [];
  for (const [index, place] of places.entries()) table[place] = addresses[index] as string;
  return table;
}
