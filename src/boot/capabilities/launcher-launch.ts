/** Launches by the external launcher: quotes, submission and follow-up. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { createLauncherHandler, type LauncherClient, type LauncherLaunchCommands } from '../../../actors/launcher-launch/commands.ts';
import { launcherLaunchKind } from '../../../actors/launcher-launch/effects.ts';
import { launcherWorkers } from '../../../actors/launcher-launch/execution.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createLaunchStore } from '../../adapters/store/launches/launch-store.ts';
import { readExposureVersion, toCapacityObstacle } from '../../adapters/store/orders/prepared-transaction-store.ts';
import { controlEpoch } from '../../adapters/store/risk/risk-reads.ts';
import { launchProblem } from '../../domain/catalog/listed-token.ts';
import { refuse } from '../../domain/values/refusal.ts';
import type { ActorCapability, CallerDeps } from './capability.ts';

const NO_LAUNCHER = 'the external launcher is not configured: set AGENTLAUNCH_URL and SPOTCHAIN_RPC_URL';

/** Returns the public queries of the launcher. */
export function launcherPairs(launcher: LauncherClient | null): Pick<LauncherClient, 'pairs'> {
  return { pairs: async () => (launcher === null ? refuse('feature_disabled', NO_LAUNCHER) : launcher.pairs()) };
}

/** Creates the commands of one organization's launches through the launcher. The capability of launches passes them to the API. */
export function createLauncherLaunches(deps: CallerDeps): LauncherLaunchCommands {
  const { sql, runtime, primaryChain, launcher, clock, newId } = deps;
  if (primaryChain === null || launcher === null) {
    const off = async () => refuse('feature_disabled', NO_LAUNCHER);
    const { find } = createLaunchStore(sql);
    return {
      quote: off,
      submit: async ({ orgId }, id) => ((await find(orgId, id))?.kind === 'launcher' ? off() : refuse('not_found', NO_LAUNCH)),
    };
  }
  return createLauncherHandler({
    runtime,
    load: createActorStore(sql).load,
    launcher,
    chain: primaryChain.chain,
    verifySignature: verifyEd25519,
    epoch: (orgId) => controlEpoch(sql, orgId),
    exposureVersion: (orgId) => readExposureVersion(sql, orgId, ''),
    // The mint is unknown before the launch. The wallet takes its place, because it is not a mint.
    listingProblem: ({ symbol, name, pairedStock, wallet }) =>
      launchProblem({ mint: wallet, symbol, name, decimals: 6, pairedStock, launcher: 'agentlaunch', listedAt: clock.now() }),
    obstacleOf: toCapacityObstacle,
    isSilence,
    clock,
    newId,
  });
}

export const launcherLaunchCapability = {
  kind: launcherLaunchKind,
  machineFile: 'actors/launcher-launch/machine.ts',

  workers({ store, runtime, trading }) {
    const { primaryChain, launcher } = trading ?? {};
    if (primaryChain == null || launcher == null) return {};
    return launcherWorkers({ runtime, load: store.load, launcher, mintInfo: primaryChain.chain.mintInfo });
  },
} satisfies ActorCapability;
