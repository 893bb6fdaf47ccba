/** Chips with their peaks, hosts, versions, options. */
import { createMemo, For, Show } from 'solid-js';

import { format, formatBytes, formatDate } from '../../format/numbers';
import type { ChipReport } from '../../wire/generated/ChipReport';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import { momentOf } from './moment';

export function Environment(props: { report: OverviewReport }) {
  const environment = () => props.report.environment;
  const recorded = createMemo(() => {
    const nanos = props.report.start_epoch_ns;
    return nanos === null ? '' : formatDate(Number(BigInt(nanos) / 1_000_000n));
  });
  return (
    <section class="card">
      <header>
        <h2>Environment</h2>
        <span class="muted">{environment().devices}</span>
      </header>
      <div class="card-body environment">
        <dl>
          <Show when={recorded()}>
            <Fact name="Recorded" value={recorded()} />
          </Show>
          <Fact
            name={environment().hosts.length === 1 ? 'Host' : 'Hosts'}
            value={environment().hosts.join(', ')}
          />
          <For each={environment().chips}>{(chip) => <Chip chip={chip} />}</For>
          <For each={environment().facts}>
            {(fact) => <Fact name={fact.name} value={fact.value} moment={momentOf(fact)} />}
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

function Fact(props: { name: string; value: string; moment?: string | undefined }) {
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
      <dd data-tip={props.value.length > 26 ? props.value : undefined}>
        <Show when={props.moment} fallback={props.value}>
          {props.moment} <span class="muted number">{props.value} ns</span>
        </Show>
      </dd>
    </div>
  );
}
