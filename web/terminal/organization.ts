/** Agents and alerts of the organization, which several panels read. */
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { useMay } from './member.ts';

export const useAgents = () =>
  useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await api.listAgents({ limit: 200 }, { signal })).items,
    enabled: useMay('agent:read'),
  });

export const useAlerts = () =>
  useQuery({
    queryKey: ['alerts'],
    queryFn: async ({ signal }) => (await api.listAlerts({ limit: 60 }, { signal })).items,
    enabled: useMay('agent:read'),
  });
