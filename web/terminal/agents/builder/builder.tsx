/** Rule editor with rows and YAML side by side, for a new agent, a new version or a duplicate. */
import { Button, Menu, TagsInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { schema, templates } from '../../../manifest-schema.js';
import { forPeople } from '../../../words.js';
import { type AgentDetail, ApiError, api } from '../../api.ts';
import { useCatalog } from '../../catalog.ts';
import { Refusal } from '../../kit/refusal.tsx';
import { useMay } from '../../member.ts';
import { goTo } from '../../place.ts';
import { refreshAgent, useAgent } from '../data.ts';
import { chosenPill, FieldInput, spaced } from './field-input.tsx';
import { toDraft, isDeclarative, type ManifestDraft, toManifest, toPayload } from './manifest-draft.ts';
import { type Field, readForm } from './manifest-form.ts';
import { Preview } from './preview.tsx';
import { RuleRows } from './rule-rows.tsx';
import { YamlPane, type YamlProblem } from './yaml-pane.tsx';
import { type ReadYaml, readYaml, writeYaml } from './yaml.ts';
import { Loaded } from '../../kit/lists.tsx';
import { submits } from '../../kit/browser.ts';

export type Purpose = 'new' | 'edit' | 'clone';

const FORM = readForm(schema);
const TITLES = { new: 'Create an agent', edit: 'New version', clone: 'Clone of an agent' } as const;
const FIRST_FIELDS: readonly string[] = ['name', 'timeframe', 'description'];

export function Builder({ id, purpose }: { readonly id: string; readonly purpose: Purpose }) {
  const mayWrite = useMay('trade:execute');
  if (!mayWrite)
    return (
      <div className="page">
        <h1>{TITLES[purpose]}</h1>
        <p className="empty">Your role may not write rules. Ask for the permission trade:execute.</p>
      </div>
    );
  return purpose === 'new' ? (
    <Writing purpose={purpose} id="" first={{ ...templates[0], name: '', description: '' }} />
  ) : (
    <OfAgent id={id} purpose={purpose} />
  );
}

function OfAgent({ id, purpose }: { readonly id: string; readonly purpose: Purpose }) {
  const read = useAgent(id);
  const { data: agent } = read;
  if (agent === undefined)
    return (
      <div className="page">
        <Loaded query={read} />
      </div>
    );
  return <WritingFrom key={`${purpose} ${id}`} purpose={purpose} agent={agent} />;
}

/** Editor that begins with the rules of an agent. What is written stays if another version is saved meanwhile. */
function WritingFrom({ purpose, agent }: { readonly purpose: Purpose; readonly agent: AgentDetail }) {
  const [{ id, name, manifest, manifestVersion }] = useState(agent);
  const payload = toPayload(manifest);
  const first = purpose === 'clone' ? { ...payload, name: `${name} copy` } : payload;
  const isOvertaken = purpose === 'edit' && agent.manifestVersion !== manifestVersion;
  return (
    <Writing purpose={purpose} id={id} first={first}>
      {isOvertaken && (
        <p className="refusal" role="alert">
          Version {agent.manifestVersion} was saved meanwhile, and these rules began with version {manifestVersion}. Saving replaces the
          newer rules. <a href={`#/agents/${id}/versions`}>Compare them</a>
        </p>
      )}
    </Writing>
  );
}

interface WritingProps {
  readonly purpose: Purpose;
  readonly id: string;
  readonly first: Readonly<Record<string, unknown>>;
  /** Notice above the rules. */
  readonly children?: ReactNode;
}

/** Editor of a manifest. The YAML text is submitted; the rows are a second view of it while it parses. */
function Writing({ purpose, id, first, children }: WritingProps) {
  const [text, setText] = useState(() => writeYaml(toManifest(toDraft(first, FORM) as ManifestDraft, FORM)));
  const read = useMemo(() => readYaml(text), [text]);
  const draft = read.ok && !isDeclarative(read.value) ? toDraft(read.value, FORM) : null;
  const saving = useSaving(purpose, id, text);
  const write = (next: string) => {
    setText(next);
    if (saving.error !== null) saving.reset();
  };
  const said = saving.error instanceof ApiError ? saving.error.fields : [];
  const problems = listProblems(read, said);
  return (
    <form className="page builder-page" onSubmit={submits(() => saving.mutate())}>
      <div className="page-head">
        <h1>{TITLES[purpose]}</h1>
        {purpose === 'new' && <Templates take={(template) => write(writeYaml(template))} />}
        <span className="space" />
        <Button component="a" variant="default" href={id === '' ? '#/agents' : `#/agents/${id}`}>
          Cancel
        </Button>
        <Button type="submit" loading={saving.isPending} disabled={!read.ok}>
          {purpose === 'edit' ? 'Save as the next version' : 'Create'}
        </Button>
      </div>
      {children}
      {problems.length === 0 && <Refusal error={saving.error} />}
      {said.length > 0 && (
        <p className="refusal" role="alert">
          {forPeople(saving.error instanceof ApiError ? saving.error.detail : '')}
        </p>
      )}
      <div className="builder">
        <div className="builder-rows">
          {draft === null ? (
            <NoRows isText={!read.ok} />
          ) : (
            <Rows draft={draft} change={(next) => write(writeYaml(toManifest(next, FORM)))} problemOf={(path) => problemAt(said, path)} />
          )}
        </div>
        <div className="builder-side">
          <YamlPane text={text} change={write} problems={problems} />
          <Preview text={named(read, text)} agentId={purpose === 'edit' ? id : ''} />
        </div>
      </div>
    </form>
  );
}

const useSaving = (purpose: Purpose, id: string, text: string) =>
  useMutation({
    mutationFn: () => (purpose === 'edit' ? api.addAgentVersion({ id, body: text }) : api.createAgent({ body: text })),
    onSuccess: (agent) => {
      notifications.show({
        color: 'teal',
        message: purpose === 'edit' ? `Version ${agent.manifestVersion} is the manifest now.` : `${agent.name} was created at draft.`,
      });
      refreshAgent();
      goTo(`agents/${agent.id}`);
    },
  });

/** Problems of the text with their places: parse errors, otherwise those of the service. */
function listProblems(read: ReadYaml, said: ApiError['fields']): readonly YamlProblem[] {
  if (!read.ok) return [{ words: read.problem, place: read.place }];
  return said.map(({ path, problem, allowed }) => ({
    words: `${path.replace('$.', '')} ${problem}. Allowed: ${allowed}.`,
    place: read.placeOf(path),
  }));
}

/** Adds a name for the preview, which needs none. */
const named = (read: ReadYaml, text: string): string =>
  read.ok && read.value['name'] === undefined && !isDeclarative(read.value) ? writeYaml({ name: 'Preview', ...read.value }) : text;

function problemAt(said: ApiError['fields'], path: string): string | null {
  const found = said.find((one) => one.path === `$.${path}`);
  return found === undefined ? null : `${found.problem}. Allowed: ${found.allowed}.`;
}

const NoRows = ({ isText }: { readonly isText: boolean }) => (
  <p className="card empty">
    {isText
      ? 'The rows come back when the YAML can be read. Its problem is named beneath it.'
      : 'These rules are shown as YAML only: they are in the declarative form, or a list holds what is no rule. They can be previewed and saved as they are.'}
  </p>
);

const Templates = ({ take }: { readonly take: (template: Readonly<Record<string, unknown>>) => void }) => (
  <Menu withinPortal={false} position="bottom-start">
    <Menu.Target>
      <Button variant="default">Start from a template</Button>
    </Menu.Target>
    <Menu.Dropdown>
      {templates.map((template) => (
        <Menu.Item key={String(template['name'])} onClick={() => take(template)}>
          {String(template['name'])} <small>{String(template['description'] ?? '')}</small>
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

interface RowsProps {
  readonly draft: ManifestDraft;
  readonly change: (draft: ManifestDraft) => void;
  readonly problemOf: (path: string) => string | null;
}

function Rows({ draft, change, problemOf }: RowsProps) {
  const { texts } = draft;
  const isOutside = texts['strategy'] === 'external';
  const inputs = (fields: readonly Field[]) =>
    fields.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        label={spaced(field.name)}
        text={texts[field.name] ?? ''}
        change={(text) => change({ ...draft, texts: { ...texts, [field.name]: text } })}
        problem={problemOf(field.name)}
      />
    ));
  return (
    <>
      <fieldset className="card builder-fields">
        <legend className="sr-only">Agent</legend>
        {inputs(FIRST_FIELDS.flatMap((name) => FORM.fields.find((field) => field.name === name) ?? []))}
        <Universe chosen={draft.universe} change={(universe) => change({ ...draft, universe })} problem={problemOf('universe')} />
      </fieldset>
      {isOutside && draft.entry.length + draft.exit.length === 0 ? (
        <p className="card empty">Your own code decides. The limits below are its mandate.</p>
      ) : (
        <div className="card">
          {(['entry', 'exit'] as const).map((side) => (
            <RuleRows
              key={side}
              side={side}
              form={FORM}
              rows={draft[side]}
              change={(rows) => change({ ...draft, [side]: rows })}
              problemOf={(path) => problemOf(`${side}Conditions${path}`)}
            />
          ))}
        </div>
      )}
      <fieldset className="card builder-fields">
        <legend className="sr-only">Limits and execution</legend>
        {inputs(FORM.fields.filter(({ name }) => !FIRST_FIELDS.includes(name)))}
      </fieldset>
    </>
  );
}

interface UniverseProps {
  readonly chosen: readonly string[];
  readonly change: (chosen: readonly string[]) => void;
  readonly problem: string | null;
}

function Universe({ chosen, change, problem }: UniverseProps) {
  const entries = useCatalog();
  const counts = new Map<string, number>();
  for (const { instrument } of entries) counts.set(instrument, (counts.get(instrument) ?? 0) + 1);
  const options = entries.map(({ instrument, key, kind }) => (counts.get(instrument) === 1 ? instrument : `${key}:${kind}`));
  return (
    <TagsInput
      size="xs"
      label="Instruments, in the order of evaluation"
      placeholder={chosen.length === 0 ? 'AAPLx, BTCUSDT, …' : ''}
      data={[...new Set(options)]}
      limit={50}
      renderPill={chosenPill}
      splitChars={[',', ' ', '\n']}
      value={[...chosen]}
      onChange={change}
      error={problem}
    />
  );
}
