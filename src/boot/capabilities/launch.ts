/** Launches on bonding curves: preparation, submission and follow-up. */
import { createClaimHandler, type LaunchClaims } from '../../../actors/launch/claim-handler.ts';
import { createLaunchHandler, type LaunchCommands, NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { launchKind } from '../../../actors/launch/effects.ts';
import { readCurveState, launchWorkers } from '../../../actors/launch/execution.ts';
import { createTransactionSubmission } from '../../../actors/prepared-transaction/submission.ts';
import { switchedOff, type ActorCapability, type CallerDeps } from './capability.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { newEphemeralKey } from '../../adapters/solana/ephemeral-key.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createLaunchStore } from '../../adapters/store/launches/launch-store.ts';
import {
  createPreparedTransactionStore,
  readExposureVersion,
  toCapacityObstacle,
} from '../../adapters/store/orders/prepared-transaction-store.ts';
import { controlEpoch } from '../../adapters/store/risk/risk-reads.ts';
import { launchProblem } from '../../domain/catalog/listed-token.ts';
import { createLaunchQuotes, quoteDollars } from '../../trading/launch-quotes.ts';
import { createLauncherLaunches } from './launcher-launch.ts';

function createLaunches({ sql, runtime, primaryChain, clock, newId }: CallerDeps): LaunchCommands {
  if (primaryChain === null || primaryChain.launchPartner === null) {
    const missing =
      primaryChain === null
        ? 'launches need a node of the primary chain: set SPOTCHAIN_RPC_URL'
        : "launches need a wallet for the partner's share of fees: set LAUNCH_PARTNER_WALLET";
    const { begin, goOn } = switchedOff(missing, NO_LAUNCH, createLaunchStore(sql).find);
    return { prepare: begin, submit: goOn };
  }
  return createLaunchHandler({
    runtime,
    load: createActorStore(sql).load,
    chain: primaryChain.chain,
    partner: primaryChain.launchPartner,
    newKey: newEphemeralKey,
    verifySignature: verifyEd25519,
    epoch: (orgId) => controlEpoch(sql, orgId),
    exposureVersion: (orgId) => readExposureVersion(sql, orgId, ''),
    listingProblem: ({ names, curve, token }, mint) =>
      launchProblem({
        mint,
        symbol: names.symbol,
        name: names.name,
        decimals: curve.decimals,
        pairedStock: token.kind === 'tokenized_equity' ? token.pricedBy : null,
        launcher: 'dbc',
        listedAt: clock.now(),
      }),
    obstacleOf: toCapacityObstacle,
    isSilence,
    clock,
    newId,
  });
}

/** Creates the commands of fee claims, if a node of the chain is configured. */
function createClaims({ sql, runtime, primaryChain, clock, newId }: CallerDeps): LaunchClaims {
  const { find } = createPreparedTransactionStore(sql).ofPurpose('launch_claim');
  const { load } = createActorStore(sql);
  if (primaryChain === null) {
    const missing = 'claims need a node of the primary chain: set SPOTCHAIN_RPC_URL';
    const { begin, goOn } = switchedOff(missing, NO_LAUNCH, createLaunchStore(sql).find);
    return { find, prepare: goOn, submit: begin };
  }
  const submission = createTransactionSubmission({
    runtime,
    load,
    verifySignature: verifyEd25519,
    // A claim only brings money in.
    mayLeave: { launch_claim: async () => ({ ok: true, value: null }) },
    clock,
  });
  const handler = createClaimHandler({
    runtime,
    load,
    chain: primaryChain.chain,
    epoch: (orgId) => controlEpoch(sql, orgId),
    exposureVersion: (orgId) => readExposureVersion(sql, orgId, ''),
    obstacleOf: toCapacityObstacle,
    isSilence,
    clock,
    newId,
  });
  return { ...handler, find, submit: (context, id, signed) => submission.submit(context, 'launch_claim', id, signed) };
}

export const launchCapability = {
  kind: launchKind,
  machineFile: 'actors/launch/machine.ts',

  workers: ({ store, runtime, trading, clock }) =>
    trading?.primaryChain
      ? launchWorkers({ runtime, load: store.load, chain: trading.primaryChain.chain, quoteUsd: quoteDollars(trading.bid, clock), clock })
      : {},

  callers(deps): Pick<ApiPorts, 'launches'> {
    const { sql, primaryChain, bus, clock } = deps;
    const quotes = createLaunchQuotes(bus, clock);
    return {
      launches: {
        reads: createLaunchStore(sql),
        commands: createLaunches(deps),
        launcher: createLauncherLaunches(deps),
        claims: createClaims(deps),
        monitor: {
          curveState: async (_, launch) => (primaryChain === null ? null : readCurveState(primaryChain.chain, launch, clock.now())),
          dollars: async (_, mint) => {
            const token = quotes.token(mint);
            return token === null ? null : quotes.dollars(token);
          },
        },
      },
    };
  },
} satisfies ActorCapability;
