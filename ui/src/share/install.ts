/** Takes the report out of the page, before anything asks for it. Imported first. */
import { setShared } from '../shell/shared';
import type { ShareReport } from '../wire/generated/ShareReport';
import { setTransport } from '../wire/transport';
import { transportOf } from './answers';

/** Where the report is entered: memory snapshots and programs have no overview. */
function entryViewOf(report: ShareReport): string {
  const views = ['overview', 'heap', 'buffers'];
  return views.find((view) => view in report.answers) ?? 'overview';
}

const place = document.getElementById('stepscope-report');
const text = place?.textContent ?? '';
if (text) {
  const report = JSON.parse(text) as ShareReport;
  setShared(report);
  setTransport(transportOf(report));
  if (!/^#\/s\/0\//.test(window.location.hash)) {
    history.replaceState(null, '', `#/s/0/${entryViewOf(report)}`);
  }
  // The answers are kept packed; their text is not needed twice.
  place?.remove();
}
