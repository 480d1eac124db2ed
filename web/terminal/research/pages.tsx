/** Pages outside the workspace by their name in the URL, and the panels made of their parts. */
import { Overview } from '../portfolio/overview.tsx';
import { Quotes } from '../trade/quotes.tsx';
import { AgentPages } from '../agents/pages.tsx';
import { Recommendations } from '../agents/recommendations.tsx';
import { DebuggerPage } from '../debugger/page.tsx';
import { LaunchPages } from '../launches/pages.tsx';
import { AgentTokens } from '../market/agent-tokens.tsx';
import { Leaderboard } from '../market/leaderboard.tsx';
import { Marketplace } from '../market/marketplace.tsx';
import { PublicWallets } from '../market/public-wallets.tsx';
import { PublishedTakes } from '../market/published-takes.tsx';
import { Selling } from '../market/selling.tsx';
import { Vaults } from '../market/vaults.tsx';
import { ProposalsPage } from '../panels/proposal-list.tsx';
import { RuntimePage } from '../operate/runtime.tsx';
import { Join } from '../members/join.tsx';
import { MembersPage } from '../members/members.tsx';
import { Operate } from '../operate/workspace.tsx';
import { Perpetuals } from '../trade/perpetuals.tsx';
import { Portfolio } from '../portfolio/portfolio.tsx';
import { Transfers } from '../transfers/transfers.tsx';
import { Wallets } from '../wallet/wallets.tsx';
import { TakePages } from '../takes/pages.tsx';
import { Predictions } from '../trade/predictions.tsx';
import { ReplayPage } from '../replay/page.tsx';
import { ReportPage } from '../reports/report.tsx';
import { Swaps } from '../trade/swaps.tsx';
import { Assessments } from './assessments.tsx';
import { Basis } from './basis.tsx';
import { BasisPolicies } from './basis-policies.tsx';
import { Chains } from './chains.tsx';
import { Copilot } from './copilot.tsx';
import { Macro } from './macro.tsx';
import { PrivateMarkets } from './private-markets.tsx';
import { Rankings } from './rankings.tsx';
import { RiskLimits } from './risk-limits.tsx';
import { Social } from './social.tsx';

export { AssessmentPanel } from './assessments.tsx';
export { BasisPanel } from './basis.tsx';
export { CopilotPanel } from './copilot.tsx';
export { SwapTicket } from '../panels/swap-ticket.tsx';

const PAGES: Record<string, () => React.ReactNode> = {
  actors: DebuggerPage,
  agents: AgentPages,
  recommendations: Recommendations,
  rankings: Rankings,
  basis: Basis,
  assessment: Assessments,
  copilot: Copilot,
  risk: RiskLimits,
  operate: Operate,
  overview: Overview,
  proposals: ProposalsPage,
  quotes: Quotes,
  runtime: RuntimePage,
  launches: LaunchPages,
  leaderboard: Leaderboard,
  marketplace: Marketplace,
  transfers: Transfers,
  join: Join,
  members: MembersPage,
  portfolio: Portfolio,
  'agent-tokens': AgentTokens,
  'basis-policies': BasisPolicies,
  chains: Chains,
  macro: Macro,
  perps: Perpetuals,
  predictions: Predictions,
  'private-markets': PrivateMarkets,
  'public-wallets': PublicWallets,
  'published-takes': PublishedTakes,
  replay: ReplayPage,
  reports: ReportPage,
  selling: Selling,
  social: Social,
  swaps: Swaps,
  takes: TakePages,
  vaults: Vaults,
  wallets: Wallets,
};

export default function ResearchPage({ name }: { readonly name: string }) {
  const Page = PAGES[name];
  if (Page !== undefined) return <Page />;
  return (
    <div className="page">
      <h1>Page not found</h1>
      <p>
        The terminal has no page “{name}”. <a href="#/trade">Open the trading workspace</a>
      </p>
    </div>
  );
}
