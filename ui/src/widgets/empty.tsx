/** Says what is missing, why, and which option or line of code records it. */
import { Show, type JSX } from 'solid-js';

import { CodeBlock } from './copy';
import './empty.css';

export function EmptyState(props: {
  title: JSX.Element;
  children: JSX.Element;
  code?: string | undefined;
  actions?: JSX.Element;
}) {
  return (
    <section class="empty">
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      <Show when={props.code}>{(code) => <CodeBlock code={code()} />}</Show>
      <Show when={props.actions}>
        <div class="empty-actions">{props.actions}</div>
      </Show>
    </section>
  );
}
