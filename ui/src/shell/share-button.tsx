/** Saves the session, within the selection, as one file for people who don't have the capture. */
import { createSignal, Show } from 'solid-js';

import { Popover } from '../widgets/popover';
import { urlOf } from '../wire/client';
import { Icon } from './icons';
import { route, selectionParams, timelineMarks } from './state';
import './share-button.css';

/** The address of the shown session, within the selection, as one file; with the timeline's marks or without. */
const shareUrl = (isRedacted: boolean, hasMarks: boolean) =>
  urlOf(`api/sessions/${route.session}/export.html`, {
    ...selectionParams(),
    redact: isRedacted ? 'true' : null,
    marks: (hasMarks && timelineMarks()) || null,
  });

/** Saves it without asking further. The texts of marks are not redacted, so redacted files have none. */
export function saveAsFile(isRedacted: boolean): void {
  const link = document.createElement('a');
  link.href = shareUrl(isRedacted, !isRedacted);
  link.download = '';
  link.click();
}

export function ShareButton() {
  return (
    <Popover
      isRight
      class="quiet icon"
      tip="Save this session as a single file to share"
      name="Share"
      label={<Icon name="share" />}
    >
      {(close) => <Content close={close} />}
    </Popover>
  );
}

function Content(props: { close: () => void }) {
  const [isRedacted, setRedacted] = createSignal(false);
  const [isMarked, setMarked] = createSignal(true);
  const hasMarks = () => timelineMarks() !== '';
  const href = () => shareUrl(isRedacted(), isMarked());
  return (
    <div class="share-form">
      <p>
        Save as a single HTML file (up to 15 MB). It opens in a browser without a server or a
        network.
      </p>
      <Show when={Object.keys(selectionParams()).length > 0}>
        <p>It contains only the current selection.</p>
      </Show>
      <label>
        <input
          type="checkbox"
          checked={isRedacted()}
          onChange={(event) => setRedacted(event.currentTarget.checked)}
        />
        Redact names, paths and sources
      </label>
      <Show when={hasMarks()}>
        <label>
          <input
            type="checkbox"
            checked={isMarked()}
            onChange={(event) => setMarked(event.currentTarget.checked)}
          />
          Include marks{isRedacted() ? '; their texts are not redacted' : ''}
        </label>
      </Show>
      <a class="share-save" href={href()} download="" onClick={() => props.close()}>
        Save as HTML
      </a>
    </div>
  );
}
