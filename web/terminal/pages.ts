/** The six groups of pages. */
import type { Me } from './api.ts';
import { IS_REPLAY } from './replay/mode.ts';

export interface PageEntry {
  readonly title: string;
  /** `#/…`, or the address of a page outside the terminal. */
  readonly address: string;
  readonly needs?: Me['permissions'][number];
  /** Shortcut key of the page after G. */
  readonly key?: string;
}

export interface PageGroup {
  readonly name: 'Trade' | 'Agents' | 'Research' | 'Market' | 'Portfolio' | 'Operate';
  readonly pages: readonly PageEntry[];
}

export const GROUPS: readonly PageGroup[] = [
  {
    name: 'Trade',
    pages: [
      { title: 'Trading workspace', address: '#/trade', needs: 'market:read', key: 't' },
      { title: 'Quotes of all venues', address: '#/quotes', needs: 'market:read', key: 'q' },
      { title: 'Prediction markets', address: '#/predictions', needs: 'market:read' },
      { title: 'Swaps', address: '#/swaps', needs: 'agent:read' },
      { title: 'Transfers', address: '#/transfers', needs: 'agent:read', key: 'x' },
    ],
  },
  {
    name: 'Agents',
    pages: [
      { title: 'Overview', address: '#/overview', needs: 'agent:read', key: 'o' },
      { title: 'Agents', address: '#/agents', needs: 'agent:read', key: 'a' },
      { title: 'Create an agent', address: '#/agents/new', needs: 'trade:execute' },
      { title: 'Recommendations', address: '#/recommendations', needs: 'agent:read' },
      { title: 'Takes', address: '#/takes', needs: 'agent:read', key: 'h' },
      { title: 'Proposals', address: '#/proposals', needs: 'agent:read', key: 'p' },
    ],
  },
  {
    name: 'Research',
    pages: [
      { title: 'Rankings', address: '#/rankings', needs: 'market:read', key: 'n' },
      { title: 'Basis', address: '#/basis', needs: 'market:read' },
      { title: 'Basis policies', address: '#/basis-policies', needs: 'agent:read' },
      { title: 'Assessments', address: '#/assessment', needs: 'market:read' },
      { title: 'Private markets', address: '#/private-markets', needs: 'market:read' },
      { title: 'Copilot', address: '#/copilot', needs: 'agent:read' },
      { title: 'Macro', address: '#/macro', needs: 'market:read' },
      { title: 'Chains', address: '#/chains', needs: 'market:read' },
      { title: 'Social feed', address: '#/social', needs: 'market:read' },
      { title: 'Perpetuals', address: '#/perps', needs: 'market:read', key: 'u' },
    ],
  },
  {
    name: 'Market',
    pages: [
      { title: 'Marketplace', address: '#/marketplace', needs: 'agent:read', key: 'k' },
      { title: 'Selling', address: '#/selling', needs: 'agent:read' },
      { title: 'Published Takes', address: '#/published-takes', needs: 'agent:read' },
      { title: 'Vaults', address: '#/vaults', needs: 'agent:read' },
      { title: 'Leaderboard', address: '#/leaderboard', needs: 'market:read', key: 'b' },
      { title: 'Public wallets', address: '#/public-wallets', needs: 'market:read' },
      { title: 'Launches', address: '#/launches', needs: 'agent:read', key: 'l' },
      { title: 'Agent tokens', address: '#/agent-tokens', needs: 'market:read' },
    ],
  },
  {
    name: 'Portfolio',
    pages: [
      { title: 'Portfolio', address: '#/portfolio', needs: 'agent:read', key: 'f' },
      { title: 'Wallets', address: '#/wallets', needs: 'agent:read', key: 'w' },
      { title: 'Risk limits', address: '#/risk', needs: 'agent:read' },
    ],
  },
  {
    name: 'Operate',
    pages: [
      { title: 'Operations', address: '#/operate', needs: 'agent:read', key: 'e' },
      { title: 'Runtime and time travel', address: '#/runtime', needs: 'agent:read', key: 'r' },
      { title: 'Members', address: '#/members', key: 'm' },
      { title: 'API reference', address: '/docs' },
    ],
  },
];

/** Pages available in a replay. */
const REPLAYED: readonly PageGroup[] = [
  {
    name: 'Trade',
    pages: [
      { title: 'Workspace', address: '#/trade', key: 't' },
      { title: 'Quotes of all venues', address: '#/quotes', key: 'q' },
      { title: 'Perpetuals', address: '#/perps', key: 'u' },
      { title: 'Tape', address: '#/replay', key: 'r' },
    ],
  },
];

/** Returns the pages that a role allows, in their groups. */
export function pagesFor({ permissions }: Pick<Me, 'permissions'>): readonly PageGroup[] {
  if (IS_REPLAY) return REPLAYED;
  const isOpen = ({ needs }: PageEntry): boolean => needs === undefined || permissions.includes(needs);
  return GROUPS.map((group) => ({ ...group, pages: group.pages.filter(isOpen) }));
}
