/** The `decisions` channel: every decision record, in the order of their commits, although a whole shard announces itself only once. */
import type { AnnouncementRow } from '../../../src/adapters/store/actors/announced-rows.ts';
import type { DecisionBatch } from '../../../src/adapters/store/agents/decision-reads.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import { DecisionBody } from '../../v1/agents/agent-decisions.ts';
import { announcementChannel } from './channel.ts';

/** Returns the batch of an announcement, or null if it names none. */
function readBatch({ body }: AnnouncementRow): DecisionBatch | null {
  const { periodMs, shard, slot } = body;
  const fromSlot = body['fromSlot'] ?? slot;
  if (typeof periodMs !== 'number' || typeof shard !== 'number' || typeof slot !== 'number' || typeof fromSlot !== 'number') return null;
  return { periodMs, shard, fromSlot, slot };
}

export const decisionsChannel = announcementChannel({
  name: 'decisions',
  about: 'Every decision record of the organization, or of one agent.',
  actorParam: 'agentId',
  item: DecisionBody,
  // A shard's batch contains agents of many organizations. Expanding it reads only the caller's.
  shared: true,
  expand: async (ports, row, orgId) => {
    const batch = readBatch(row);
    if (batch === null) {
      // A defect of the writer. Retrying would hold up every later decision.
      ports.reportDefect(new Error(`announcement ${row.xid}.${row.seq} on decisions names no batch: ${JSON.stringify(row.body)}`), 'feeds');
      return [];
    }
    const records = [...(await ports.expandDecisions(batch, orgId))];
    // An index is a position in this order, which must be the same whenever a client resumes.
    records.sort((a, b) => (a.slot !== b.slot ? (a.slot < b.slot ? -1 : 1) : a.agentId < b.agentId ? -1 : a.agentId > b.agentId ? 1 : 0));
    return records.map((record, index) => ({ index, actorId: record.agentId, data: record as unknown as Json }));
  },
});
