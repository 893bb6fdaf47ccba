/**
 * What is wrong with the capture, until it is dismissed: what makes figures wrong stands above those of
 * the overview, and the rest below them.
 */
import { createMemo, createSignal, Show } from 'solid-js';

import { Icon } from '../../shell/icons';
import type { VerdictReport } from '../../wire/generated/VerdictReport';
import { bannerKey, dismiss, isDismissed, sessionStore, urgent } from './dismissed';
import { Findings } from './findings';

export function VerdictBanner(props: {
  report: VerdictReport | undefined;
  severity: 'bad' | 'warning';
  /** A finding that the page tells otherwise. */
  told?: string | undefined;
}) {
  const findings = createMemo(() =>
    urgent(props.report?.findings ?? [], props.severity).filter(({ id }) => id !== props.told),
  );
  const key = () => bannerKey(props.report?.session ?? '', findings());
  const [count, setCount] = createSignal(0);
  const isShown = () => {
    count();
    return findings().length > 0 && !isDismissed(sessionStore(), key());
  };
  return (
    <Show when={isShown()}>
      <section class="verdict-banner" aria-label="Findings about this capture">
        <Findings findings={findings()} />
        <button
          class="quiet icon verdict-dismiss"
          aria-label="Dismiss"
          data-tip="Dismiss (the findings stay below and in the Verdict view)"
          onClick={() => {
            dismiss(sessionStore(), key());
            setCount(count() + 1);
          }}
        >
          <Icon name="close" />
        </button>
      </section>
    </Show>
  );
}
