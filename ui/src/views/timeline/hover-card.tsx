/** A card next to the pointer with what is under it. */
import { createMemo, Match, Show, Switch } from 'solid-js';

import { signedText } from '../../compare/change';
import { CAUSES, meaningOf } from '../../format/causes';
import { valueText } from '../../format/counter-value';
import { formatCount, formatDuration, formatRatio } from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { WAIT_KINDS } from '../../format/waits';
import { shortText } from '../../timeline/clock';
import type { Ghost } from '../../timeline/ghost';
import type { PathHit } from '../../timeline/path-ruler';
import type { CounterHit, Hit } from '../../timeline/scene';
import type { Timeline } from '../../timeline/timeline';
import { titleOfTrack } from '../../timeline/track-title';
import { Prose } from '../../widgets/prose';
import type { GapRow } from '../../wire/generated/GapRow';
import { cardPlace } from './card-place';
import { shortOf } from './short-name';

/** Cards show times to this precision. */
const NANOSECOND_PS = 1000;

export function HoverCard(props: { timeline: Timeline; stage: () => HTMLElement }) {
  const hover = () => props.timeline.hover[0]();
  const style = createMemo(() => {
    const at = hover();
    if (!at) return {};
    const box = props.stage().getBoundingClientRect();
    return cardPlace({ x: box.left + at.x, y: box.top + at.y }, window);
  });
  const slice = () => {
    const at = hover();
    return at?.kind === 'slice' ? at.hit : null;
  };
  const over = () => {
    const at = hover();
    return at?.kind === 'ghost' ? at : null;
  };
  const counter = () => {
    const at = hover();
    return at?.kind === 'counter' ? at.hit : null;
  };
  const stretch = () => {
    const at = hover();
    return at?.kind === 'path' ? at.hit : null;
  };
  const gap = () => {
    const at = hover();
    return at?.kind === 'gap' ? at.gap : null;
  };
  const words = () => {
    const at = hover();
    return at?.kind === 'words' ? at.words : null;
  };
  return (
    <div class="hover-card" style={style()}>
      <Switch>
        <Match when={slice()}>
          {(hit) => <SliceCard hit={hit()} timeline={props.timeline} />}
        </Match>
        <Match when={over()}>{(at) => <GhostCard hit={at().hit} ghost={at().ghost} />}</Match>
        <Match when={counter()}>{(hit) => <CounterCard hit={hit()} timeline={props.timeline} />}</Match>
        <Match when={stretch()}>{(hit) => <PathCard hit={hit()} timeline={props.timeline} />}</Match>
        <Match when={gap()}>{(found) => <GapCard gap={found()} timeline={props.timeline} />}</Match>
        <Match when={words()}>{(text) => <WordsCard words={text()} />}</Match>
      </Switch>
    </div>
  );
}

/** When it starts, as the reader chose to read times. */
function From(props: { timeline: Timeline; timePs: number }) {
  return (
    <span class="muted"> from {shortText(props.timeline.times.clock[0](), props.timePs, NANOSECOND_PS)}</span>
  );
}

function SliceCard(props: { hit: Hit; timeline: Timeline }) {
  const name = () =>
    shortOf(props.timeline, props.timeline.scene.labels.name(props.hit.label)) || '…';
  const className = () => props.timeline.scene.labels.className(props.hit.label);
  const isMerged = () => props.hit.count > 1;
  return (
    <>
      <p class="hover-name">
        <span class="swatch" style={{ background: classColor(className()) }} />
        <Show when={isMerged()} fallback={name()}>
          {formatCount(props.hit.count)} slices, {formatRatio(busyRatio(props.hit))} busy
        </Show>
      </p>
      <p class="hover-figures number">
        <b>{formatDuration(props.hit.durationPs)}</b>
        <From timeline={props.timeline} timePs={props.hit.startPs} />
      </p>
      <Show when={isMerged()}>
        <p class="hover-longest">longest: {name()}</p>
      </Show>
      <p class="muted hover-track">
        {classTitle(className())} · {props.hit.row.group.name} / {titleOfTrack(props.hit.row.track)}
      </p>
      <Show when={isMerged()}>
        <p class="muted">Click to list them, double-click to zoom in</p>
      </Show>
    </>
  );
}

