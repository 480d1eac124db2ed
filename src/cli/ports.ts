/** Ports of the commands: the service's settings, and everything that only its composition can create. */
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import type { ApiPorts } from '../../api/route.ts';
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
import type { SignExchangeRequest } from '../adapters/identity/signer/protocol.ts';

/** Settings that commands read themselves. */
export type CommandSettings = ServerSettings &
  Parameters<typeof checkedSources>[0] &
  Parameters<typeof examineMachine>[0] & {
    readonly CATALOG_FILE: string | null;
    readonly EVMCHAIN_ID: number;
    readonly IDP_ISSUER: string | null;
    readonly LOG_LEVEL: Parameters<typeof createLog>[0];
  };

/** Service that runs in this process. */
export interface RunningService {
  /** URL of the API, or null if this process runs none. */
  readonly url: string | null;
  /** Folder of the example members' tokens, or null if the identity provider is not the sandbox's. */
  readonly tokenFolder: string | null;
  /** Subjects of these tokens, the operator first. They name the files. */
  readonly tokenSubjects: readonly string[];
  /** Single-use sign-in URL for a browser on this machine as the operator, or null if the identity provider is not the sandbox's. */
  readonly signInUrl: string | null;
  stop(): Promise<void>;
}

/** Composed service. Parts loaded on demand return a promise. */
export interface Service {
  readonly version: string;
  /** Search path for programs such as redis-server. */
  readonly path: string;
  /** Roles that this process may run. */
  readonly roles: readonly string[];
  /** Default organization of commands. */
  readonly exampleOrganization: string;
  /** Returns the settings. @throws Error naming each invalid setting, why it is invalid and what is allowed */
  settings(): CommandSettings;
  /** Returns every setting, or every problem. */
  readSettings(): CommandSettings | readonly SettingProblem[];
  /** Returns the settings for `--help`, one per line. */
  describeSettings(): string;

  /** Runs the service until it is stopped. `roles` is a subset of `Service.roles`. @throws Error if it cannot start */
  start(options: {
    readonly roles: readonly string[];
    /** Tape file that records everything received, or null if nothing is recorded. */
    readonly record: string | null;
    readonly log: Logger;
    readonly signal: AbortSignal;
  }): Promise<RunningService>;
  /** Runs through a period of the sandbox's market. @throws Error if that is not allowed */
  moveSandboxOn(asked: StretchAsked): Promise<MovedOn>;

  /**
   * Installs the configured catalog file as this process's catalog. Returns its path, or null if none is configured.
   * @throws Error with a sentence per problem
   */
  useCatalog(): Promise<string | null>;
  /** Reads a catalog file. @throws Error if the file cannot be read */
  readCatalogFile(file: string): Promise<ReadCatalogFile>;
  /** Returns this process's request budgets by name. */
  statedBudgets(): Promise<Readonly<Record<string, number>>>;

  /** Returns the price history of each venue. */
  histories(): Promise<Readonly<Partial<Record<Venue, CandleHistory>>>>;
  /** Returns the sources of history, other than bars, that a backtest of this service can read by itself. */
  obtainableHistory(): Promise<ReadonlySet<HistorySource>>;
  /** Creates the reads of accounts at the spot exchange with a signing function. */
  spotAccounts(sign: SignExchangeRequest): Promise<SpotAccounts>;
  /** Mints a bearer token of the local identity provider. */
  mintToken(token: { readonly subject: string; readonly lifetimeS: number; readonly clock: Pick<Clock, 'now'> }): Promise<string>;

  actorKinds(): Promise<readonly ActorKind[]>;
  /** Creates the commands of members. `sql` acts for the organization. */
  members(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): Promise<ApiPorts['members']>;
  /** Runs a backtest on a database's stored bars through its own connection. */
  backtest(
    work: { readonly databaseUrl: string; readonly asked: BacktestJob },
    post: (message: ThreadPost<BacktestOutcome>) => void,
  ): Promise<BacktestOutcome>;
  sweep(
    work: { readonly databaseUrl: string; readonly sweep: SweepJob },
    post: (message: ThreadPost<SweepOutcome>) => void,
  ): Promise<SweepOutcome>;
}
