/**
 * Makes the timeline, and requests its first tiles, as soon as its report is there: the server answers
 * while the page around it is built.
 */
import { mainWidth } from '../../shell/rail-state';
import { TimelineApi } from '../../timeline/api';
import { Timeline } from '../../timeline/timeline';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { firstWindow, initialChoices } from './address-sync';

/** A timeline that no page shows yet. */
interface Begun {
  report: TimelineReport;
  address: string;
  timeline: Timeline;
}

let begun: Begun | null = null;

/** Makes the timeline of a report ahead of its page. */
export function begin(session: string, report: TimelineReport): void {
  if (report.slice_count === 0) return;
  begun = { report, address: location.hash, timeline: timelineOf(session, report) };
}

/** The timeline of a report: the one that was begun, unless the address has changed since then. */
export function takeTimeline(session: string, report: TimelineReport): Timeline {
  const found = begun;
  begun = null;
  if (found?.report === report && found.address === location.hash) return found.timeline;
  found?.timeline.dispose();
  return timelineOf(session, report);
}

function timelineOf(session: string, report: TimelineReport): Timeline {
  const timeline = new Timeline(report, new TimelineApi(session), initialChoices(report));
  const width = mainWidth() - firstHeaderWidth();
  timeline.expect(width, window.innerHeight, firstWindow(timeline));
  return timeline;
}

/** Names are cut before there is no room for the tracks themselves. */
export function firstHeaderWidth(): number {
  if (window.innerWidth < 600) return 184;
  return window.innerWidth < 1400 ? 210 : 250;
}
