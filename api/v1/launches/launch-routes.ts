/** Launches and claims of their fees. */
import type { LaunchClaims, LaunchCommands } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LauncherClient, LauncherLaunchCommands } from '../../../actors/launcher-launch/commands.ts';
import type { LaunchReads } from '../../../src/adapters/store/launches/launch-store.ts';
import type { CurveState } from '../../../src/domain/launch/launch-state.ts';
import type { TokenDollars } from '../../../src/domain/launch/quote-tokens.ts';
import type { LaunchQuotes } from '../../../src/trading/launch-quotes.ts';
import { type RouteGroup, renamed } from '../../route.ts';
import { getLaunch } from './get.ts';
import { getLaunchClaim } from './get-claim.ts';
import { listLauncherPairs } from './launcher-pairs.ts';
import { quoteLauncherLaunch } from './launcher-quote.ts';
import { listLaunches } from './list.ts';
import { monitorLaunch } from './monitor.ts';
import { prepareLaunch } from './prepare.ts';
import { prepareLaunchClaim } from './prepare-claim.ts';
import { listPresets } from './preset-list.ts';
import { previewLaunch } from './preview.ts';
import { getLaunchPriceHistory } from './price-history.ts';
import { submitLaunch } from './submit.ts';
import { submitLaunchClaim } from './submit-claim.ts';
import { listLaunchTransactions } from './transactions.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly launches: {
      readonly reads: LaunchReads;
      readonly commands: LaunchCommands;
      /** Launches by the external launcher. */
      readonly launcher: LauncherLaunchCommands;
      readonly claims: LaunchClaims;
      readonly monitor: {
        /**
         * Returns the present state on the chain, or null if no node is configured or there is no such pool yet. @throws if the node does not
         * answer.
         */
        curveState(orgId: string, launch: Pick<Launch, 'pool' | 'config'>): Promise<CurveState | null>;
        /** Price of a whole token of the quote now; null if nothing live prices it. */
        dollars(orgId: string, mint: string): Promise<TokenDollars | null>;
      };
    };
    readonly launchQuotes: LaunchQuotes;
    /** External launcher, for public reads. */
    readonly launcher: Pick<LauncherClient, 'pairs'>;
  }
}

export const launchRoutes: RouteGroup = {
  tag: {
    name: 'launches',
    position: 220,
    description:
      'Token launches on a bonding curve or with the external launcher, and claims of their fees. Preview, prepare, sign with the creator’s wallet within a minute, submit, then follow the launch. Expired transactions must be prepared again.',
  },
  routes: [listPresets, previewLaunch, prepareLaunch, submitLaunch, listLauncherPairs, quoteLauncherLaunch, listLaunches],
};

export const launchFollowUpRoutes: RouteGroup = {
  tag: launchRoutes.tag,
  routes: [
    getLaunch,
    monitorLaunch,
    ...renamed(getLaunchPriceHistory, {
      url: '/v1/launches/:id/course',
      name: 'getLaunchCourse',
      since: '2026-11-27',
    }),
    listLaunchTransactions,
    prepareLaunchClaim,
    submitLaunchClaim,
    getLaunchClaim,
  ],
};
