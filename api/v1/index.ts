/** Groups of routes, in the order of the document. A route that is in none is not served. */
import { operationRoutes } from '../operation/operation-routes.ts';
import type { Route, RouteGroup } from '../route.ts';
import { actorRoutes, interventionRoutes } from './actors.ts';
import { agentMarketRoutes } from './agent-market.ts';
import { proposalRoutes } from './agent-orders.ts';
import { vaultRoutes } from './agent-vaults.ts';
import { agentReadRoutes, agentRoutes } from './agents/agents.ts';
import { arbitrageRoutes } from './arbitrage.ts';
import { bookRoutes } from './books/books.ts';
import { bridgeRoutes } from './bridge.ts';
import { copilotRoutes } from './copilot/copilot.ts';
import { delegationRoutes } from './delegations.ts';
import { identityRoutes } from './identity.ts';
import { intelligenceRoutes } from './intelligence/intelligence.ts';
import { launchFollowUpRoutes, launchRoutes } from './launches/launches.ts';
import { leaderboardRoutes } from './leaderboard.ts';
import { machineRoutes } from './machines.ts';
import { marketRoutes } from './market/market.ts';
import { predictionMarketRoutes } from './market/prediction-markets.ts';
import { marketOrderRoutes } from './market-orders.ts';
import { marketplaceRoutes } from './marketplace.ts';
import { memberRoutes } from './members.ts';
import { predictionOrderRoutes } from './prediction-orders.ts';
import { rankingRoutes } from './rankings/rankings.ts';
import { riskRoutes } from './risk.ts';
import { runtimeRoutes } from './runtime.ts';
import { spotchainRoutes } from './spotchain.ts';
import { takeRoutes } from './takes.ts';
import { walletRoutes } from './wallets.ts';

export const ROUTE_GROUPS: readonly RouteGroup[] = [
  operationRoutes,
  identityRoutes,
  memberRoutes,
  intelligenceRoutes,
  rankingRoutes,
  riskRoutes,
  bookRoutes,
  spotchainRoutes,
  marketRoutes,
  marketOrderRoutes,
  predictionMarketRoutes,
  predictionOrderRoutes,
  bridgeRoutes,
  walletRoutes,
  agentRoutes,
  proposalRoutes,
  agentReadRoutes,
  actorRoutes,
  runtimeRoutes,
  interventionRoutes,
  vaultRoutes,
  machineRoutes,
  launchRoutes,
  agentMarketRoutes,
  launchFollowUpRoutes,
  marketplaceRoutes,
  leaderboardRoutes,
  arbitrageRoutes,
  copilotRoutes,
  takeRoutes,
  delegationRoutes,
];

export const ROUTES: readonly Route[] = ROUTE_GROUPS.flatMap(({ routes }) => routes);
