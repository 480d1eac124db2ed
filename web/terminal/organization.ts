/** Agents and alerts of the organization, shared by several panels. */
import { useCallback, useEffect } from 'react';
import { api, refresh, useRead } from './api.ts';
import { feed } from './market.ts';
import { useMay } from './member.ts';

export const useAgents = () =>
  useRead(['agents'], async (call) => (await api.listAgents({ limit: 200 }, call)).items, { enabled: useMay('agent:read') });

export function useAgentName(): (agentId: string) => string {
  const { data } = useAgents();
  return useCallback((agentId) => data?.find(({ id }) => id === agentId)?.name ?? 'Agent', [data]);
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
