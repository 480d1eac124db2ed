/** Agents and alerts of the organization, shared by several panels. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { type Agent, api, readAll, refresh, useRead } from './api.ts';
import { createStore, useStore } from './kit/store.ts';
import { feed } from './market.ts';
import { useMay } from './member.ts';

type AgentPage = Awaited<ReturnType<typeof api.listAgents>>;

const readItems = ({ items }: AgentPage): readonly Agent[] => items;
const readNextCursor = ({ nextCursor }: AgentPage): string | null => nextCursor;

const useNewestAgents = <Part>(select: (page: AgentPage) => Part) =>
  useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => api.listAgents({ limit: 200 }, { signal }),
    select,
    enabled: useMay('agent:read'),
  });

/** Newest agents of the organization. */
export const useAgents = () => useNewestAgents(readItems);

const NO_AGENTS: readonly Agent[] = [];

/**
 * Paused agents of the organization, also those beyond the newest. They are followed by announcements of `agents`, at most every 5 s.
 * @param isWanted False if only the newest agents are needed.
 */
export function usePaused({ isWanted = true }: { readonly isWanted?: boolean } = {}) {
  const { data: newest = NO_AGENTS } = useAgents();
  const { data: cursor } = useNewestAgents(readNextCursor);
  const older = useRead(['paused', cursor], (call) => readAll(api.listAgents.items({ limit: 200, cursor: cursor ?? '' }, call)), {
    enabled: isWanted && cursor != null,
  });
  return {
    paused: [...newest, ...(older.data ?? NO_AGENTS)].filter(({ paused }) => paused),
    /** False while older agents, which may be paused too, are not read. */
    isWhole: cursor === null || older.isSuccess,
    older,
  };
}

/** True once a name was asked for that the newest agents do not have. */
const isOlderAsked = createStore(false);

/** Returns the name of an agent. Names beyond the newest agents are read once one of them is asked for. */
export function useAgentName(): (agentId: string) => string {
  const { data: newest } = useAgents();
  const { data: cursor } = useNewestAgents(readNextCursor);
  const isWanted = useStore(isOlderAsked);
  const { data: older } = useRead(
    ['agent-names', cursor],
    async (call) =>
      new Map((await readAll(api.listAgents.items({ limit: 200, cursor: cursor ?? '' }, call))).map(({ id, name }) => [id, name])),
    { enabled: isWanted && cursor != null, staleTime: Number.POSITIVE_INFINITY },
  );
  return useCallback(
    (agentId) => {
      const name = newest?.find(({ id }) => id === agentId)?.name ?? older?.get(agentId);
      // Not while it is being drawn.
      if (name === undefined && newest !== undefined) queueMicrotask(() => isOlderAsked.set(true));
      return name ?? 'Agent';
    },
    [newest, older],
  );
}

export const useAlerts = () =>
  useRead(['alerts'], async (call) => (await api.listAlerts({ limit: 200 }, call)).items, { enabled: useMay('agent:read') });

export const useWallets = ({ isWanted = true }: { readonly isWanted?: boolean } = {}) =>
  useRead(['wallets'], async (call) => (await api.listWallets({ limit: 200 }, call)).items, { enabled: isWanted });

/** Reads queries again whenever the channel announces a change. @param names Names of the queries. */
export function useAnnouncements(channel: 'takes' | 'launches' | 'bridge', ...names: readonly string[]): void {
  const key = names.join(' ');
  useEffect(() => {
    const again = () => refresh(...key.split(' '));
    return feed.subscribe({ channel, begin: again, receive: again });
  }, [channel, key]);
}
