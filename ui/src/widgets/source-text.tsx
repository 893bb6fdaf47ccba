/** A source line: file and line, as a link to the reader's editor. */
import { Show } from 'solid-js';

import { editorHref, openEditorSettings } from '../shell/editor';
import { copyText } from './copy';
import { contextMenu } from './menu/menu';
import './middle.css';
import './source-text.css';

/** The line stays when the name is cut, and the tooltip has the whole path. */
export function SourceText(props: {
  text: string;
  /** Whether Tab reaches the link. Tables are one stop, and their menu opens it. */
  isStop?: boolean;
}) {
  const file = () => props.text.slice(props.text.lastIndexOf('/') + 1);
  const colon = () => (file().includes(':') ? file().lastIndexOf(':') : file().length);
  const content = () => (
    <>
      <span class="middle-head">{file().slice(0, colon())}</span>
      <span class="middle-tail">{file().slice(colon())}</span>
    </>
  );
  return (
    <Show when={props.text} fallback={<span class="table-missing">–</span>}>
      <span class="source-text" onContextMenu={contextMenu(() => menuOf(props.text))}>
        <Show
          when={editorHref(props.text)}
          fallback={
            <span class="middle mono" data-tip={props.text}>
              {content()}
            </span>
          }
        >
          {(href) => (
            <a
              class="middle mono"
              href={href()}
              tabindex={props.isStop ? undefined : '-1'}
              data-tip={`${props.text}\nClick to open it in the editor`}
              // The row around it has a click of its own.
              onClick={(event) => event.stopPropagation()}
            >
              {content()}
            </a>
          )}
        </Show>
      </span>
    </Show>
  );
}

function menuOf(source: string) {
  const href = editorHref(source);
  return [
    ...(href
      ? [{ title: 'Open in the editor', run: () => window.location.assign(href) }]
      : []),
    { title: 'Copy the source line', detail: source, run: () => void copyText(source) },
    { title: 'Choose the editor and paths …', run: openEditorSettings },
  ];
}
