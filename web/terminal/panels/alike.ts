/** Groups repeated alerts. */
import type { Alert } from '../api.ts';

export interface Alike {
  readonly key: string;
  /** Newest alert of the group. */
  readonly last: Alert;
  readonly first: Alert;
  readonly count: number;
}

/** Groups alerts that look the same. A group stands at its newest alert. @param alerts Newest first. */
export function repeated(alerts: readonly Alert[]): readonly Alike[] {
  const groups = new Map<string, Alike>();
  for (const alert of alerts) {
    const { what, agentId, venues, detail } = alert;
    const key = JSON.stringify([what, agentId, venues, detail]);
    const { last = alert, count = 0 } = groups.get(key) ?? {};
    groups.set(key, { key, last, first: alert, count: count + 1 });
  }
  return [...groups.values()];
}
