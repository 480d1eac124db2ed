/** Unpaid orders of the on-chain counterpart: the quote of an order, and the unsigned transaction that pays for it. */
import { type Address, address, isAddress } from '@solana/kit';
import type { LoopbackAnswer } from '../../loopback.ts';
import {
  associatedAccount,
  buildTransaction,
  computeLimit,
  computePrice,
  createAssociatedAccount,
  TOKEN,
  transferChecked,
} from '../../solana/instructions.ts';
import { sandboxKey } from '../../solana/keys.ts';
import { listLevels, marketsNow } from './markets.ts';
import { computeFee, HUNDREDTH, MICRO, computeNotional, type OrderRecord, type VenueState } from './venue-state.ts';
import type { SeededQuestion, Venue } from '../seeded-questions.ts';

const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** Minimum order, in base units of the stablecoin. */
const LEAST_DEPOSIT = 5_000_000n;

/** Outcome that is ordered. */
interface Wanted {
  readonly question: SeededQuestion;
  readonly venue: Venue;
  readonly isYes: boolean;
}

type Terms = Pick<OrderRecord, 'deposit' | 'contractsMicro' | 'limitMicro'>;

const thousandths = (price: number): bigint => BigInt(price) * 1_000n;

/** Returns the response to an invalid request. @param param the invalid parameter */
export function refusal(counts: VenueState['counts'], status: number, message: string, param?: string): LoopbackAnswer {
  const body = { type: 'invalid_request_error', message, ...(param === undefined ? {} : { param }), request_id: `req-${++counts.made}` };
  return { status, body };
}

/** Returns the price at which the book fills the whole deposit, and the contracts bought at that price including fees. */
function swept(state: VenueState, { question, venue, isYes }: Wanted, deposit: bigint): { limit: bigint; contracts: bigint } | null {
  let left = deposit;
  for (const { price, size } of listLevels(state, question, venue, isYes, true)) {
    const at = thousandths(price);
    left -= computeNotional(BigInt(size) * MICRO, at);
    if (left > 0n) continue;
    let contracts = (deposit * MICRO) / at;
    for (let excess = 1n; contracts > 0n && excess > 0n; ) {
      excess = computeNotional(contracts, at) + computeFee(contracts, at) - deposit;
      if (excess > 0n) contracts -= (excess * MICRO) / at + 1n;
    }
    return { limit: at, contracts };
  }
  return null;
}

/** Handles `POST /orders`: creates an unpaid order and returns the transaction that pays for it. */
export function createOrder(state: VenueState, body: string): LoopbackAnswer {
  const { clock, chain, stable, orders, positionMarkets, counts } = state;
  const refuse = (status: number, message: string, param?: string) => refusal(counts, status, message, param);
  const wish = JSON.parse(body) as Record<string, unknown>;
  const { ownerPubkey, isBuy, isYes } = wish;
  if (typeof ownerPubkey !== 'string' || !isAddress(ownerPubkey)) return refuse(400, 'ownerPubkey must be an address', 'ownerPubkey');
  if (typeof isBuy !== 'boolean' || typeof isYes !== 'boolean') return refuse(400, 'isBuy and isYes must be booleans', 'isBuy');
  const marketId = isBuy ? wish['marketId'] : positionMarkets.get(String(wish['positionPubkey']));
  const found = typeof marketId === 'string' ? marketsNow(state).get(marketId) : undefined;
  if (found === undefined || typeof marketId !== 'string') return refuse(400, 'market not found', isBuy ? 'marketId' : 'positionPubkey');
  const { question, venue } = found;
  if (clock.now() >= question.resolvesAt) return refuse(400, 'market is not open', 'marketId');
  const wanted: Wanted = { question, venue, isYes };
  const terms = isBuy ? buyTerms(state, wish, wanted) : sellTerms(state, wish, wanted);
  if ('status' in terms) return terms;
  const externalId = `ext-${++counts.made}-${marketId}`;
  const account = sandboxKey(`prediction order ${externalId}`);
  const owner = ownerPubkey as Address;
  const order: OrderRecord = {
    externalId,
    account,
    escrow: associatedAccount(account.address, stable.mint, TOKEN),
    position: sandboxKey(`prediction position ${owner} ${marketId} ${isYes}`).address,
    owner,
    marketId,
    venue,
    question,
    isYes,
    isBuy,
    ...terms,
    history: [],
    keptUntil: Number.POSITIVE_INFINITY,
  };
  orders.set(account.address, order);
  positionMarkets.set(order.position, marketId);
  const { blockhash, lastValidBlockHeight } = chain.latestBlockhash('confirmed');
  const transaction = unsigned(order, stable, blockhash);
  return { status: 200, body: offer(state, order, transaction, { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) }) };
}

