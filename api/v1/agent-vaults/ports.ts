/** Store ports of the vault leaderboard. */
import type { VaultCommands } from '../../../actors/agent/vault-commands.ts';
import type { Stage } from '../../../src/domain/agents/agent.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { ReserveCheck } from '../../../src/domain/books/reserves.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Page, PageOf } from '../../page.ts';

/** A vault with its place among its organization's vaults; values are those of its last mark. */
export interface RankedVault {
  /** Null if it has no mark within the window. */
  readonly rank: number | null;
  readonly agentId: string;
  readonly name: string;
  readonly stage: Stage;
  readonly returnPct: number | null;
  readonly sinceAt: EpochMs | null;
  readonly sharePriceUsd: DecimalString | null;
  readonly highWaterMarkUsd: DecimalString;
  readonly drawdownPct: number | null;
  readonly equityUsd: DecimalString | null;
  readonly allocatedUsd: DecimalString;
  readonly realizedPnlUsd: DecimalString;
  readonly depositors: number;
  readonly markedAt: EpochMs | null;
}

export interface VaultRanking {
  /** Ranks vaults by the return of a share over the window (`24h`, `7d`, `30d`, `all`), best first. */
  rank(orgId: string, window: string, page: Page): Promise<PageOf<RankedVault>>;
}

/** A mark of a vault. */
export interface VaultPoint {
  readonly at: EpochMs;
  readonly equityUsd: DecimalString;
  readonly sharePriceUsd: DecimalString;
  readonly drawdownPct: number;
}

export interface ReserveReads {
  /** Comparisons of what is claimed with what is held, newest first. */
  list(orgId: string, page: Page): Promise<PageOf<ReserveCheck>>;
}

export interface VaultPorts {
  /** Ascending, at most so many points; null if the organization has no such agent. */
  course(orgId: string, agentId: string, points: number): Promise<readonly VaultPoint[] | null>;
  readonly commands: VaultCommands;
  readonly ranking: VaultRanking;
  readonly reserves: ReserveReads;
}
