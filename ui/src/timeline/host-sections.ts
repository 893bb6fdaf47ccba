/**
 * Hosts as sections: with many hosts, each starts as one row that sums up its devices, and opens to
 * its groups. Pure.
 */
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';

/** Between the host and the device in the name of a group. */
const BETWEEN = ' / ';
/** With more hosts than this, hosts are sections. */
const FEW_HOSTS = 8;

/** A host's groups; as a group itself it has all their tracks. */
export interface HostSection extends TrackGroup {
  groups: readonly TrackGroup[];
}

type Sections = ReadonlyMap<TrackGroup, HostSection>;

const NONE: Sections = new Map();
const known = new WeakMap<TimelineReport, Sections>();

/** The section of each group; empty with few hosts. */
export function hostSectionsOf(report: TimelineReport): Sections {
  let sections = known.get(report);
  if (!sections) known.set(report, (sections = divide(report)));
  return sections;
}

/** Names of all groups and sections. */
export function namesOfAllGroups(report: TimelineReport): string[] {
  const sections = new Set(hostSectionsOf(report).values());
  const groups = report.groups.map((group) => group.name);
  return [...[...sections].map((section) => section.name), ...groups];
}

function divide(report: TimelineReport): Sections {
  // With a single host, names of groups omit it.
  if (!report.groups.every((group) => group.name.includes(BETWEEN))) return NONE;
  const byHost = new Map<string, TrackGroup[]>();
  for (const group of report.groups) {
    const host = hostOf(group.name);
    byHost.set(host, [...(byHost.get(host) ?? []), group]);
  }
  if (byHost.size <= FEW_HOSTS) return NONE;
  const sections = new Map<TrackGroup, HostSection>();
  for (const [name, groups] of byHost) {
    const tracks = groups.flatMap((group) => group.tracks);
    const section: HostSection = { name, kind: 'host', device_index: null, tracks, groups };
    for (const group of groups) sections.set(group, section);
  }
  return sections;
}

/** `host-0` of `host-0 / TPU:0`. */
function hostOf(group: string): string {
  return group.slice(0, group.lastIndexOf(BETWEEN));
}
