/** Takes the report out of the page, before anything asks for it. Imported first. */
import { setShared } from '../shell/shared';
import type { ShareReport } from '../wire/generated/ShareReport';
import { setTransport } from '../wire/transport';
import { transportOf } from './answers';

const place = document.getElementById('stepscope-report');
const text = place?.textContent ?? '';
if (text) {
  const report = JSON.parse(text) as ShareReport;
  setShared(report);
  setTransport(transportOf(report));
  // The answers are kept packed; their text is not needed twice.
  place?.remove();
}