/** A slice of the step that is laid over another one. */
function GhostCard(props: { hit: Hit; ghost: Ghost }) {
  const { labels } = props.ghost;
  const name = () => labels.shortOf(labels.name(props.hit.label)) || '…';
  const className = () => props.ghost.labels.className(props.hit.label);
  const isMerged = () => props.hit.count > 1;
  const step = () => `${props.ghost.isOfOwn ? 'Step' : 'Baseline step'} ${props.ghost.other.step}`;
  return (
    <>
      <p class="hover-name">
        <span class="swatch" style={{ background: classColor(className()) }} />
        <Show when={isMerged()} fallback={name()}>
          {formatCount(props.hit.count)} slices, {formatRatio(busyRatio(props.hit))} busy
        </Show>
      </p>
      <p class="hover-figures number">
        <b>{formatDuration(props.hit.durationPs)}</b>
        <span class="muted">
          {' '}
          from {signedText('duration', props.hit.startPs - props.ghost.other.start_ps)}
        </span>
      </p>
      <Show when={isMerged()}>
        <p class="hover-longest">longest: {name()}</p>
      </Show>
      <p class="muted hover-track">
        {step()} · {classTitle(className())} · {props.hit.row.group.name} / {titleOfTrack(props.hit.row.track)}
      </p>
      <p class="muted">Click to show it in its step</p>
    </>
  );
}

function CounterCard(props: { hit: CounterHit; timeline: Timeline }) {
  const unit = () => props.hit.row.track.counter_unit;
  const text = () => {
    const low = valueText(props.hit.minimum, unit());
    const high = valueText(props.hit.maximum, unit());
    return low === high ? high : `${low} to ${high}`;
  };
  return (
    <>
      <p class="hover-name">{titleOfTrack(props.hit.row.track)}</p>
      <p class="number">
        <b>{text()}</b>
        <From timeline={props.timeline} timePs={props.hit.timePs} />
      </p>
      <p class="muted hover-track">
        {props.hit.row.group.name}
        <Show when={!unit()}> · unknown unit</Show>
      </p>
    </>
  );
}

/** A stretch of the critical path. */
function PathCard(props: { hit: PathHit; timeline: Timeline }) {
  const row = () => props.hit.row;
  const kind = () => meaningOf(WAIT_KINDS, row().kind);
  const isMerged = () => props.hit.count > 1;
  return (
    <>
      <p class="hover-name">
        <span class="swatch" style={{ background: kind().color }} />
        <Show when={isMerged()} fallback={row().what}>
          {formatCount(props.hit.count)} stretches of the critical path
        </Show>
      </p>
      <p class="hover-figures number">
        <b>{formatDuration(props.hit.endPs - props.hit.startPs)}</b>
        <From timeline={props.timeline} timePs={props.hit.startPs} />
      </p>
      <Show when={isMerged()}>
        <p class="hover-longest">longest: {row().what}</p>
      </Show>
      <p class="muted hover-track">
        {kind().title}
        {row().place && ` · ${row().place}`}
      </p>
      <p class="muted">
        {row().step === null ? 'Critical path' : `Critical path of step ${row().step}`}
        <Show when={!isMerged() && row().count > 1}>, {formatCount(row().count)} pieces</Show>
      </p>
      <Show when={isMerged()}>
        <p class="muted">Click to select the range, double-click to zoom in</p>
      </Show>
    </>
  );
}

/** Why a device is idle. */
function GapCard(props: { gap: GapRow; timeline: Timeline }) {
  const cause = () => meaningOf(CAUSES, props.gap.cause);
  const share = () => props.gap.cause_ps / Math.max(1, props.gap.duration_ps);
  return (
    <>
      <p class="hover-name">
        <span class="swatch" style={{ background: cause().color }} />
        {props.gap.device} idle: {cause().title}
      </p>
      <p class="hover-figures number">
        <b>{formatDuration(props.gap.duration_ps)}</b>
        <From timeline={props.timeline} timePs={props.gap.start_ps} />
      </p>
      <p class="hover-longest number">
        {formatRatio(share())} of it{props.gap.what && `: ${props.gap.what}`}
      </p>
      <p class="muted hover-track">
        {[props.gap.annotation, props.gap.step === null ? '' : `step ${props.gap.step}`]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p class="muted">Click to select this time and show the cause</p>
    </>
  );
}

/** What the strip of the critical path says, in full. */
function WordsCard(props: { words: string }) {
  return (
    <p>
      <Prose text={props.words} />
    </p>
  );
}

/** Share of the merged range during which a slice ran. */
function busyRatio(hit: Hit): number {
  return hit.durationPs > 0 ? Math.min(1, hit.busyPs / hit.durationPs) : 0;
}
