/** Reads the report from the page before anything is requested; must be imported first. */
import { setShared } from '../shell/shared';
import type { ShareReport } from '../wire/generated/ShareReport';
import { setTransport } from '../wire/transport';
import { transportOf } from './answers';

/** The view that opens first: memory snapshots and programs have no overview. */
function entryViewOf(report: ShareReport): string {
  const views = ['overview', 'heap', 'buffers'];
  return views.find((view) => view in report.answers) ?? 'overview';
}

/** The key of the only session, taken from the request that opens it. */
function sessionOf(report: ShareReport): string {
  const prefix = 'api/sessions/';
  const asked = Object.keys(report.shell).find((url) => url.startsWith(prefix));
  return asked?.slice(prefix.length) ?? '';
}

const place = document.getElementById('stepscope-report');
const text = place?.textContent ?? '';
if (text) {
  const report = JSON.parse(text) as ShareReport;
  setShared(report);
  setTransport(transportOf(report));
  const session = sessionOf(report);
  if (!window.location.hash.startsWith(`#/s/${session}/`)) {
    history.replaceState(null, '', `#/s/${session}/${entryViewOf(report)}`);
  }
  // The report is parsed, with its answers still packed; the page need not keep a second copy.
  place?.remove();
}
