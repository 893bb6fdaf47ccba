/** The text of a hint: what the page has itself is a link, and statements in it can be copied. */
import { For, Match, Show, Switch } from 'solid-js';

import { hintPieces, isStatement, type HintPiece, type HintPlace } from '../format/hint';
import { withUnits } from '../format/units';
import { Icon } from '../shell/icons';
import { CodeBlock, CopyButton } from './copy';

/** What the page knows, given by what is loaded first. */
export interface HintPage extends HintPlace {
  titleOf: (view: string) => string;
  hrefTo: (target: { view: string; params: Record<string, string> }) => string;
}

export default function HintText(props: { text: string; page: HintPage }) {
  return (
    <For each={hintPieces(props.text, props.page)}>
      {(piece) => <Piece piece={piece} page={props.page} />}
    </For>
  );
}

function Piece(props: { piece: HintPiece; page: HintPage }) {
  const href = (view: string) => props.page.hrefTo({ view, params: props.piece.params ?? {} });
  return (
    <Switch fallback={withUnits(props.piece.text)}>
      <Match when={props.piece.kind === 'view'}>
        <a href={href(props.piece.text)}>{props.page.titleOf(props.piece.text)}</a>
      </Match>
      <Match when={props.piece.kind === 'link'}>
        <a href={href(props.page.view)}>{props.piece.text}</a>
      </Match>
      <Match when={props.piece.kind === 'selection'}>
        <strong>{props.piece.text}</strong> at the top
      </Match>
      <Match when={props.piece.kind === 'option' || props.piece.kind === 'code'}>
        <InlineCode code={props.piece.text} />
      </Match>
    </Switch>
  );
}

function InlineCode(props: { code: string }) {
  return (
    <Show
      when={props.code.length > 90 || props.code.includes('\n')}
      fallback={<ShortCode code={props.code} />}
    >
      <CodeBlock code={props.code} />
    </Show>
  );
}

function ShortCode(props: { code: string }) {
  return (
    <>
      <code>{props.code}</code>
      <Show when={isStatement(props.code)}>
        <CopyButton class="quiet note-copy" text={() => props.code} name="Copy" tip="Copy">
          <Icon name="copy" />
        </CopyButton>
      </Show>
    </>
  );
}
