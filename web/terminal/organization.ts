/** Agents and alerts of the organization, shared by several panels. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api, refresh } from './api.ts';
import { feed } from './market.ts';
import { useMay } from './member.ts';

export const useAgents = () =>
  useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await api.listAgents({ limit: 200 }, { signal })).items,
    enabled: useMay('agent:read'),
  });

export function useAgentName(): (agentId: string) => string {
  const { data } = useAgents();
  return useCallback((agentId) => data?.find(({ id }) => id === agentId)?.name ?? 'Agent', [data]);
}

export const useAlerts = () =>
  useQuery({
    queryKey: ['alerts'],
    queryFn: async ({ signal }) => (await api.listAlerts({ limit: 200 }, { signal })).items,
    enabled: useMay('agent:read'),
  });

/** Linked wallets of the organization. */
export const useWallets = ({ isWanted = true }: { readonly isWanted?: boolean } = {}) =>
  useQuery({
    queryKey: ['wallets'],
    queryFn: async ({ signal }) => (await api.listWallets({ limit: 200 }, { signal })).items,
    enabled: isWanted,
  });

/** Reads queries again whenever the channel announces a change. @param names Names of the queries. */
export function useAnnouncements(channel: 'takes' | 'launches' | 'bridge', ...names: readonly string[]): void {
  const key = names.join(' ');
  useEffect(() => {
    const again = () => refresh(...key.split(' '));
    return feed.subscribe({ channel, begin: again, receive: again });
  }, [channel, key]);
}
