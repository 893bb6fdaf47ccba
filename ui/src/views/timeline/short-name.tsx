/** A name on the timeline: long ones of C++ functions in the short form that the slices show. */
import { createComputed } from 'solid-js';

import type { Timeline } from '../../timeline/timeline';
import { Middle } from '../../widgets/middle';

/** The short form of a name; reactive, as it depends on the other names shown. */
export function shortOf(timeline: Timeline, name: string): string {
  timeline.labelGeneration[0]();
  return timeline.scene.labels.shortOf(name);
}

/** The short form, with the full name as its tooltip. */
export function ShortName(props: { timeline: Timeline; name: string }) {
  createComputed(() => props.timeline.scene.labels.learnNames([props.name]));
  const short = () => shortOf(props.timeline, props.name);
  return (
    <Middle text={short()} full={short() === props.name ? undefined : props.name} />
  );
}
