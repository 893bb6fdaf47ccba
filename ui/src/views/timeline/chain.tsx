/** What leads to the selected slice and what follows from it, hop by hop. */
import { For, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { cutText, gapText } from '../../timeline/chain';
import type { ChainReport } from '../../wire/generated/ChainReport';
import type { ChainSlice } from '../../wire/generated/ChainSlice';
import type { PanelProps } from './drawer';
import { ShortName } from './short-name';

export function Chain(props: PanelProps) {
  const chain = () => {
    const found = props.timeline.chain[0]();
    return found && found.slices.length > 1 ? found : null;
  };
  return (
    <Show when={chain()}>
      {(found) => (
        <>
          <h3>
            Arrows <span class="muted">{found().slices.length - 1}</span>
          </h3>
          <ol class="flows chain" aria-label="What leads to this slice and follows from it">
            <For each={found().slices}>
              {(slice) => <Link {...props} chain={found()} slice={slice} />}
            </For>
          </ol>
          <Show when={cutText(found())}>{(text) => <p class="muted">{text()}</p>}</Show>
        </>
      )}
    </Show>
  );
}

function Link(props: PanelProps & { chain: ChainReport; slice: ChainSlice }) {
  const slice = () => props.slice;
  const goTo = () =>
    void props.commands.goTo(slice().slice, {
      startPs: slice().start_ps,
      durationPs: slice().duration_ps,
    });
  const hop = () => (slice().hop > 0 ? `+${slice().hop}` : `−${-slice().hop}`);
  const kind = () => slice().kind.replace(/_/g, ' ');
  const tip = () =>
    [slice().name, slice().track_name, kind(), formatDuration(slice().duration_ps)]
      .filter(Boolean)
      .join('\n');
  return (
    <li>
      <button
        class="flow"
        classList={{ 'is-current': slice().hop === 0 }}
        aria-current={slice().hop === 0 ? 'true' : undefined}
        onClick={goTo}
        data-tip={tip()}
      >
        <span class="chain-hop number">{slice().hop === 0 ? 'this' : hop()}</span>
        <span class="swatch" style={{ background: classColor(slice().class) }} />
        <span class="flow-name">
          <ShortName timeline={props.timeline} name={slice().name} />
        </span>
        <Show when={slice().through}>
          {(through) => <span class="muted chain-through">by {through().name}</span>}
        </Show>
        <span class="muted chain-kind">{kind()}</span>
        <span class="number muted">{gapText(props.chain, slice())}</span>
      </button>
    </li>
  );
}
