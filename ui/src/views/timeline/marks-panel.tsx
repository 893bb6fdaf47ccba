/** The marks as a list: their texts, colors, arrows, and times. */
import { createEffect, For, on, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { shortText } from '../../timeline/clock';
import { titleOfTrack } from '../../timeline/track-title';
import {
  cleanText,
  LONGEST_TEXT,
  MARK_COLORS,
  withMark,
  withoutMark,
  type Mark,
  type MarkColor,
} from '../../timeline/marks';
import { showToast } from '../../widgets/toast';
import { PanelHint, type PanelProps } from './drawer';
import './marks.css';

const COLORS = Object.keys(MARK_COLORS) as MarkColor[];

/** How much of a text names its mark. */
const NAME_CHARACTERS = 30;

export function MarksPanel(props: PanelProps) {
  const marks = () => props.timeline.marks[0]();
  const kept = () => marks().flatMap((mark, position) => (mark.isKept ? [position] : []));
  let list: HTMLUListElement | undefined;
  const focusText = (position: number) =>
    list?.querySelector<HTMLInputElement>(`[data-position="${position}"] input`)?.focus();
  createEffect(
    on(props.timeline.chosenMark[0], (position) => {
      // Once the row is there, and before the next key: it belongs to the text already.
      if (position !== null) queueMicrotask(() => focusText(position));
    }),
  );
  return (
    <Show
      when={kept().length > 0}
      fallback={<PanelHint text="Mark a time and write what you see there." keys="t" />}
    >
      <ul class="marks-panel" ref={(element) => (list = element)}>
        {/* By position: rows stay while their texts are typed. */}
        <For each={kept()}>{(position) => <Row {...props} position={position} />}</For>
      </ul>
    </Show>
  );
}

/** What a mark is called elsewhere: its text, else its time. */
function nameOf(props: PanelProps, mark: Mark): string {
  if (mark.text === '') return shortText(props.timeline.times.clock[0](), mark.startPs, 1e6);
  return mark.text.length > NAME_CHARACTERS ? `${mark.text.slice(0, NAME_CHARACTERS)}…` : mark.text;
}

function Row(props: PanelProps & { position: number }) {
  const { timeline, commands } = props;
  const marks = () => timeline.marks[0]();
  /** Undefined for a moment when the last one is deleted. */
  const mark = () => marks()[props.position];
  const change = (changes: Parameters<typeof withMark>[2]) =>
    timeline.setMarks(withMark(marks(), props.position, changes));
  const remove = () => {
    const before = marks();
    timeline.setMarks(withoutMark(before, props.position));
    showToast({
      text: 'Mark deleted',
      key: 'timeline marks',
      action: { title: 'Undo', run: () => timeline.setMarks(before) },
    });
  };
  const place = (shown: Mark) => {
    const track = shown.track === null ? undefined : timeline.scene.layout.rowOfTrack.get(shown.track);
    return track ? ` on ${track.group.name} / ${titleOfTrack(track.track)}` : '';
  };
  const go = (shown: Mark) => {
    if (shown.track !== null) timeline.revealTrack(shown.track, 0);
    const isInstant = shown.endPs <= shown.startPs;
    const { startPs, endPs } = timeline.scene.viewport.target;
    const halfPs = (endPs - startPs) / 2;
    commands.zoomTo(
      isInstant ? { startPs: shown.startPs - halfPs, endPs: shown.startPs + halfPs } : shown,
    );
  };
  const targets = () =>
    marks().flatMap((other, at) => (other.isKept && at !== props.position ? [{ other, at }] : []));
  const toggleArrow = (at: number) => {
    const { arrows } = mark()!;
    change({ arrows: arrows.includes(at) ? arrows.filter((one) => one !== at) : [...arrows, at] });
  };
  return (
    <Show when={mark()}>
      {(shown) => (
        <li class="mark-row" data-position={props.position}>
          <span class="mark-colors" role="group" aria-label="Color">
            <For each={COLORS}>
              {(color) => (
                <button
                  class="mark-color"
                  style={{ background: MARK_COLORS[color] }}
                  aria-label={color}
                  aria-pressed={shown().color === color}
                  onClick={() => change({ color })}
                />
              )}
            </For>
          </span>
          <input
            type="text"
            class="mark-text"
            aria-label="Text of the mark"
            placeholder="What is here?"
            maxlength={LONGEST_TEXT}
            value={shown().text}
            onInput={(event) => change({ text: cleanText(event.currentTarget.value) })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== 'Escape') return;
              event.stopPropagation();
              event.currentTarget.blur();
            }}
          />
          <button class="quiet mark-time number" data-tip="Show this time" onClick={() => go(shown())}>
            {shortText(timeline.times.clock[0](), shown().startPs, 1e6)}
            <Show when={shown().endPs > shown().startPs}>
              {' · '}
              {formatDuration(shown().endPs - shown().startPs)}
            </Show>
            {place(shown())}
          </button>
          <Show when={targets().length > 0}>
            <select
              class="mark-arrows"
              aria-label="Arrow to another mark"
              data-tip="Draw an arrow to another mark, or remove it"
              value=""
              onChange={(event) => {
                toggleArrow(Number(event.currentTarget.value));
                event.currentTarget.value = '';
              }}
            >
              <option value="">
                {shown().arrows.length > 0 ? `→ ${shown().arrows.length}` : '→ …'}
              </option>
              <For each={targets()}>
                {({ other, at }) => (
                  <option value={at}>
                    {shown().arrows.includes(at) ? '✓ ' : ''}
                    {nameOf(props, other)}
                  </option>
                )}
              </For>
            </select>
          </Show>
          <button
            class="quiet icon-button"
            aria-label="Delete the mark"
            data-tip="Delete the mark"
            onClick={remove}
          >
            <Icon name="close" />
          </button>
        </li>
      )}
    </Show>
  );
}
