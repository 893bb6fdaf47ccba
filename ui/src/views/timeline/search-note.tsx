/** How a search was read; for a step, which is no condition, a way to see only that one. */
import { Show } from 'solid-js';

import { askedStep } from '../../timeline/asked-step';
import type { Timeline } from '../../timeline/timeline';
import { SearchError } from '../../widgets/search-error';

export function SearchNote(props: { text: string; timeline: Timeline | undefined }) {
  const asked = () => {
    const { timeline } = props;
    return timeline ? askedStep(timeline.search.state().query, timeline.scene.steps) : null;
  };
  return (
    <Show when={asked()} fallback={<SearchError text={props.text} />}>
      {(found) => (
        <SearchError
          text={
            <>
              Steps are not searched for.{' '}
              <button onClick={() => showStep(props.timeline!, found())}>
                Show only step {found().step.step}
              </button>
            </>
          }
        />
      )}
    </Show>
  );
}

/** Dims all other steps, shows this one, and searches for the rest. */
function showStep(timeline: Timeline, { step, rest }: NonNullable<ReturnType<typeof askedStep>>) {
  timeline.times.showOnlyStep(step.step);
  timeline.jumpTo({ startPs: step.start_ps, endPs: step.start_ps + step.duration_ps });
  timeline.setQuery(rest);
}