function buyTerms(state: VenueState, wish: Record<string, unknown>, wanted: Wanted): Terms | LoopbackAnswer {
  const { stable, counts } = state;
  const refuse = (status: number, message: string, param?: string) => refusal(counts, status, message, param);
  const amount = String(wish['depositAmount'] ?? '');
  if (!/^\d{1,18}$/.test(amount)) return refuse(400, 'depositAmount must be an amount of base units', 'depositAmount');
  if (wish['depositMint'] !== stable.mint) return refuse(400, 'depositMint is not supported', 'depositMint');
  const deposit = BigInt(amount);
  if (deposit < LEAST_DEPOSIT) return refuse(400, 'Minimum order is $5', 'depositAmount');
  const sweep = swept(state, wanted, deposit);
  if (sweep === null || sweep.contracts === 0n) return refuse(400, 'Insufficient liquidity', 'depositAmount');
  return { deposit, contractsMicro: sweep.contracts, limitMicro: sweep.limit };
}

function sellTerms(state: VenueState, wish: Record<string, unknown>, wanted: Wanted): Terms | LoopbackAnswer {
  const { positions, counts } = state;
  const { question, venue, isYes } = wanted;
  const refuse = (status: number, message: string, param?: string) => refusal(counts, status, message, param);
  const amount = String(wish['contractsMicro'] ?? '');
  if (!/^\d{1,18}$/.test(amount) || BigInt(amount) === 0n)
    return refuse(400, 'contractsMicro must be an amount of micro-contracts', 'contractsMicro');
  const contractsMicro = (BigInt(amount) / HUNDREDTH) * HUNDREDTH;
  if ((positions.get(String(wish['positionPubkey'])) ?? 0n) < contractsMicro)
    return refuse(400, 'Insufficient contracts', 'contractsMicro');
  let left = contractsMicro;
  for (const { price, size } of listLevels(state, question, venue, isYes, false)) {
    left -= BigInt(size) * MICRO;
    if (left <= 0n) return { deposit: 0n, contractsMicro, limitMicro: thousandths(price) };
  }
  return refuse(400, 'Insufficient liquidity', 'contractsMicro');
}

/** Builds the transaction that the owner signs: the deposit into the order's escrow, and a memo with the order's name. */
function unsigned(
  { owner, account, escrow, deposit, externalId, isBuy }: OrderRecord,
  { mint, decimals }: VenueState['stable'],
  blockhash: string,
): Uint8Array {
  const memo = { programAddress: MEMO, accounts: [], data: Buffer.from(externalId) };
  const paying = isBuy
    ? [
        createAssociatedAccount(owner, account.address, mint, TOKEN),
        transferChecked({
          program: TOKEN,
          mint,
          decimals,
          from: associatedAccount(owner, mint, TOKEN),
          to: escrow,
          authority: owner,
          amount: deposit,
        }),
      ]
    : [];
  return buildTransaction({
    version: 0,
    feePayer: owner,
    blockhash,
    instructions: [computeLimit(120_000), computePrice(1_000n), ...paying, memo],
    signers: [],
  });
}

function offer(
  { positions }: VenueState,
  order: OrderRecord,
  transaction: Uint8Array,
  txMeta: { readonly blockhash: string; readonly lastValidBlockHeight: number },
): object {
  const { contractsMicro, limitMicro } = order;
  const fee = computeFee(contractsMicro, limitMicro);
  return {
    transaction: Buffer.from(transaction).toString('base64'),
    txMeta,
    externalOrderId: order.externalId,
    requiredSigners: [order.owner],
    execution: { endpoint: '/api/v1/execute', context: { type: 'create_order', externalOrderId: order.externalId } },
    executionModel: null,
    settlement: null,
    order: {
      orderPubkey: order.account.address,
      orderAtaPubkey: order.escrow,
      userPubkey: order.owner,
      marketId: order.marketId,
      marketIdHash: order.marketId,
      positionPubkey: order.position,
      isBuy: order.isBuy,
      isYes: order.isYes,
      contracts: String(contractsMicro / MICRO),
      contractsMicro: String(contractsMicro),
      contractsDecimal: (Number(contractsMicro) / 1e6).toFixed(6),
      newContracts: String(contractsMicro / MICRO),
      newContractsMicro: String((positions.get(order.position) ?? 0n) + contractsMicro),
      maxBuyPriceUsd: order.isBuy ? String(limitMicro) : null,
      minSellPriceUsd: order.isBuy ? null : String(limitMicro),
      externalOrderId: order.externalId,
      orderCostUsd: String(computeNotional(contractsMicro, limitMicro)),
      newAvgPriceUsd: String(limitMicro),
      newSizeUsd: String(computeNotional(contractsMicro, limitMicro)),
      newPayoutUsd: String(contractsMicro),
      estimatedProtocolFeeUsd: '0',
      estimatedVenueFeeUsd: String(fee),
      estimatedTotalFeeUsd: String(fee),
      slippageBps: 0,
      maxSlippageBps: 200,
    },
  };
}
