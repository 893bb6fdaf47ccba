/** The session, as it is selected, as one file for somebody without it. */
import { createSignal, Show } from 'solid-js';

import { Popover } from '../widgets/popover';
import { urlOf } from '../wire/client';
import { Icon } from './icons';
import { route, selectionParams } from './state';
import './share-button.css';

export function ShareButton() {
  return (
    <Popover
      isRight
      class="quiet icon"
      tip="Save this session as one file to share"
      name="Share"
      label={<Icon name="share" />}
    >
      {(close) => <Content close={close} />}
    </Popover>
  );
}

function Content(props: { close: () => void }) {
  const [isRedacted, setRedacted] = createSignal(false);
  const href = () =>
    urlOf(`api/sessions/${route.session}/export.html`, {
      ...selectionParams(),
      redact: isRedacted() ? 'true' : null,
    });
  return (
    <div class="share-form">
      <p>
        The pages with their answers in one file of at most 15 MB. It opens in a browser without a
        server or a network.
      </p>
      <Show when={Object.keys(selectionParams()).length > 0}>
        <p>It holds what is selected now, and nothing else.</p>
      </Show>
      <label>
        <input
          type="checkbox"
          checked={isRedacted()}
          onChange={(event) => setRedacted(event.currentTarget.checked)}
        />
        Put other names in the place of names, paths and sources
      </label>
      <a class="share-save" href={href()} download="" onClick={() => props.close()}>
        Save as HTML
      </a>
    </div>
  );
}
