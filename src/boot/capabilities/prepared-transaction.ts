/** Transactions of the primary chain that a wallet outside of the service signs: preparation, submission and execution. */
import { checkoutRules } from '../../../actors/checkout/execution.ts';
import { launchClaimRules, launchRules } from '../../../actors/launch/execution.ts';
import { launcherPaymentRules } from '../../../actors/launcher-launch/execution.ts';
import { predictionOrderRules } from '../../../actors/prediction-order/purpose.ts';
import type { ChainClient } from '../../../actors/prepared-transaction/chain-client.ts';
import {
  type TransactionSubmission,
  createTransactionSubmission,
  NO_TRANSACTION,
} from '../../../actors/prepared-transaction/submission.ts';
import { preparedTransactionKind } from '../../../actors/prepared-transaction/effects.ts';
import { transactionWorkers } from '../../../actors/prepared-transaction/execution.ts';
import type { Purposes } from '../../../actors/prepared-transaction/purpose.ts';
import { type SwapCommands, createSwapHandler, type SwapPreTrade } from '../../../actors/prepared-transaction/swap-commands.ts';
import { swapPurpose, swapSubject } from '../../../actors/prepared-transaction/swap-purpose.ts';
import type { PreTrade } from '../../../actors/proposal/present-verdict.ts';
import type { ActivityWorker } from '../../../actors/runtime/activities.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { switchedOff, type ActorCapability } from './capability.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import {
  createPreparedTransactionStore,
  readExposureVersion,
  toCapacityObstacle,
} from '../../adapters/store/orders/prepared-transaction-store.ts';
import { readProposalFacts } from '../../adapters/store/orders/proposal-facts.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { createSwapPreTrade, readLegs, swapMayLeave } from '../../trading/primary-chain.ts';
import { proposalSwapMayLeave } from '../../trading/proposal-swaps.ts';
import type { RiskDeps } from '../../trading/present-market.ts';
import type { PrimaryChain } from '../../adapters/venues/spotchain/access.ts';

/** Rules of finalized transactions, by purpose. */
const PURPOSES: Purposes = {
  swap: swapPurpose,
  prediction_order: predictionOrderRules,
  checkout: checkoutRules,
  launch: launchRules,
  launcher_payment: launcherPaymentRules,
  launch_claim: launchClaimRules,
};

const preparedTransactions = preparedTransactionKind(PURPOSES);

interface SwapDeps extends PrimaryChain {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly risk: RiskDeps;
  /** Risk of agents and Takes, whose swaps arrive here too once their owner has signed them. */
  readonly preTrade: PreTrade;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/** Creates the manual swaps on these connections. */
export function createSwaps(deps: SwapDeps): SwapCommands {
  const preTrade = createSwapPreTrade({
    ...deps.risk,
    exposureVersion: (orgId, bookId) => readExposureVersion(deps.sql, orgId, bookId),
    chain: deps.chain,
  });
  return createSwapHandler({
    runtime: deps.runtime,
    preTrade,
    submission: createSubmission(deps, preTrade),
    routes: deps.routes,
    chain: deps.chain,
    legs: (instrument) => readLegs(deps, instrument),
    rules: deps.rules,
    obstacleOf: toCapacityObstacle,
    isSilence,
    clock: deps.clock,
    newId: deps.newId,
  });
}

function createSubmission({ sql, runtime, clock, preTrade: ofProposals }: SwapDeps, preTrade: SwapPreTrade): TransactionSubmission {
  const manual = swapMayLeave(preTrade);
  const ofProposal = proposalSwapMayLeave({ store: { proposal: (id) => readProposalFacts(sql, id) }, preTrade: ofProposals });
  return createTransactionSubmission({
    runtime,
    load: createActorStore(sql).load,
    verifySignature: verifyEd25519,
    mayLeave: {
      swap: (orgId, id, context) => (swapSubject(context).proposal === undefined ? manual(orgId, id, context) : ofProposal(orgId, context)),
    },
    clock,
  });
}

/** Returns swaps without a node of the primary chain: new ones are refused, and earlier ones wait. */
export function noSwaps(find: (orgId: string, id: string) => Promise<object | null>): SwapCommands {
  const missing = 'swaps need a node of the primary chain: set SPOTCHAIN_RPC_URL';
  const { begin, goOn } = switchedOff(missing, NO_TRANSACTION, find);
  return { quote: begin, prepare: begin, execute: goOn };
}

/** Returns the activity workers of prepared transactions, by kind. */
export function preparedTransactionWorkers(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly chain: ChainClient;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}): Readonly<Record<string, ActivityWorker>> {
  return transactionWorkers({
    runtime: deps.runtime,
    load: createActorStore(deps.sql).load,
    leaseIsHeld: createProposalStore(deps.sql).leaseIsHeld,
    chain: deps.chain,
    verifySignature: verifyEd25519,
    purposes: PURPOSES,
    clock: deps.clock,
  });
}

export const preparedTransactionCapability = {
  kind: preparedTransactions,
  machineFile: 'actors/prepared-transaction/machine.ts',

  workers: (deps) => (deps.trading?.primaryChain ? preparedTransactionWorkers({ ...deps, chain: deps.trading.primaryChain.chain }) : {}),

  callers({ sql, runtime, primaryChain, risk, preTrade, clock, newId }): Pick<ApiPorts, 'swaps'> {
    const reads = createPreparedTransactionStore(sql).ofPurpose('swap');
    const commands =
      primaryChain === null ? noSwaps(reads.find) : createSwaps({ sql, runtime, ...primaryChain, risk, preTrade, clock, newId });
    return { swaps: { reads, commands } };
  },
} satisfies ActorCapability;
