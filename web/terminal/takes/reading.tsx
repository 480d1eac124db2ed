/** Thesis with its highlighted reading, and the reading in words below. */
import { readingText } from '../agents/rules.ts';
import { type MarkKind, type Part, splitParts, type Reading } from './marks.ts';
import { renderItems } from '../kit/lists.tsx';

const KINDS: readonly (readonly [kind: MarkKind, title: string])[] = [
  ['understood', 'Understood'],
  ['assumed', 'Assumed'],
  ['aside', 'Set aside as a reason'],
  ['unknown', 'Not understood'],
];

export const Parts = ({ of }: { readonly of: readonly Part[] }) =>
  of.map(({ text, kind, means }, place) =>
    kind === null ? (
      text
    ) : (
      <mark key={place} data-kind={kind} title={readingText(means)}>
        {text}
      </mark>
    ),
  );

export const ReadThesis = ({ thesis, reading }: { readonly thesis: string; readonly reading: Reading }) => (
  <blockquote className="thesis-read">
    <Parts of={splitParts(thesis, reading)} />
  </blockquote>
);

export const Legend = () => (
  <ul className="legend" aria-label="Colours">
    {KINDS.map(([kind, title]) => (
      <li key={kind}>
        <mark data-kind={kind}>{title}</mark>
      </li>
    ))}
  </ul>
);

/** Reading of a thesis in words: meanings, assumptions, ignored phrases and questions. */
export const InWords = ({ reading: { understood, assumed, notUnderstood, questions } }: { readonly reading: Reading }) => (
  <div className="reading-words">
    {questions.length > 0 && <Lines title="Questions" kind="unknown" lines={questions} />}
    {understood.length > 0 && (
      <section aria-label="How it was read">
        <h3>How it was read</h3>
        <dl className="facts left phrases">
          {understood.map(({ phrase, as }) => (
            <div key={`${phrase} ${as}`}>
              <dt>“{phrase}”</dt>
              <dd>{readingText(as)}</dd>
            </div>
          ))}
        </dl>
      </section>
    )}
    {assumed.length > 0 && <Lines title="Assumed" kind="assumed" lines={assumed} />}
    {notUnderstood.length > 0 && <Lines title="Set aside as a reason" kind="aside" lines={notUnderstood.map((one) => `“${one}”`)} />}
  </div>
);

const Lines = ({ title, kind, lines }: { readonly title: string; readonly kind: MarkKind; readonly lines: readonly string[] }) => (
  <section aria-label={title} data-kind={kind} className="reading-lines">
    <h3>{title}</h3>
    <ul>{renderItems(lines.map(readingText))}</ul>
  </section>
);
