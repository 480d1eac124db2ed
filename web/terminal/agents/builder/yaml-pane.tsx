/** YAML editor with line numbers. Each problem links to its line and column. */
import { useRef } from 'react';
import type { Place } from './yaml.ts';

export interface YamlProblem {
  readonly words: string;
  readonly place: Place | null;
}

interface YamlPaneProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly problems: readonly YamlProblem[];
}

export function YamlPane({ text, change, problems }: YamlPaneProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = text.split('\n');
  const bad = new Set(problems.flatMap(({ place }) => place?.line ?? []));
  const goTo = ({ line, column }: Place) => {
    const offset = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset);
  };
  return (
    <section className="card yaml-pane" aria-label="YAML">
      <h2>YAML</h2>
      <div className="yaml">
        <ol aria-hidden="true">
          {lines.map((_, at) => (
            <li key={`${at + 1}`} data-bad={bad.has(at + 1)}>
              {at + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={area}
          aria-label="Manifest as YAML"
          aria-invalid={problems.length > 0}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          rows={lines.length + 1}
          value={text}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      </div>
      <div role="status">
        <ul className="yaml-problems">
          {problems.map(({ words, place }) => (
            <li key={`${words} ${place?.line}`}>
              {place !== null && (
                <button type="button" className="plain num" onClick={() => goTo(place)}>
                  Line {place.line}, column {place.column}:
                </button>
              )}{' '}
              {words}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
