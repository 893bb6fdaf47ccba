/** The report of one file that this page is; null where a server answers. */
import type { ShareReport } from '../wire/generated/ShareReport';

let report: ShareReport | null = null;

/** The report, or null. It is set before anything is shown and never changes. */
export function shared(): ShareReport | null {
  return report;
}

/** Makes the page one of a report. */
export function setShared(own: ShareReport): void {
  report = own;
}
