/** The toolbar above the timeline: tools, search, and toggles. */
import { For, Show } from 'solid-js';

import { formatCount, plural } from '../../format/numbers';
import { shared } from '../../shell/shared';
import type { Commands } from '../../timeline/commands';
import { toggleCompact } from '../../timeline/row-commands';
import type { Timeline, Tool } from '../../timeline/timeline';
import { NotesList } from '../../widgets/notes';
import { Popover } from '../../widgets/popover';
import { Glyph } from './glyphs';
import { SearchRemark } from './search-remark';

const TOOLS: readonly { tool: Tool; tip: string }[] = [
  { tool: 'select', tip: 'Select: click a slice, drag an area (1)' },
  { tool: 'pan', tip: 'Pan: drag the content (2)' },
  { tool: 'zoom', tip: 'Zoom: drag a range to fill the window (3)' },
  { tool: 'measure', tip: 'Measure: drag from edge to edge (4)' },
];

interface ToolbarProps {
  timeline: Timeline;
  commands: Commands;
  searchRef: (field: HTMLInputElement) => void;
  onResults: () => void;
  isDrawerOpen: boolean;
  onDrawer: () => void;
  /** Opens the list of saved arrangements. */
  onArrange: () => void;
  /** Whether the baseline's tracks are shown; undefined without a baseline. */
  split?: boolean | undefined;
  onSplit: () => void;
}

export function Toolbar(props: ToolbarProps) {
  const notes = () => props.timeline.report.notes;
  const hasWarning = () => notes().some((note) => note.kind === 'warning');
  return (
    <div class="timeline-toolbar" role="toolbar" aria-label="Timeline">
      <div class="timeline-tools">
        <div class="segmented" role="group" aria-label="Tool">
          <For each={TOOLS}>
            {({ tool, tip }) => (
              <button
                class="quiet"
                aria-label={tip}
                aria-pressed={props.timeline.tool[0]() === tool}
                data-tip={tip}
                onClick={() => props.timeline.tool[1](tool)}
              >
                <Glyph name={tool} />
              </button>
            )}
          </For>
        </div>
        <button
          class="quiet icon-button"
          aria-label="Show the whole session (0)"
          data-tip="Show the whole session (0)"
          onClick={() => props.commands.reset()}
        >
          <Glyph name="fit" />
        </button>
        <button
          class="quiet icon-button"
          aria-label="Compact rows (h)"
          aria-pressed={props.timeline.choices[0]().isCompact}
          data-tip="Compact rows (h)"
          onClick={() => toggleCompact(props.timeline)}
        >
          <Glyph name="compact" />
        </button>
        <button
          class="quiet icon-button"
          aria-label="Arrangements of rows and colors"
          data-tip="Save how rows and colors are arranged, or choose a saved arrangement"
          onClick={() => props.onArrange()}
        >
          <Glyph name="arrangement" />
        </button>
        <Show when={props.timeline.scene.steps.length > 0}>
          <div class="step-buttons">
            <button
              class="quiet icon-button"
              aria-label="Previous step (p)"
              data-tip="Previous step (p)"
              onClick={() => props.commands.step(-1)}
            >
              <Glyph name="previous" />
            </button>
            <span class="muted">step</span>
            <button
              class="quiet icon-button"
              aria-label="Next step (n)"
              data-tip="Next step (n)"
              onClick={() => props.commands.step(1)}
            >
              <Glyph name="next" />
            </button>
          </div>
        </Show>
        {/* A single-file report cannot search: it contains only the names that are drawn. */}
        <Show when={!shared()}>
          <SearchField {...props} />
        </Show>
        <span class="spacer" />
        <Show when={!shared()}>
          <button
            class="quiet"
            aria-pressed={props.timeline.isPathShown[0]()}
            classList={{ 'is-on': props.timeline.isPathShown[0]() }}
            data-tip="Show what the selected steps waited for, under the step ruler (c)"
            onClick={() => props.commands.togglePath()}
          >
            Critical path
          </button>
        </Show>
        <Show when={props.split !== undefined}>
          <button
            class="quiet"
            aria-pressed={props.split}
            classList={{ 'is-on': props.split === true }}
            data-tip="Show the tracks of the baseline below, aligned by step"
            onClick={() => props.onSplit()}
          >
            Baseline below
          </button>
        </Show>
        <Show when={notes().length > 0}>
          <Popover
            isRight
            class={hasWarning() ? 'quiet has-warning' : 'quiet'}
            label={plural(notes().length, 'note')}
            tip="What was adjusted in this timeline"
          >
            {() => <NotesList notes={notes()} />}
          </Popover>
        </Show>
        <span class="muted number slice-total" data-tip="Slices in this session, all of them shown">
          {plural(props.timeline.report.slice_count, 'slice')}
        </span>
        <button
          class="quiet icon-button"
          aria-pressed={props.isDrawerOpen}
          aria-label="Show or hide the details (q)"
          data-tip="Show or hide the details (q)"
          onClick={() => props.onDrawer()}
        >
          <Glyph name="panel" />
        </button>
      </div>
    </div>
  );
}

function SearchField(props: ToolbarProps) {
  const state = () => props.timeline.search.state();
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key === 'Enter') {
      if (event.shiftKey) void props.commands.previousMatch();
      else void props.commands.nextMatch();
      props.onResults();
    } else if (event.key === 'Escape') {
      if (event.currentTarget.value) props.timeline.setQuery('');
      event.currentTarget.blur();
    } else if (event.key === 'ArrowDown') {
      props.onResults();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const countText = () => {
    const { matchCount, current, isReady, isFromStart, error } = state();
    if (error) return error;
    if (!isReady && matchCount === 0) return '…';
    if (matchCount === 0) return 'no matches';
    const all = formatCount(matchCount);
    return current >= 0 && isFromStart
      ? `${formatCount(current + 1)} of ${all}`
      : plural(matchCount, 'match', 'matches');
  };
  return (
    <div class="timeline-search" classList={{ 'is-on': state().query !== '' }}>
      <input
        ref={props.searchRef}
        type="search"
        placeholder="Search all slices  ( / )"
        aria-label="Search all slices: text or regular expression"
        data-tip="Text or regular expression, with conditions such as dur>1ms or kind:collective. ↓ lists them"
        data-shortcut="search"
        value={state().query}
        onInput={(event) => props.timeline.setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <Show when={state().query}>
        <button
          class="quiet match-count number"
          classList={{ 'is-problem': state().error !== '' }}
          data-tip="List the matches"
          onClick={() => props.onResults()}
        >
          {countText()}
        </button>
        <button
          class="quiet icon-button"
          aria-label="Previous match (Shift+Enter)"
          data-tip="Previous match (Shift+Enter)"
          onClick={() => void props.commands.previousMatch()}
        >
          <Glyph name="previous" />
        </button>
        <button
          class="quiet icon-button"
          aria-label="Next match (Enter)"
          data-tip="Next match (Enter)"
          onClick={() => void props.commands.nextMatch()}
        >
          <Glyph name="next" />
        </button>
      </Show>
      <SearchRemark text={state().remark} timeline={props.timeline} />
    </div>
  );
}
