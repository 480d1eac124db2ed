/** Agents and alerts of the organization, which several panels read. */
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from './api.ts';
import { useMay } from './member.ts';

export const useAgents = () =>
  useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await api.listAgents({ limit: 200 }, { signal })).items,
    enabled: useMay('agent:read'),
  });

/** Names an agent by its id. */
export function useAgentName(): (agentId: string) => string {
  const { data } = useAgents();
  return useCallback((agentId) => data?.find(({ id }) => id === agentId)?.name ?? 'Agent', [data]);
}

export const useAlerts = () =>
  useQuery({
    queryKey: ['alerts'],
    queryFn: async ({ signal }) => (await api.listAlerts({ limit: 60 }, { signal })).items,
    enabled: useMay('agent:read'),
  });
