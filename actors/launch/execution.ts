/** Carries out a launch: submits its transactions one after the other, and reads its curve once they are final. Idempotent. */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { readPoolConfig, readVirtualPool } from '../../src/domain/launch/curve/program.ts';
import type { CurveState } from '../../src/domain/launch/launch-state.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { transactionContext, transactionState } from '../prepared-transaction/effects.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import { type LoadActors, requireActor } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CARRY_LAUNCH, LOOK_AT_CURVE, launchContext } from './effects.ts';
import type { LaunchChain } from '../prepared-transaction/chain-client.ts';
import type { CarryAnswer } from './machine.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

interface LaunchWorkerDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  readonly chain: Pick<LaunchChain, 'accounts'>;
  /** US dollar price of one whole token, or null without a live price. */
  readonly quoteUsd: (mint: string) => DecimalString | null;
  readonly clock: Pick<Clock, 'now'>;
}

/** Reads a pool and its configuration. Null if either does not exist. */
export async function readCurveState(
  chain: Pick<LaunchChain, 'accounts'>,
  { pool, config }: { readonly pool: string; readonly config: string },
  now: number,
): Promise<CurveState | null> {
  const { slot, accounts } = await chain.accounts([pool, config]);
  const [poolAccount, configAccount] = accounts;
  const found = poolAccount == null ? null : readVirtualPool(poolAccount.data);
  const terms = configAccount == null ? null : readPoolConfig(configAccount.data);
  if (found === null || terms === null) return null;
  return {
    slot,
    at: now,
    quoteReserve: found.quoteReserve.toString(),
    baseReserve: found.baseReserve.toString(),
    sqrtPrice: found.sqrtPrice.toString(),
    migrationQuoteThreshold: terms.migrationQuoteThreshold.toString(),
    creatorQuoteFee: found.creatorQuoteFee.toString(),
    creatorBaseFee: found.creatorBaseFee.toString(),
    partnerQuoteFee: found.partnerQuoteFee.toString(),
    partnerBaseFee: found.partnerBaseFee.toString(),
    totalTradingQuoteFee: found.totalTradingQuoteFee.toString(),
    totalTradingBaseFee: found.totalTradingBaseFee.toString(),
    migrationProgress: found.migrationProgress,
    isMigrated: found.isMigrated === 1,
  };
}

export function launchWorkers(deps: LaunchWorkerDeps): Readonly<Record<string, ActivityWorker>> {
  /** Submits a transaction. Changes nothing if it was submitted before. */
  async function handOver(transactionId: string, signedBase64: string, signature: string, subject: string): Promise<void> {
    try {
      await deps.runtime.deliver(transactionId, { type: 'submit', signedBase64, signature, subject }, { cause: `launch ${subject}` });
    } catch (error) {
      // A halt came: nothing more is sent, and unsent transactions expire by themselves.
      if (!(error instanceof PermitLost)) throw error;
    }
  }

  async function carry(id: string): Promise<CarryAnswer> {
    const launch = launchContext((await requireActor(deps.load, id)).state);
    const rows = await deps.load(launch.transactionIds);
    const states = launch.transactionIds.map((one) => transactionState((rows.get(one) as ActorRow).state));
    for (const [index, state] of states.entries()) {
      if (state !== 'expired' && state !== 'failed') continue;
      const { reason, detail } = transactionContext((rows.get(launch.transactionIds[index] as string) as ActorRow).state);
      const part = states.length === 1 ? 'the transaction' : `transaction ${index + 1} of ${states.length}`;
      const why = state === 'expired' ? 'was not signed and sent in time' : 'landed and failed';
      return { outcome: 'ended', how: state, reason: reason ?? `transaction_${state}`, detail: detail ?? `${part} ${why}` };
    }
    const isSettled = (state: string | undefined): boolean => state === 'confirmed' || state === 'finalized';
    if (launch.signed !== null) {
      const next = states.findIndex((state, index) => state === 'prepared' && (index === 0 || isSettled(states[index - 1])));
      if (next >= 0)
        await handOver(
          launch.transactionIds[next] as string,
          launch.signed[next] as string,
          launch.signatures[next] as string,
          launch.submittedBy as string,
        );
    }
    if (states.every((state) => state === 'finalized')) return { outcome: 'finalized' };
    return states.every(isSettled) ? { outcome: 'confirmed' } : { outcome: 'waits' };
  }

  async function look(id: string): Promise<CarryAnswer> {
    try {
      const launch = launchContext((await requireActor(deps.load, id)).state);
      const standing = await readCurveState(deps.chain, launch, deps.clock.now());
      if (standing === null) return { outcome: 'silent', detail: 'the node does not know the pool yet' };
      const startQuoteUsd = launch.standing === null ? deps.quoteUsd(launch.quoteMint) : (launch.standing.startQuoteUsd ?? null);
      return { outcome: 'looked', standing: { ...standing, startQuoteUsd } };
    } catch (error) {
      // The chart reads again by its own timer.
      return { outcome: 'silent', detail: errorText(error) };
    }
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['launchId'] as string;
  return {
    [CARRY_LAUNCH]: async (payload) => (await carry(readId(payload))) as unknown as Json,
    [LOOK_AT_CURVE]: async (payload) => (await look(readId(payload))) as unknown as Json,
  };
}

/** Rules of launches for prepared transactions: the chain must accept them. The launch itself reads their result. */
export const launchRules: PurposeRules = {
  // Only the transaction with the first buy has an amount.
  dollarsPaid: ({ subject }) => (typeof subject['dollarsPaid'] === 'string' ? subject['dollarsPaid'] : '0'),
  // No received amount can be short: the message itself fixes the output of the first buy.
  objection: () => null,
  settle: () => [],
};

/** Rules of claims: the program decides its payout, no received amount can be short, and nothing is paid. */
export const launchClaimRules: PurposeRules = { ...launchRules, dollarsPaid: () => '0' };
