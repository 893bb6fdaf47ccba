/** What some hosts of a large session say, while all of them are being opened. */
import { createSignal, onCleanup, Show } from 'solid-js';

import { formatCount } from '../../format/numbers';
import { getJson, urlOf } from '../../wire/client';
import type { PreviewReport } from '../../wire/generated/PreviewReport';
import { KeyFigures } from './figures';
import { Headline } from './headline';
import './overview.css';

/** Hosts of one preview after the other; the server takes at most a quarter of them. */
const HOSTS = [4, 32, 128];
const PART = 4;

export default function Preview(props: { session: string; hostCount: number }) {
  const [preview, setPreview] = createSignal<PreviewReport>();
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  const fill = async () => {
    for (const hosts of HOSTS) {
      if (hosts * PART > props.hostCount) return;
      const url = urlOf(`api/sessions/${props.session}/preview`, { hosts });
      setPreview(await getJson<PreviewReport>(url, stop.signal, false));
    }
  };
  // The page is complete without it, and whatever is wrong is said when the session is opened.
  fill().catch(() => undefined);
  return (
    <Show when={preview()}>
      {(now) => (
        <div class="page overview">
          <p class="muted" role="status">
            So far: {formatCount(now().host_count)} of {formatCount(now().all_host_count)} hosts,
            spread over all of them. The figures of all hosts follow.
          </p>
          <Headline report={now().overview} advice={undefined} />
          <KeyFigures report={now().overview} />
        </div>
      )}
    </Show>
  );
}
