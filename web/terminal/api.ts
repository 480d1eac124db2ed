/** Calls of the service by its own client, and what the pages keep of its answers. */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, createClient } from '../../clients/typescript/src/index.ts';
import { createStore } from './kit/store.ts';

export type {
  Agent,
  AgentDetail,
  Alert,
  BacktestPreview,
  BasisRow,
  Book,
  Calibration,
  CatalogEntry,
  CostFigures,
  DayTicker,
  Decision,
  EvaluationRun,
  Evidence,
  Fill,
  Gate,
  Gates,
  Manifest,
  ManifestVersion,
  MarketOrder,
  Me,
  OpenedSignalHook,
  OutsideProposal,
  PortfolioHolding,
  PortfolioImpact,
  Proposal,
  Quote,
  RankedRow,
  Recommendation,
  RiskPreferences,
  SignalHook,
} from '../../clients/typescript/src/index.ts';
export { ApiError, NetworkError } from '../../clients/typescript/src/index.ts';

/** The service of this page; its cookie says who asks. */
export const api = createClient();

/** True once the service has refused a call because nobody is signed in. */
export const signedOut = createStore(false);

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => signedOut.set(signedOut.get() || isSignedOut(error)) }),
  // The client itself asks again where that may help.
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});

/** Reads these again, because something of them has changed. */
export const refresh = (...names: readonly string[]): void => {
  for (const name of names) void queries.invalidateQueries({ queryKey: [name] });
};

/** Items of several lists, each once, in the order in which they come first. */
export const eachOnce = <Item extends { readonly id: string }>(...lists: readonly (readonly Item[])[]): readonly Item[] => [
  ...new Map(lists.flat().map((item) => [item.id, item])).values(),
];
