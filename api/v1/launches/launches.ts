/** Launches of an organization, by a bonding curve or by the external launcher, and the group of all their routes. */
import { Type } from 'typebox';
import { type LaunchClaims } from '../../../actors/launch/claim-handler.ts';
import { type LaunchCommands, NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LauncherLaunchCommands } from '../../../actors/launcher-launch/commands.ts';
import type { LaunchReads } from '../../../src/adapters/store/launches/launch-store.ts';
import type { CurveState } from '../../../src/domain/launch/launch-state.ts';
import type { TokenDollars } from '../../../src/domain/launch/quote-tokens.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute, type RouteGroup, renamed } from '../../route.ts';
import { choice, IdText, nullable, objectSchema, pageFields, pageSchema } from '../../shapes.ts';
import { listPresets, prepareLaunch, previewLaunch, submitLaunch } from './curve-launches.ts';
import { AnyLaunchBody, anyLaunchBody, LaunchPath } from './launch-body.ts';
import { getLaunchClaim, prepareLaunchClaim, submitLaunchClaim } from './launch-claims.ts';
import { getLaunchPriceHistory, monitorLaunch } from './launch-monitor.ts';
import { listLauncherPairs, quoteLauncherLaunch } from './launcher-launches.ts';

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
  }
}

const listLaunches = defineRoute({
  method: 'GET',
  url: '/v1/launches',
  name: 'listLaunches',
  tag: 'launches',
  summary: 'Launches of tokens, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of launches.', schema: pageSchema(AnyLaunchBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'launches', POSITIONS.number);
    return pageBody(await ports.launches.reads.list(requireMember(request).orgId, page), 'launches', (launch) =>
      anyLaunchBody(launch, ports.clock.now()),
    );
  },
});

const getLaunch = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id',
  name: 'getLaunch',
  tag: 'launches',
  summary: 'One launch',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: 'The launch.', schema: AnyLaunchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const launch = id === null ? null : await ports.launches.reads.find(requireMember(request).orgId, id);
    return launch === null ? sendProblem(reply, 'not_found', NO_LAUNCH) : anyLaunchBody(launch, ports.clock.now());
  },
});

const LaunchTransactionBody = Type.Object(
  {
    id: IdText,
    wallet: Type.String({ description: 'Wallet that signs and pays.' }),
    state: choice(PREPARED_TRANSACTION_STATES, 'It can be signed while it is `prepared`.'),
    transaction: Type.String({ description: 'The unsigned bytes, base64; keys that the service made have signed already.' }),
    lastValidBlockHeight: Type.Integer(),
    signature: nullable('string'),
  },
  { $id: 'LaunchTransaction' },
);

const listLaunchTransactions = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/transactions',
  name: 'listLaunchTransactions',
  tag: 'launches',
  summary: 'The transactions of a launch, in the order in which they land',
  description:
    'Unsigned transactions of a launch; for the external launcher, its payment. Sign those that are `prepared` and submit them together.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: 'The transactions.', schema: Type.Object({ items: Type.Array(LaunchTransactionBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const id = idInPath(request.params);
    const launch = id === null ? null : await ports.launches.reads.find(orgId, id);
    if (launch === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
    const found = await ports.launches.reads.transactions(orgId, launch.id);
    return {
      items: found.map(({ id, wallet, state, unsigned, message, signature }) => ({
        id,
        wallet,
        state,
        transaction: unsigned,
        lastValidBlockHeight: message.lastValidBlockHeight,
        signature,
      })),
    };
  },
});

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
