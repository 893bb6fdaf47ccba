/** Requests what belongs to the selected slice on other tracks: participants, chains of arrows. */
import { createEffect, createMemo, on, onCleanup } from 'solid-js';

import { shared } from '../../shell/shared';
import { errorText } from '../../timeline/api';
import { formatSliceRef } from '../../timeline/address';
import { LAID_TRACK } from '../../timeline/laid';
import type { Timeline } from '../../timeline/timeline';

/** Follows the selection of a timeline, as long as the calling component lives. */
export function followRelated(timeline: Timeline): void {
  // A single-file report has no server that could answer.
  if (shared()) return;
  const details = createMemo(() => timeline.selection[0]()?.details ?? null);
  const selected = createMemo(() => {
    const found = details();
    return found ? formatSliceRef(found.slice) : '';
  });
  createEffect(
    on(selected, () => {
      timeline.setParticipants(null);
      timeline.setChain(null);
      const found = details();
      // Rows of a query have no relatives.
      if (!found || found.slice.track === LAID_TRACK) return;
      const { signal, abort } = abortable();
      onCleanup(abort);
      const complain = (error: unknown) => {
        const text = errorText(error);
        if (text !== null) timeline.error[1](text);
      };
      timeline.api
        .chain(found.slice, signal)
        .then((chain) => timeline.setChain(chain))
        .catch(complain);
      if (!mayCommunicate(found)) return;
      timeline.api
        .participants(found.slice, signal)
        .then((report) => timeline.setParticipants(report))
        .catch(complain);
    }),
  );
}

/** Collectives, and exchanges with the host, whose class is not that of collectives. */
function mayCommunicate(details: { class: string; op: string | null }): boolean {
  return details.class === 'collective' || /^(send|recv)/.test(details.op ?? '');
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
