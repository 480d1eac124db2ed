/** Keeper of the on-chain counterpart: opens orders whose transactions are final, fills them in parts and refunds what was not spent. */

import { ISSUER } from '../../solana/genesis.ts';
import { associatedAccount, buildTransaction, TOKEN, transferChecked } from '../../solana/instructions.ts';
import { decodeTransaction } from '../../solana/decode-transaction.ts';
import {
  computeFee,
  sumFilled,
  HUNDREDTH,
  isClosed,
  note,
  computeNotional,
  type OrderRecord,
  sumSpent,
  type VenueState,
} from './venue-state.ts';

/** Delay from the final transaction to the first fill, and between fills. Milliseconds. */
const KEEPER_MS = 3_000;

/** Modes of the keeper: fill orders in two parts, or wait for a test's commands. */
export type KeeperMode = 'fills' | 'waits';

/** Opens orders whose transactions are final, and runs the keeper's due fills. */
export function look(state: VenueState, mode: KeeperMode): void {
  for (const order of state.orders.values()) {
    if (order.history.length === 0) open(state, order);
    else if (mode !== 'waits' && state.clock.now() >= order.keptUntil && !isClosed(order)) keep(state, order);
  }
}

function open(state: VenueState, order: OrderRecord): void {
  const { chain, clock } = state;
  const memo = `[${order.externalId.length}] ${order.externalId}`;
  const landed = chain.historyOf(order.owner).find((one) => one.memo === memo && one.run.error === null);
  if (landed === undefined || chain.commitmentOf(landed.slot) !== 'finalized') return;
  note(state, order, {
    eventType: 'order_created',
    signature: landed.signature,
    filledMicro: 0n,
    priceMicro: 0n,
    feeMicro: 0n,
    returned: null,
  });
  order.keptUntil = clock.now() + KEEPER_MS;
}

/** Fills half of the order first and the rest later. */
function keep(state: VenueState, order: OrderRecord): void {
  const left = order.contractsMicro - sumFilled(order);
  const half = (order.contractsMicro / 2n / HUNDREDTH) * HUNDREDTH;
  fill(state, order, left === order.contractsMicro && half > 0n ? half : left, order.limitMicro);
  order.keptUntil = state.clock.now() + KEEPER_MS;
}

/** Fills part of an order, and closes the order if that completes it. */
export function fill(state: VenueState, order: OrderRecord, contractsMicro: bigint, priceMicro: bigint): void {
  const { positions, counts } = state;
  const left = order.contractsMicro - sumFilled(order);
  if (contractsMicro <= 0n || contractsMicro > left) throw new RangeError(`${contractsMicro} of ${left} micro-contracts cannot be filled`);
  const signature = `fill-${counts.events + 1}`;
  const fee = computeFee(contractsMicro, priceMicro);
  // Each fill's fee is rounded up, but the deposit includes one fee: together they must not exceed the deposit.
  const unspent = order.deposit - sumSpent(order) - computeNotional(contractsMicro, priceMicro);
  const feeMicro = order.isBuy && unspent >= 0n && fee > unspent ? unspent : fee;
  note(state, order, { eventType: 'order_filled', signature, filledMicro: contractsMicro, priceMicro, feeMicro, returned: null });
  const held = positions.get(order.position) ?? 0n;
  positions.set(order.position, order.isBuy ? held + contractsMicro : held - contractsMicro);
  if (contractsMicro === left) giveBack(state, order);
}

/** Refunds the unspent part of the deposit in a transaction of its own, and closes the order. */
export function giveBack(state: VenueState, order: OrderRecord): void {
  const spent = sumSpent(order);
  const rest = order.isBuy ? order.deposit - spent : 0n;
  if (rest < 0n) throw new RangeError(`${spent} were spent of a deposit of ${order.deposit}`);
  const returned = rest === 0n ? null : refund(state, order, rest);
  note(state, order, {
    eventType: 'order_closed',
    signature: returned ?? `close-${state.counts.events + 1}`,
    filledMicro: 0n,
    priceMicro: 0n,
    feeMicro: 0n,
    returned: rest,
  });
}

function refund({ chain, stable: { mint, decimals } }: VenueState, { account, owner, escrow }: OrderRecord, amount: bigint): string {
  const bytes = buildTransaction({
    version: 0,
    feePayer: ISSUER.address,
    blockhash: chain.latestBlockhash('processed').blockhash,
    instructions: [
      transferChecked({
        program: TOKEN,
        mint,
        decimals,
        from: escrow,
        to: associatedAccount(owner, mint, TOKEN),
        authority: account.address,
        amount,
      }),
    ],
    signers: [ISSUER, account],
  });
  const transaction = decodeTransaction(bytes);
  chain.submit(transaction);
  return transaction.signature;
}

/** Fails an order and refunds the unspent part of its deposit. */
export function fail(state: VenueState, order: OrderRecord): void {
  const nothing = { filledMicro: 0n, priceMicro: 0n, feeMicro: 0n, returned: null };
  note(state, order, { eventType: 'order_failed', signature: `fail-${state.counts.events + 1}`, ...nothing });
  giveBack(state, order);
}
