/** Manifest versions of agents. Manifests in bodies have either form, as JSON or YAML, and are read by the domain. */
import { type TSchema, Type } from 'typebox';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { manifestDeclarativeSchema } from '../../../src/domain/manifest/declarative-form.ts';
import { diffManifests, type ManifestDiff } from '../../../src/domain/manifest/diff.ts';
import { manifestPayloadSchema } from '../../../src/domain/manifest/payload-form.ts';
import { type ReadManifest, readManifest } from '../../../src/domain/manifest/reader.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { InputError, problemsDetail, sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import {
  AgentPath,
  AnyJson,
  AutonomyWord,
  choice,
  HashText,
  IdText,
  nullable,
  objectSchema,
  pageFields,
  StageWord,
  Time,
} from '../../shapes.ts';
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
export function parseManifest(ports: ApiPorts, body: unknown): ReadManifest {
  const read = readManifest(body, ports.catalog.entries);
  if (!read.ok) throw new InputError('manifest_invalid', problemsDetail(read.problems), read.problems);
  return read;
}

export const addAgentVersion = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/versions',
  name: 'addAgentVersion',
  tag: 'agents',
  summary: 'Adds a manifest version',
  description: 'Any changed parameter makes a new hash, and promotion starts again at `draft`.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: ManifestBody },
  bodyRule: 'read_by_handler',
  yaml: true,
  idempotent: true,
  answers: { 201: { description: 'The version was added.', schema: ManifestTakenBody, shownAt: '/v1/agents/:id' } },
  refusals: ['manifest_invalid', 'not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const read = parseManifest(ports, request.body);
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: (view: AgentView) => manifestTakenBody(view, read),
        run: (context) => ports.agents.commands.addVersion(context, id, read.manifest),
      });
    };
  },
});

const ConditionSide = Type.Object({
  side: choice(['entry', 'exit']),
  condition: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
});

const diffFields = {
  changes: Type.Array(Type.Object({ path: Type.String({ examples: ['$.stopLossPct'] }), before: AnyJson, after: AnyJson })),
  conditionsAdded: Type.Array(ConditionSide),
  conditionsRemoved: Type.Array(ConditionSide),
};

const VersionBody = Type.Object(
  { version: Type.Integer(), manifestHash: HashText, createdBy: Type.String(), createdAt: Time, ...diffFields },
  { $id: 'ManifestVersion', description: 'A version and what it changed of the one before it; the first changed nothing.' },
);

const ComparisonBody = Type.Object({ from: Type.Integer(), to: Type.Integer(), ...diffFields }, { $id: 'ManifestComparison' });

const NO_DIFF: ManifestDiff = { changes: [], conditionsAdded: [], conditionsRemoved: [] };
const diffBody = ({ changes, conditionsAdded, conditionsRemoved }: ManifestDiff) => ({
  changes: [...changes],
  conditionsAdded: [...conditionsAdded],
  conditionsRemoved: [...conditionsRemoved],
});

/** Orders the bounds, so that a backward comparison lists the same versions. */
function orderRange(from: number | null, to: number | null): { readonly from: number | null; readonly to: number | null } {
  return from !== null && to !== null && from > to ? { from: to, to: from } : { from, to };
}

const VersionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

export const listVersions = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/versions',
  name: 'listVersions',
  tag: 'agents',
  summary: 'Manifest versions of an agent, newest first, with their differences',
  description:
    'With `from` and `to`, only these versions and those between them, and `comparison` holds all that differs from one to the other. With `against`, `to` is a version of that agent, and only `from` is listed.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: AgentPath,
    querystring: objectSchema({
      ...pageFields,
      from: Type.Optional(VersionNumber),
      to: Type.Optional(VersionNumber),
      against: Type.Optional({ ...IdText, description: 'Another agent of the organization, whose version `to` is compared.' }),
    }),
  },
  answers: {
    200: {
      description: 'A page of versions.',
      schema: Type.Object({
        items: Type.Array(VersionBody),
        nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
        comparison: Type.Unsafe<({ from: number; to: number } & ReturnType<typeof diffBody>) | null>({
          anyOf: [ComparisonBody, { type: 'null' }],
        }),
      }),
    },
  },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'versions', POSITIONS.number);
    const { from = null, to = null, against } = request.query;
    const { orgId } = requireMember(request);
    const id = idInPath(request.params);
    const other = against?.toLowerCase() ?? id;
    if (other === null || (other !== id && (await ports.agents.reads.get(orgId, other)) === null))
      return sendProblem(reply, 'not_found', NO_AGENT);
    const range = orderRange(from, other === id ? to : from);
    const found = id === null ? null : await ports.agents.reads.versions(orgId, id, range, page);
    if (id === null || found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const listed = pageBody(found, 'versions', ({ version, manifestHash, createdBy, createdAt, manifest, previous }) => ({
      version,
      manifestHash,
      createdBy,
      createdAt,
      ...diffBody(previous === null ? NO_DIFF : diffManifests(previous, manifest)),
    }));
    if (from === null || to === null) return { ...listed, comparison: null };
    const [before, after] = await Promise.all([
      ports.agents.reads.manifest(orgId, id, from),
      ports.agents.reads.manifest(orgId, other, to),
    ]);
    if (before === null || after === null)
      return sendProblem(
        reply,
        'not_found',
        before === null || other === id
          ? `the agent has no version ${before === null ? from : to} of its manifest`
          : `the other agent has no version ${to} of its manifest`,
      );
    return { ...listed, comparison: { from, to, ...diffBody(diffManifests(before, after)) } };
  },
});
