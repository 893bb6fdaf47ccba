/** Chips with their peaks, hosts, versions, options. */
import { createMemo, For, Show } from 'solid-js';

import { format, formatBytes, formatDate } from '../../format/numbers';
import type { ChipReport } from '../../wire/generated/ChipReport';
import type { Fact } from '../../wire/generated/Fact';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import { momentOf } from './moment';

export function Environment(props: { report: OverviewReport }) {
  const environment = () => props.report.environment;
  const recorded = createMemo(() => {
    const nanos = props.report.start_epoch_ns;
    return nanos === null ? '' : formatDate(Number(BigInt(nanos) / 1_000_000n));
  });
  /** Whether it only repeats when the recording began. */
  const isRecorded = (fact: Fact) => recorded() !== '' && fact.name === 'profile_start_time';
  return (
    <section class="card">
      <header>
        <h2>Environment</h2>
        <span class="muted">{environment().devices}</span>
      </header>
      <div class="card-body environment">
        <dl>
          <Show when={recorded()}>
            <Line name="Recorded" value={recorded()} />
          </Show>
          <Line
            name={environment().hosts.length === 1 ? 'Host' : 'Hosts'}
            value={environment().hosts.join(', ')}
          />
          <For each={environment().chips}>{(chip) => <Chip chip={chip} />}</For>
          <For each={environment().facts.filter((fact) => !isRecorded(fact))}>
            {(fact) => <Line name={fact.name} value={fact.value} moment={momentOf(fact)} />}
          </For>
        </dl>
      </div>
    </section>
  );
}

function Chip(props: { chip: ChipReport }) {
  const peaks = () =>
    [
      props.chip.peak_flops_per_second === null
        ? ''
        : format('flop_rate', props.chip.peak_flops_per_second),
      props.chip.peak_bytes_per_second === null
        ? ''
        : format('bandwidth', props.chip.peak_bytes_per_second),
      props.chip.memory_bytes === null ? '' : formatBytes(props.chip.memory_bytes),
    ].filter(Boolean);
  const sources = () =>
    [
      props.chip.peak_flops_source && `Peak FLOP rate: ${props.chip.peak_flops_source}`,
      props.chip.peak_bytes_source && `Peak bandwidth: ${props.chip.peak_bytes_source}`,
    ]
      .filter(Boolean)
      .join('\n');
  return (
    <div class="fact">
      <dt>Chip</dt>
      <dd data-tip={sources() || undefined}>
        {props.chip.name}
        <span class="muted"> {peaks().length > 0 ? peaks().join(' · ') : 'peaks unknown'}</span>
      </dd>
    </div>
  );
}

function Line(props: { name: string; value: string; moment?: string | undefined }) {
  return (
    <div class="fact">
      <dt>
        <For each={props.name.split(/(?<=_)/)}>
          {(part) => (
            <>
              {part}
              <wbr />
            </>
          )}
        </For>
      </dt>
      <dd
        data-tip={
          props.moment ? `${props.value} ns` : props.value.length > 26 ? props.value : undefined
        }
      >
        {props.moment ?? props.value}
      </dd>
    </div>
  );
}
