/** The kernel that a custom call contains, as far as its configuration describes it. */
import { For, Show } from 'solid-js';

import { format, formatBytes, formatCount } from '../../format/numbers';
import type { GraphKernel } from '../../wire/generated/GraphKernel';

export function Kernel(props: { kernel: GraphKernel }) {
  const kernel = () => props.kernel;
  return (
    <section class="graph-kernel">
      <h3>
        Kernel <span class="muted">{kernel().language}</span>
      </h3>
      <Show when={kernel().unknown}>
        <p class="muted">{kernel().unknown}</p>
      </Show>
      <dl>
        <Fact title="Name" text={kernel().kernel} />
        <Fact title="Grid" text={kernel().grid} />
        <Fact title="Semantics" text={kernel().dimension_semantics.join(', ')} />
        <Fact title="Warps" text={counted(kernel().warps)} />
        <Fact title="Stages" text={counted(kernel().stages)} />
        <Fact title="FLOPs estimated" text={amount('flops', kernel().flops)} />
        <Fact title="Bytes estimated" text={amount('bytes', kernel().bytes)} />
        <Fact title="VMEM" text={amount('bytes', kernel().vmem_bytes)} />
        <Fact title="VMEM limit" text={amount('bytes', kernel().vmem_limit_bytes)} />
        <Fact title="Scratch" text={kernel().scratch.join('\n')} />
      </dl>
      <Show when={kernel().blocks.length > 0}>
        <table class="graph-blocks">
          <thead>
            <tr>
              <th>Array</th>
              <th>Block</th>
              <th>At</th>
              <th class="number">Size</th>
            </tr>
          </thead>
          <tbody>
            <For each={kernel().blocks}>
              {(block) => (
                <tr>
                  <td data-tip={block.array}>{block.of}</td>
                  <td class="mono">
                    {block.space} {block.block}
                  </td>
                  <td class="mono">{block.index_map || 'whole array'}</td>
                  <td class="number">{block.bytes === null ? '–' : formatBytes(block.bytes)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </section>
  );
}

function Fact(props: { title: string; text: string }) {
  return (
    <Show when={props.text}>
      <div class="is-long">
        <dt>{props.title}</dt>
        <dd>
          <code>{props.text}</code>
        </dd>
      </div>
    </Show>
  );
}

const counted = (value: number | null) => (value === null ? '' : formatCount(value));
const amount = (kind: 'flops' | 'bytes', value: number | null) =>
  value === null ? '' : format(kind, value);
