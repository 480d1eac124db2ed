/** A decision record in words on the wire. */
import { Type } from 'typebox';
import type { DecisionStore } from '../../../../src/adapters/store/agents/decision-reads.ts';
import { explainDecision } from '../../../../src/domain/agents/explain-decision.ts';
import { idInPath, storedId } from '../../../identifier.ts';
import { HashText, IdText } from '../../../shapes.ts';

export const RulesInWords = Type.Array(Type.Object({ type: Type.String(), passed: Type.Boolean(), sentence: Type.String() }));

export const ExplainedDecision = Type.Object(
  {
    decisionId: IdText,
    hash: HashText,
    summary: Type.String(),
    why: Type.Array(Type.String()),
    instruments: Type.Array(Type.Object({ instrument: Type.String(), seen: Type.String(), entry: RulesInWords, exit: RulesInWords })),
    missing: Type.Array(Type.String(), { description: 'Conditions missing for a trade, the nearest first.' }),
  },
  { $id: 'ExplainedDecision' },
);

/** Returns the decision in a path in words, or null if the organization has none. */
export async function explainedDecision(
  decisions: Pick<DecisionStore, 'get'>,
  orgId: string,
  path: { readonly id: string; readonly decisionId: string },
) {
  const id = idInPath(path);
  const decisionId = storedId(path.decisionId);
  const found = id === null || decisionId === null ? null : await decisions.get(orgId, id, decisionId);
  return found === null ? null : { decisionId: found.id, hash: found.hash, ...explainDecision(found) };
}
