/** Pages beside the workspace, by their name in the address. */
import { Assessments } from './assessments.tsx';
import { Basis } from './basis.tsx';
import { Copilot } from './copilot.tsx';
import { Rankings } from './rankings.tsx';
import { RiskLimits } from './risk-limits.tsx';

const PAGES: Record<string, () => React.ReactNode> = {
  rankings: Rankings,
  basis: Basis,
  assessment: Assessments,
  copilot: Copilot,
  risk: RiskLimits,
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
