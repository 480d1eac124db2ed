/** Shared reads of agents, and their updates. */
import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { buildOverlay } from '../../agent-marks.js';
import { api, type Agent, type Decision, type EvaluationRun, queries, refresh, useRead } from '../api.ts';
import { sum } from '../kit/decimal.ts';
import { type Page, useList } from '../kit/lists.tsx';
import { feed } from '../market.ts';
import type { Rules } from './rules.ts';

/** Interval for reading figures that change without an announcement. */
const READ_EVERY_MS = 30_000;
const RUN_EVERY_MS = 2_000;
/** Items of a page of agents, books, fills or decisions. */
export const PER_PAGE = 200;

/** Agents of the organization, newest first. Further pages are read on request. */
export const useAgentPages = () => useList(['agents', 'pages'], api.listAgents, { perPage: PER_PAGE });

export const useAgent = (id: string) =>
  useRead(['agent', id], (call) => api.getAgent({ id }, call), { enabled: id !== '', staleTime: READ_EVERY_MS });

export const useGates = (id: string) =>
  useRead(['gates', id], (call) => api.listGates({ id }, call), { staleTime: READ_EVERY_MS, refetchInterval: READ_EVERY_MS });

export const useLastDecision = (id: string) =>
  useRead(['last-decision', id], async (call) => (await api.listDecisions({ id, limit: 1 }, call)).items[0] ?? null, {
    staleTime: READ_EVERY_MS,
    refetchInterval: READ_EVERY_MS,
  });

export const useBooks = (agentId: string) =>
  useRead(['books', agentId], async (call) => (await api.listBooks({ agentId, limit: PER_PAGE }, call)).items, { enabled: agentId !== '' });

/** Fills of every book of an agent, newest first. */
export function useAgentFills(agentId: string) {
  const { data: books = [] } = useBooks(agentId);
  const ids = books.map(({ id }) => id);
  return useRead(
    ['agent-fills', agentId, ...ids],
    async (call) => {
      const pages = await Promise.all(ids.map((id) => api.listFills({ id, limit: PER_PAGE }, call)));
      return pages.flatMap(({ items }) => items).sort((a, b) => (a.at < b.at ? 1 : -1));
    },
    { enabled: ids.length > 0 },
  );
}

/** Mode that an agent trades in at its stage. */
export const toTradingMode = ({ stage }: Pick<Agent, 'stage'>): 'paper' | 'live' =>
  stage === 'limited_live' || stage === 'live' ? 'live' : 'paper';

export interface AgentMoney {
  readonly pnlUsd: string;
  readonly todayUsd: string;
  /** Instruments that today's profit leaves out. */
  readonly todayWithout: readonly string[];
  readonly equityUsd: string;
}

/** Profit of each agent by its id. Agents without a book or a price are absent. */
export function useAgentMoney(mode: 'paper' | 'live'): ReadonlyMap<string, AgentMoney> {
  const { data } = useRead(['performance', mode], (call) => api.getPerformance({ mode }, call), {
    staleTime: READ_EVERY_MS / 2,
    refetchInterval: READ_EVERY_MS / 2,
  });
  return moneyByAgent(data?.books ?? []);
}

interface BookMoney {
  readonly agentId: string | null;
  readonly pnlUsd: string | null;
  readonly todayUsd: string | null;
  readonly todayWithout: readonly string[];
  readonly equityUsd: string | null;
}

function moneyByAgent(books: readonly BookMoney[]): ReadonlyMap<string, AgentMoney> {
  const found = new Map<string, AgentMoney>();
  for (const { agentId, pnlUsd, todayUsd, todayWithout: without, equityUsd } of books) {
    if (agentId === null || pnlUsd === null || todayUsd === null || equityUsd === null) continue;
    const before = found.get(agentId);
    const plus = (name: Exclude<keyof AgentMoney, 'todayWithout'>, text: string): string =>
      before === undefined ? text : sum([before[name], text]);
    const todayWithout = [...new Set([...(before?.todayWithout ?? []), ...without])];
    found.set(agentId, {
      pnlUsd: plus('pnlUsd', pnlUsd),
      todayUsd: plus('todayUsd', todayUsd),
      todayWithout,
      equityUsd: plus('equityUsd', equityUsd),
    });
  }
  return found;
}

/** Decisions of an agent, newest first. Older ones are read on request. */
export const useDecisions = (id: string) =>
  useList(['decisions', id], (page, options) => api.listDecisions({ id, ...page }, options), {
    perPage: PER_PAGE,
    isWanted: id !== '',
    staleTime: Infinity,
  });

const ENDED: readonly EvaluationRun['state'][] = ['finished', 'refused', 'cancelled', 'failed'];
export const hasEnded = ({ state }: EvaluationRun): boolean => ENDED.includes(state);

/** Newest evaluations of an agent. Running ones are polled. */
export const useRuns = (id: string) =>
  useRead(['runs', id], async (call) => (await api.listEvaluations({ id, limit: 20 }, call)).items, {
    refetchInterval: ({ state }) => (state.data?.every(hasEnded) === false ? RUN_EVERY_MS : false),
  });

/** Reads an agent again after a change. */
export const refreshAgent = (): void => refresh('agents', 'agent', 'gates', 'runs', 'versions', 'evidence', 'books');

/** Subscribes to the announcements of one agent while its page is open. */
export function useNews(id: string): void {
  useEffect(() => {
    const stops = [
      feed.subscribe({
        channel: 'decisions',
        params: { agentId: id },
        begin: () => refresh('decisions', 'last-decision'),
        receive: ({ data }) => include(id, data as Decision),
      }),
      feed.subscribe({
        channel: 'agents',
        begin: refreshAgent,
        receive: ({ type, data }) => {
          if (type === 'snapshot' || data.agentId !== id) return;
          if ('runId' in data) refresh('runs', ...(data.what === 'evaluation_progress' ? [] : ['gates', 'evidence']));
          else refreshAgent();
        },
      }),
      feed.subscribe({
        channel: 'proposals',
        receive: ({ data }) => {
          if (data.agentId === id) refresh('books', 'agent-fills', 'outside-proposals');
        },
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [id]);
}

/** Prepends an announced decision to those already read. */
function include(id: string, decision: Decision): void {
  queries.setQueryData<Decision | null>(['last-decision', id], decision);
  queries.setQueryData<InfiniteData<Page<Decision>, string | null>>(['decisions', id], (known) => {
    const [first, ...rest] = known?.pages ?? [];
    if (known === undefined || first === undefined || first.items.some((one) => one.id === decision.id)) return known;
    return { ...known, pages: [{ ...first, items: [decision, ...first.items] }, ...rest] };
  });
}

/** Trades and decisions of the agent on the bars, as far back as its decisions are read. */
export function useOverlay(agentId: string, rules: Rules, key: string) {
  const { data: books } = useBooks(agentId);
  const { data: fills } = useAgentFills(agentId);
  const { data: pages } = useDecisions(agentId);
  return useMemo(() => {
    const decisions = (pages?.pages ?? []).flatMap(({ items }) => items).toReversed();
    return buildOverlay({ key, manifest: rules as never, books: books ?? [], fills: fills ?? [], decisions });
  }, [books, fills, pages, rules, key]);
}
