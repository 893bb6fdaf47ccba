/** The text of a hint: what the page has itself is a link, and statements in it can be copied. */
import { For, Match, Show, Switch } from 'solid-js';

import { hintPieces, isStatement, type HintPiece } from '../format/hint';
import { Icon } from '../shell/icons';
import { titleOf } from '../shell/session';
import { shared } from '../shell/shared';
import { hrefTo, route } from '../shell/state';
import { VIEWS } from '../shell/views';
import { CodeBlock, CopyButton } from './copy';

/** Where the hint is shown: a saved report has the answers to one question per view. */
export const hintPlace = () => ({
  view: shared() || route.session === null ? '' : route.view,
  isView: (name: string) => VIEWS.has(name),
});

export default function HintText(props: { text: string }) {
  return <For each={hintPieces(props.text, hintPlace())}>{(piece) => <Piece piece={piece} />}</For>;
}

function Piece(props: { piece: HintPiece }) {
  return (
    <Switch fallback={props.piece.text}>
      <Match when={props.piece.kind === 'view'}>
        <a href={hrefTo({ view: props.piece.text, params: props.piece.params ?? {} })}>
          {titleOf(props.piece.text)}
        </a>
      </Match>
      <Match when={props.piece.kind === 'link'}>
        <a href={hrefTo({ view: route.view, params: props.piece.params ?? {} })}>{props.piece.text}</a>
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
