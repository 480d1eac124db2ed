/** Books and the portfolio. */
import type { BookReads } from '../../../src/adapters/store/books/book-reads.ts';
import type { PortfolioReads } from '../../../src/trading/portfolio.ts';
import { type RouteGroup } from '../../route.ts';
import { getTotalEquity } from '../portfolio/equity.ts';
import { getPortfolio } from '../portfolio/get.ts';
import { simulateImpact } from '../portfolio/impact.ts';
import { getPerformance } from '../portfolio/performance.ts';
import { getEquity } from './equity.ts';
import { listFills } from './fills.ts';
import { listBooks } from './list.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly books: BookReads;
    readonly portfolio: PortfolioReads;
  }
}

export const bookRoutes: RouteGroup = {
  tag: {
    name: 'books',
    position: 110,
    description:
      'Positions, fills, P&L and equity curves, per book and for the whole portfolio. Paper and real money are never added up. A missing price makes the dependent numbers null.',
  },
  routes: [listBooks, listFills, getEquity, getPortfolio, getPerformance, getTotalEquity, simulateImpact],
};
