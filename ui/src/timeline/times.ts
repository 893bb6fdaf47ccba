/** How times read, and which steps are compared: the clock, the only step, the step over another one. */
import { createSignal } from 'solid-js';

import type { TimelineStep } from '../wire/generated/TimelineStep';
import { clockKindOf, type Clock, type ClockKind } from './clock';
import type { Ghost } from './ghost';
import { onlyStepOf } from './only-step';
import type { Overlay } from './overlay';
import type { Scene } from './scene';
import type { StepPlace } from './step-places';

/** Changes the scene; what it shows comes back as signals. */
export class Times {
  readonly clock;
  /** The only step that is not dimmed; null for all. */
  readonly onlyStep = createSignal<number | null>(null);
  /** Which step is laid over which; `setGhost` adopts it. */
  readonly overlay = createSignal<Overlay | null>(null);
  /** The baseline's steps, once they are loaded. */
  baselineSteps: () => readonly TimelineStep[] = () => [];

  constructor(
    private readonly scene: Scene,
    private readonly places: readonly StepPlace[],
    /** Called when the scene has changed. */
    private readonly onChange: () => void,
  ) {
    this.clock = createSignal<Clock>(scene.clock);
  }

  /** Adopts the steps on the ruler. */
  setSteps(steps: readonly TimelineStep[]): void {
    this.scene.steps = steps;
    this.setClock({ ...this.scene.clock, steps });
    this.showOnlyStep(this.onlyStep[0]());
  }

  /** Chooses how times read, if the session can show them so. */
  readAs(kind: ClockKind): void {
    const { clock } = this.scene;
    this.setClock({ ...clock, kind: clockKindOf(kind, clock) });
  }

  /** Dims all steps but one; null dims none. */
  showOnlyStep(step: number | null): void {
    const { scene, places } = this;
    scene.onlyStep = step === null ? null : onlyStepOf(places, scene.steps, step);
    this.onlyStep[1](step);
    this.onChange();
  }

  /** Draws a step over another one, or none. */
  setGhost(ghost: Ghost | null): void {
    this.scene.ghost?.dispose();
    this.scene.ghost = ghost;
    this.onChange();
  }

  private setClock(clock: Clock): void {
    this.scene.clock = clock;
    this.clock[1](clock);
    this.onChange();
  }
}
