/** The strip below the top bar of a report: its session, its version, and what it does not contain. */
import { For, Show } from 'solid-js';

import { formatDate } from '../format/numbers';
import { Popover } from '../widgets/popover';
import type { ShareReport } from '../wire/generated/ShareReport';
import { summaryOf } from './session';
import { route } from './state';
import './share-strip.css';

export function ShareStrip(props: { report: ShareReport }) {
  const summary = () => summaryOf(route.session);
  const hosts = () => summary()?.hosts ?? [];
  const selection = () => props.report.selection.map(([name, value]) => `--${name} ${value}`);
  return (
    <div class="share-strip" role="note" aria-label="About this report">
      <span>
        A report of <strong>{props.report.session}</strong>
        <Show when={summary()?.devices}>{(devices) => <> on {devices()}</>}</Show>
        <Show when={hosts().length > 0}>
          {' '}
          of {hosts().length > 3 ? `${hosts().length} hosts` : hosts().join(', ')}
        </Show>
        <Show when={props.report.captured_epoch_ms}>
          {(captured) => <>, captured {formatDate(captured())}</>}
        </Show>
        <Show when={selection().length > 0}>
          , limited to <code>{selection().join(' ')}</code>
        </Show>
      </span>
      <Show when={props.report.redaction}>
        {(sentence) => (
          <Popover label="Names redacted" class="quiet share-redacted">
            {() => (
              <div class="share-more">
                <p>{sentence()}</p>
                <p class="muted">
                  Figures are unchanged. Names used by compilers, runtimes and drivers, numbers and
                  shapes are kept.
                </p>
              </div>
            )}
          </Popover>
        )}
      </Show>
      <span class="spacer" />
      <Popover label="Contents" class="quiet" isRight>
        {() => <Content report={props.report} />}
      </Popover>
      <span class="muted">
        Stepscope {props.report.version}
        <Show when={props.report.written_epoch_ms}>
          {(written) => <>, {formatDate(written())}</>}
        </Show>
      </span>
    </div>
  );
}

function Content(props: { report: ShareReport }) {
  return (
    <div class="share-more">
      <p>
        This file contains every view of the capture as it opens, the timeline, and details of the{' '}
        {props.report.detail_count} longest slices. It needs no server and sends no data.
      </p>
      <p>
        It cannot compute anything new: no selections of steps, devices or time, no slice search,
        no comparisons. For these, open the capture itself with <code>stepscope view</code>.
      </p>
      <Show when={props.report.left_out.length > 0}>
        <p>Left out to keep the file small:</p>
        <ul>
          <For each={props.report.left_out}>{(line) => <li>{line}</li>}</For>
        </ul>
      </Show>
    </div>
  );
}
