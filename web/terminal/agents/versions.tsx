/** Versions of an agent's manifest, newest first, each with its changes. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dayAndTime } from '../../words.js';
import { api, type ManifestVersion } from '../api.ts';
import { Written } from '../kit/form.tsx';
import { Loaded, useList } from '../kit/lists.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { type Condition, conditionSentence } from './rules.ts';
import { submits } from '../kit/browser.ts';

export function Versions({ agentId }: { readonly agentId: string }) {
  const read = useList(['versions', agentId], (page, options) => api.listVersions({ id: agentId, ...page }, options));
  const { data, hasNextPage, fetchNextPage } = read;
  const newest = data?.pages[0]?.items[0]?.version ?? 0;
  return (
    <div className="versions">
      <Loaded query={read} />
      {newest > 1 && <Compare agentId={agentId} newest={newest} />}
      <ol>
        {(data?.pages ?? [])
          .flatMap(({ items }) => items)
          .map((version) => (
            <Version key={version.version} version={version} />
          ))}
      </ol>
      {hasNextPage && (
        <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
          Older versions
        </Button>
      )}
    </div>
  );
}

function Version({ version }: { readonly version: ManifestVersion }) {
  const { manifestHash, createdBy, createdAt } = version;
  return (
    <li data-version={version.version}>
      <div className="part-head">
        <strong>Version {version.version}</strong>
        <span className="faint">
          {dayAndTime(createdAt)} by {createdBy} · <code title={manifestHash}>{manifestHash.slice(0, 10)}</code>
        </span>
      </div>
      <Changes of={version} none={version.version === 1 ? 'The first version.' : 'Nothing changed.'} />
    </li>
  );
}

interface ChangesProps {
  readonly of: Pick<ManifestVersion, 'changes' | 'conditionsAdded' | 'conditionsRemoved'>;
  readonly none?: string;
}

/** Differences between two manifests, line by line. */
export function Changes({ of: { changes, conditionsAdded, conditionsRemoved }, none = 'Nothing differs.' }: ChangesProps) {
  const isEmpty = changes.length + conditionsAdded.length + conditionsRemoved.length === 0;
  return (
    <ul>
      {isEmpty && <li className="faint">{none}</li>}
      {conditionsRemoved.map(({ side, condition }) => (
        <li key={`- ${JSON.stringify(condition)} ${side}`} className="down">
          − {side}: {conditionSentence(condition as Condition)}
        </li>
      ))}
      {conditionsAdded.map(({ side, condition }) => (
        <li key={`+ ${JSON.stringify(condition)} ${side}`} className="up">
          + {side}: {conditionSentence(condition as Condition)}
        </li>
      ))}
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          {path.replace('$.', '')}: <span className="down">{shown(before)}</span> → <span className="up">{shown(after)}</span>
        </li>
      ))}
    </ul>
  );
}

function Compare({ agentId: id, newest }: { readonly agentId: string; readonly newest: number }) {
  const [from, setFrom] = useState(String(Math.max(1, newest - 1)));
  const [to, setTo] = useState(String(newest));
  const comparing = useMutation({
    mutationFn: async () => (await api.listVersions({ id, limit: 1, from: Number(from), to: Number(to) })).comparison,
  });
  const found = comparing.data;
  return (
    <form className="compare" aria-label="Compare versions" onSubmit={submits(() => comparing.mutate())}>
      <div className="part-head">
        <Written type="number" min={1} max={newest} aria-label="From version" value={from} write={setFrom} />
        <span>to</span>
        <Written type="number" min={1} max={newest} aria-label="To version" value={to} write={setTo} />
        <Button type="submit" variant="default" loading={comparing.isPending}>
          Compare versions
        </Button>
      </div>
      <Refusal error={comparing.error} />
      {found != null && <Changes of={found} />}
    </form>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
