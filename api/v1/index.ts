/** Groups of routes, in the order of the document. A route that is in none is not served. */

import { operationRoutes } from '../operation/operation-routes.ts';
import type { Route, RouteGroup } from '../route.ts';
import { actorRoutes, interventionRoutes } from './actors/actor-routes.ts';
import { agentMarketRoutes } from './agent-market/agent-market-routes.ts';
import { proposalRoutes } from './agent-orders/proposal-routes.ts';
import { vaultRoutes } from './agent-vaults/vault-routes.ts';
import { agentReadRoutes, agentRoutes } from './agents/agent-routes.ts';
import { arbitrageRoutes } from './arbitrage/arbitrage-routes.ts';
import { bookRoutes } from './books/book-routes.ts';
import { bridgeRoutes } from './bridge/bridge-routes.ts';
import { copilotRoutes } from './copilot/copilot-routes.ts';
import { delegationRoutes } from './delegations/delegation-routes.ts';
import { intelligenceRoutes } from './intelligence/intelligence-routes.ts';
import { launchFollowUpRoutes, launchRoutes } from './launches/launch-routes.ts';
import { leaderboardRoutes } from './leaderboard/leaderboard-routes.ts';
import { machineRoutes } from './machines/machine-routes.ts';
import { marketRoutes } from './market/market-routes.ts';
import { marketOrderRoutes } from './market-orders/market-order-routes.ts';
import { marketplaceRoutes } from './marketplace/marketplace-routes.ts';
import { memberRoutes } from './members/member-routes.ts';
import { predictionMarketRoutes } from './prediction-markets/prediction-market-routes.ts';
import { predictionOrderRoutes } from './prediction-orders/prediction-order-routes.ts';
import { rankingRoutes } from './rankings/ranking-routes.ts';
import { riskRoutes } from './risk/risk-routes.ts';
import { runtimeRoutes } from './runtime/runtime-routes.ts';
import { identityRoutes } from './session/identity-routes.ts';
import { spotchainRoutes } from './spotchain/spotchain-routes.ts';
import { takeRoutes } from './takes/take-routes.ts';
import { walletRoutes } from './wallets/wallet-routes.ts';

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
