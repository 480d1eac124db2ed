/** Decision as a tick makes it: the payload's rules on an observation of one share, with given risk. */
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import { compileManifest, type RiskAssessor } from '../../src/domain/agents/decide.ts';
import { type AgentBook, assembleDecision, type DecisionRecord, EMPTY_BOOK, GENESIS_HASH } from '../../src/domain/agents/decision.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { payload } from './authored.ts';
import { cutOf, SLOT } from './observations.ts';

export function decided(
  seen: Observation,
  autonomy: Autonomy,
  assess: RiskAssessor,
  book: AgentBook = EMPTY_BOOK,
  authored: Readonly<Record<string, unknown>> = {},
): DecisionRecord {
  const read = readManifest(payload({ universe: ['AAPLx'], ...authored }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const compiled = compileManifest(read.manifest);
  const verdict = compiled.decide(cutOf(seen), book, autonomy, assess);
  const row = {
    ...verdict,
    agentId: '019a5b1e-7c00-7000-8000-000000000001',
    slot: SLOT,
    manifestVersion: 1,
    manifestHash: compiled.hash,
    observedHash: '',
    book: book === EMPTY_BOOK ? null : canonicalJson(book as never),
    previousHash: GENESIS_HASH,
    hash: GENESIS_HASH,
  };
  return assembleDecision(row, [seen], compiled);
}
