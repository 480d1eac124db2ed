/** Alerts that repeat. */
import type { Alert } from '../api.ts';

export interface Alike {
  readonly key: string;
  /** The newest of them. */
  readonly last: Alert;
  readonly first: Alert;
  readonly count: number;
}

/** Alerts that a line shows alike as one, which stands where the newest of them does. @param alerts Newest first. */
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
