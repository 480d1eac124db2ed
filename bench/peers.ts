/**
 * Packages that benchmarks compare with. They are in bench/peers with their own lock file, and the product does not need
 * them, so the types of the used parts are declared here. `npm run bench` installs them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('./peers/', import.meta.url);
const require = createRequire(new URL('package.json', FOLDER));

/** Normaliser of tardis-dev: one kind of message of one venue. */
export interface TardisMapper {
  canHandle(message: unknown): boolean;
  map(message: unknown, heardAt: Date): Iterable<TardisMessage>;
}

interface TardisLevel {
  readonly price: number;
  readonly amount: number;
}

/** Members of its messages that are compared. Which ones exist depends on the kind. */
export interface TardisMessage {
  readonly timestamp: Date;
  readonly bidPrice?: number;
  readonly bidAmount?: number;
  readonly askPrice?: number;
  readonly askAmount?: number;
  readonly bids?: readonly TardisLevel[];
  readonly asks?: readonly TardisLevel[];
  readonly price?: number;
  readonly amount?: number;
}

type TardisNormaliser = (exchange: string, at: Date) => TardisMapper;

interface Tardis {
  readonly normalizeBookTickers: TardisNormaliser;
  readonly normalizeBookChanges: TardisNormaliser;
  readonly normalizeTrades: TardisNormaliser;
}

/** Exchange of ccxt with its sockets. It keeps the newest data. */
export interface CcxtExchange {
  readonly bidsasks: Readonly<
    Record<string, { readonly bid: number; readonly bidVolume: number; readonly ask: number; readonly askVolume: number }>
  >;
  readonly orderbooks: Readonly<Record<string, CcxtBook>>;
  readonly options: Record<string, unknown>;
  parseMarket(market: object): object;
  setMarkets(markets: readonly object[]): void;
  client(url: string): { onMessage(event: { readonly data: Buffer }): void };
}

interface CcxtBook {
  readonly timestamp: number;
  readonly bids: Iterable<readonly [price: number, size: number]>;
  readonly asks: Iterable<readonly [price: number, size: number]>;
}

/** Table of data-forge, the input of grademark. */
export interface DataFrame<Row> {
  toArray(): Row[];
}

interface Strategy<Bar> {
  entryRule(enter: () => void, now: { readonly bar: Bar }): void;
  exitRule(exit: () => void, now: { readonly bar: Bar }): void;
  stopLoss(now: { readonly entryPrice: number }): number;
  profitTarget(now: { readonly entryPrice: number }): number;
}

interface Grademark {
  backtest<Bar>(strategy: Strategy<Bar>, bars: DataFrame<Bar>): readonly object[];
  analyze(capital: number, trades: readonly object[]): object;
}

interface DataForge {
  readonly DataFrame: new <Row>(rows: readonly Row[]) => DataFrame<Row>;
}

/** @throws Error if the package is not in bench/peers: a copy further up would be another version. */
function folderOf(name: string): URL {
  const folder = new URL(`node_modules/${name}/`, FOLDER);
  if (existsSync(new URL('package.json', folder))) return folder;
  throw new Error(`${name} is not installed in ${fileURLToPath(FOLDER)}: start the benchmark with npm run bench, which installs it`);
}

/** Returns name and version of an installed peer, for the notes of a benchmark. */
export function peerVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', folderOf(name)), 'utf8')) as { version: string };
  return `${name} ${version}`;
}

/** Loads tardis-dev: normalisers of the venues' messages. */
export function tardis(): Tardis {
  folderOf('tardis-dev');
  return require('tardis-dev') as Tardis;
}

/** Loads one exchange of ccxt by its id. All of them would enlarge the heap of every contender. */
export async function ccxtExchange(id: string): Promise<CcxtExchange> {
  const { default: Exchange } = (await import(new URL(`js/src/pro/${id}.js`, folderOf('ccxt')).href)) as {
    default: new () => CcxtExchange;
  };
  return new Exchange();
}

/** Loads grademark: backtests over tables of data-forge. It needs chai at run time without declaring it. */
export function grademark(): Grademark & DataForge {
  for (const name of ['grademark', 'data-forge', 'chai']) folderOf(name);
  const { backtest, analyze } = require('grademark') as Grademark;
  const { DataFrame } = require('data-forge') as DataForge;
  return { backtest, analyze, DataFrame };
}

/** Workflow of DBOS, whose steps are durable. */
interface Dbos {
  setConfig(config: object): void;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
  registerWorkflow(work: () => Promise<number>, config: { readonly name: string }): () => Promise<number>;
  runStep(work: () => Promise<number>, config: { readonly name: string }): Promise<number>;
}

/** Loads DBOS: workflows with steps in PostgreSQL. */
export function dbos(): Dbos {
  folderOf('@dbos-inc/dbos-sdk');
  return (require('@dbos-inc/dbos-sdk') as { DBOS: Dbos }).DBOS;
}

interface Boss {
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<void>;
  createQueue(name: string): Promise<void>;
  send(name: string, data: object): Promise<string | null>;
  fetch(name: string): Promise<readonly { readonly id: string }[]>;
  complete(name: string, id: string): Promise<void>;
}

/** Creates pg-boss, a queue in PostgreSQL. */
export function pgBoss(options: object): Boss {
  folderOf('pg-boss');
  return new (require('pg-boss') as new (options: object) => Boss)(options);
}

interface GraphileWorker {
  runMigrations(options: object): Promise<void>;
  runOnce(options: object): Promise<void>;
  makeWorkerUtils(options: object): Promise<{ addJob(name: string, payload: object): Promise<unknown>; release(): Promise<void> }>;
}

/** Loads graphile-worker, a queue in PostgreSQL. */
export function graphileWorker(): GraphileWorker {
  folderOf('graphile-worker');
  return require('graphile-worker') as GraphileWorker;
}

/** Creates a pool whose connections outlive a run, because the processor time of ended connections could not be counted. */
export function pgPool(options: object): { end(): Promise<void> } {
  folderOf('pg');
  return new (require('pg') as { Pool: new (options: object) => { end(): Promise<void> } }).Pool(options);
}
