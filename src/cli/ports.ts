/** Ports of the commands: the service's settings, and what only its composition can make. */
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import type { ApiPorts } from '../../api/ports.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ReadCatalogFile } from '../adapters/catalog-file.ts';
import type { createLog, Logger } from '../adapters/log/log.ts';
import type { examineMachine } from '../adapters/process/machine-check.ts';
import type { ServerSettings } from '../adapters/process/servers.ts';
import type { Sql } from '../adapters/store/database.ts';
import type { checkedSources } from '../adapters/venues/source-checks.ts';
import type { SpotAccounts } from '../adapters/venues/spotexchange/access.ts';
import type { HistorySource } from '../domain/backtest/missing-history.ts';
import type { SettingProblem } from '../domain/settings/settings-table.ts';
import type { Venue } from '../domain/market/venue.ts';
import type { BacktestOutcome } from '../simulation/backtest/backtest-work.ts';
import type { BacktestJob } from '../simulation/backtest/from-history.ts';
import type { ThreadPost } from '../simulation/evaluation-thread.ts';
import type { MovedOn, StretchAsked } from '../simulation/stretch/stretch.ts';
import type { SweepJob } from '../simulation/sweep/sweep-from-history.ts';
import type { SweepOutcome } from '../simulation/sweep/sweep-work.ts';
import type { SignExchangeRequest } from '../trading/ports.ts';

/** The settings that commands read themselves. */
export type CommandSettings = ServerSettings &
  Parameters<typeof checkedSources>[0] &
  Parameters<typeof examineMachine>[0] & {
    readonly CATALOG_FILE: string | null;
    readonly EVMCHAIN_ID: number;
    readonly IDP_ISSUER: string | null;
    readonly LOG_LEVEL: Parameters<typeof createLog>[0];
  };

/** A service that runs in this process. */
export interface RunningService {
  /** Null if no API runs in this process. */
  readonly url: string | null;
  /** Folder of the example members' tokens; null if the identity provider is not the sandbox's. */
  readonly tokenFolder: string | null;
  /** Subjects of the tokens there, the operator first: each file is named after one. */
  readonly tokenSubjects: readonly string[];
  /** Single-use sign-in of a browser on this machine as the operator; null if the identity provider is not the sandbox's. */
  readonly signInUrl: string | null;
  stop(): Promise<void>;
}

/** The composed service. Parts that are loaded on demand return a promise. */
export interface Service {
  readonly version: string;
  /** The search path on which programs such as redis-server are looked for. */
  readonly path: string;
  /** Roles that this process may run. */
  readonly roles: readonly string[];
  /** The organization of commands that name none. */
  readonly exampleOrganization: string;
  /** @throws Error that names every wrong setting, why it is wrong and what would be right. */
  settings(): CommandSettings;
  /** The same without an error: every setting, or every problem. */
  readSettings(): CommandSettings | readonly SettingProblem[];
  /** One line per setting, for `--help`. */
  describeSettings(): string;

  /** Runs the service until it is stopped; `roles` are some of `roles`. @throws Error in one sentence. */
  start(options: {
    readonly roles: readonly string[];
    /** Tape file of everything received; null if nothing is recorded. */
    readonly record: string | null;
    readonly log: Logger;
    readonly signal: AbortSignal;
  }): Promise<RunningService>;
  /** Lives through a stretch of the sandbox's market. @throws Error in one sentence if it may not. */
  moveSandboxOn(asked: StretchAsked): Promise<MovedOn>;

  /** Makes this process's catalog of the file that the settings name. Answers which file that was, null for none. @throws Error */
  useCatalog(): Promise<string | null>;
  /** @throws Error in one sentence if the file cannot be read at all. */
  readCatalogFile(file: string): Promise<ReadCatalogFile>;
  /** Request budgets of this process, by name. */
  statedBudgets(): Promise<Readonly<Record<string, number>>>;

  /** Price history that each venue serves. */
  histories(): Promise<Readonly<Partial<Record<Venue, CandleHistory>>>>;
  /** History besides bars that a backtest of this service can read by itself. */
  obtainableHistory(): Promise<ReadonlySet<HistorySource>>;
  /** Accounts at the spot exchange, asked with what signs. */
  spotAccounts(sign: SignExchangeRequest): Promise<SpotAccounts>;
  /** A bearer token of the local identity provider. */
  mintToken(token: { readonly subject: string; readonly lifetimeS: number; readonly clock: Pick<Clock, 'now'> }): Promise<string>;

  actorKinds(): Promise<readonly ActorKind[]>;
  /** `sql` works in the name of the organization. */
  members(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): Promise<ApiPorts['members']>;
  /** Works on the stored bars of a database through a connection of its own. */
  backtest(
    work: { readonly databaseUrl: string; readonly asked: BacktestJob },
    post: (message: ThreadPost<BacktestOutcome>) => void,
  ): Promise<BacktestOutcome>;
  sweep(
    work: { readonly databaseUrl: string; readonly sweep: SweepJob },
    post: (message: ThreadPost<SweepOutcome>) => void,
  ): Promise<SweepOutcome>;
}
