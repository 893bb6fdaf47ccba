/** Details of a slice of which little is known. */
import type { SliceDetails } from '../wire/generated/SliceDetails';

/** What is known of such a slice; nothing is nested in it. */
type Known = Pick<
  SliceDetails,
  'slice' | 'name' | 'start_ps' | 'duration_ps' | 'class' | 'track_name' | 'stats'
>;

/** Details of a slice with nothing but what is known. */
export function bareDetails(known: Known): SliceDetails {
  return {
    ...known,
    self_ps: known.duration_ps,
    step: null,
    program: null,
    op: null,
    attribution: null,
    category: null,
    category_source: null,
    expression: null,
    scope: null,
    scope_paths: [],
    source: null,
    source_stack: [],
    flops: null,
    bytes: null,
    cost_source: null,
    flows: [],
    parent: null,
    first_child: null,
  };
}
