/** Tokens launched for agents. */
import type { AgentMarket } from '../../../src/adapters/solana/agent-market.ts';
import { type RouteGroup } from '../../route.ts';
import { rankAgentTokens } from './rank.ts';
import { listStockPaired } from './stock-paired.ts';
import { getAgentToken } from './token.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly agentMarket: AgentMarket;
  }
}

export const agentMarketRoutes: RouteGroup = {
  tag: {
    name: 'agent-market',
    position: 230,
    description:
      'Holders, liquidity, risk score and returns of tokens launched for agents. An unknown input is null and counts as the highest risk.',
  },
  routes: [getAgentToken, rankAgentTokens, listStockPaired],
};
