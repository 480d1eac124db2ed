/** Ports of portfolios. Boot supplies them. They store nothing. */
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import type { PrimaryBalances } from '../../../src/domain/portfolio/account.ts';
import type { Allocation, ImpactMaterial } from '../../../src/domain/portfolio/impact.ts';
import type { PortfolioMaterial, PortfolioWallets } from '../../../src/domain/portfolio/portfolio.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';

/** Balances of an address on the primary chain. */
export interface PrimaryWalletReads {
  balancesOf(owner: string): Promise<Outcome<PrimaryBalances>>;
}

export interface PortfolioPort {
  /** Books of one mode, quotes, pools and mandate of this moment, together with the wallets. */
  read(orgId: string, mode: ExecutionMode, wallets: PortfolioWallets): Promise<PortfolioMaterial>;
  /** The same with allocations assessed by the pre-trade risk function, each as if those before it were pending. */
  assess(orgId: string, mode: ExecutionMode, wallets: PortfolioWallets, allocations: readonly Allocation[]): Promise<ImpactMaterial>;
}
