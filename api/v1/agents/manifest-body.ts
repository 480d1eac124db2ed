/** Manifests in request bodies: either form, JSON or YAML, read by the domain. */
import { type TSchema, Type } from 'typebox';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { manifestDeclarativeSchema } from '../../../src/domain/manifest/declarative-form.ts';
import { manifestPayloadSchema } from '../../../src/domain/manifest/payload-form.ts';
import { type ReadManifest, readManifest } from '../../../src/domain/manifest/reader.ts';
import type { ApiPorts } from '../../route.ts';
import { InputError, problemsDetail } from '../../problem.ts';
import { AutonomyWord, StageWord } from '../../shapes.ts';
import { AGENT_EXAMPLE, agentBody, agentFields } from './agent-body.ts';

export const ManifestBody = Type.Unsafe<{ readonly [field: string]: unknown }>({
  $id: 'Manifest',
  description: 'The payload form or the declarative form. Both are hashed in one canonical form.',
  anyOf: [
    { ...(manifestPayloadSchema as object), $id: 'ManifestPayload' },
    { ...(manifestDeclarativeSchema as object), $id: 'ManifestDeclarative' },
  ] as unknown as TSchema[],
});

/** An agent after its manifest was accepted, with control state that the file requested and cannot grant. */
export const ManifestTakenBody = Type.Object(
  {
    ...agentFields,
    requestedAutonomy: Type.Union([AutonomyWord, Type.Null()], {
      description: 'Asked for in the manifest. Autonomy is set by its own command.',
    }),
    requestedStage: Type.Union([StageWord, Type.Null()], {
      description: 'Asked for in the manifest. Stages are reached through their gates only.',
    }),
  },
  { $id: 'AgentWithManifest', examples: [{ ...AGENT_EXAMPLE, requestedAutonomy: null, requestedStage: null }] },
);

/** Returns the answer to an accepted manifest. */
export function manifestTakenBody(view: AgentView, { requestedAutonomy, requestedStage }: ReadManifest) {
  return { ...agentBody(view), requestedAutonomy, requestedStage };
}

/** Reads a body as a manifest. @throws InputError `manifest_invalid` with all of its problems. */
export function manifestOf(ports: ApiPorts, body: unknown): ReadManifest {
  const read = readManifest(body, ports.catalog.entries);
  if (!read.ok) throw new InputError('manifest_invalid', problemsDetail(read.problems), read.problems);
  return read;
}
