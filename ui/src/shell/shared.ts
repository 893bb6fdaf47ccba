/** The report that is embedded in this page; null on a page that has a server. */
import type { ShareReport } from '../wire/generated/ShareReport';

let report: ShareReport | null = null;

/** The report, or null. It is set before anything is shown and never changes. */
export function shared(): ShareReport | null {
  return report;
}

/** Makes the page show a report. */
export function setShared(own: ShareReport): void {
  report = own;
}
