/**
 * The timeline of one session: owns the scene, the tiles and the frame loop. Views and handlers
 * call its methods; what they show comes back as signals. It draws only when something changed.
 */
import { createSignal } from 'solid-js';

import type { ChainReport } from '../wire/generated/ChainReport';
import type { ParticipantsReport } from '../wire/generated/ParticipantsReport';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { errorText, SEARCH_LIMIT, TimelineApi } from './api';
import { Renderer } from './draw';
import { FrameClock } from './frame-clock';
import { colorScene } from './color-scene';
import type { ColorBy } from './coloring';
import { LabelTable } from './labels';
import { measuredDepths } from './depths';
import type { Ghost } from './ghost';
import type { IdleGaps } from './idle-gaps';
import { Laid, LAID_TRACK, type LaidTrack } from './laid';
import { FIRST_CHOICES, type LayoutChoices } from './layout';
import type { Mark } from './marks';
import { Motion } from './motion';
import { moveViewport } from './move-viewport';
import { participantsOf } from './participants';
import type { PathRuler } from './path-ruler';
import { Rows } from './rows';
import {
  headHeightOf,
  sizeScene,
  type Area,
  type Hit,
  type Hover,
  type Measure,
  type Scene,
  type SelectedSlice,
} from './scene';
import { TimelineSearch, type SearchState } from './search';
import { searchPattern } from './search-conditions';
import { homeWindow, initialScene, readPalette, themeFont } from './setup';
import { statsOf, type Stats } from './stats';
import { drawStats } from './stats-overlay';
import { stepPlaceOf, stepPlacesOf, type StepPlace } from './step-places';
import type { Tile } from './tile';
import { TileCache } from './tile-cache';
import { rootLevel } from './tile-grid';
import { rowsInSight, WantedRows } from './tile-wants';
import { TileLoader } from './tiles';
import { Times } from './times';
import { UnderPointer } from './under-pointer';
import { clampWindow, limitsOf, type TimeWindow } from './viewport';

/** Memory for tiles. */
const TILE_BUDGET_BYTES = 256 * 2 ** 20;
const SETTLE_MS = 160;

/** What a drag with the left button does. */
export type Tool = 'select' | 'pan' | 'zoom' | 'measure';

/** What colors show, and the keys that are isolated; null for all. */
export interface Coloring {
  by: ColorBy;
  only: ReadonlySet<string> | null;
}

/** How the window changed: by a jump, which Back undoes, or as part of a motion. */
export type WindowChange = 'jump' | 'motion';

export class Timeline {
  readonly scene: Scene;
  readonly rows: Rows;
  readonly motion = new Motion();
  /** How times read, and which steps are compared. */
  readonly times: Times;
  readonly search: TimelineSearch;
  readonly selection = createSignal<SelectedSlice | null>(null);
  /** The participants of the selected collective; null while it is not one or not known. */
  readonly participants = createSignal<ParticipantsReport | null>(null);
  /** What leads to the selected slice and follows from it; null while it is not known. */
  readonly chain = createSignal<ChainReport | null>(null);
  readonly hover = createSignal<Hover | null>(null);
  readonly area = createSignal<Area | null>(null);
  readonly marks = createSignal<readonly Mark[]>([]);
  /** The position of the mark whose text is written; each choice is new. */
  readonly chosenMark = createSignal<number | null>(null, { equals: false });
  readonly layout;
  readonly scrollY;
  readonly tool = createSignal<Tool>('select');
  readonly choices;
  readonly error = createSignal('');
  /** The hosts and devices whose steps the ruler can show. */
  readonly stepPlaces: readonly StepPlace[];
  /** The name of the place whose steps the ruler shows; empty for the first. */
  readonly stepPlace = createSignal('');
  /** Whether the critical path is shown under the step ruler. */
  readonly isPathShown = createSignal(false);
  /** What colors show, and the keys that are isolated; null for all. */
  readonly coloring = createSignal<Coloring>({ by: 'class', only: null });
  /** Counts changes of labels, for what is listed about them. */
  readonly labelGeneration = createSignal(0);
  /** Whether everything in the first window has been drawn: other requests can wait for that. */
  readonly isDrawn = createSignal(false);
  /** Called when the window has come to rest or jumped. */
  onWindow: (window: TimeWindow, change: WindowChange) => void = () => undefined;
  /** Called in every frame that shows another window, unless another timeline caused it. */
  onShown: (window: TimeWindow) => void = () => undefined;
  /** Called when what is under the pointer may have changed without a move of the pointer. */
  onStill: () => void = () => undefined;
  /** Called for a click on a slice of the step that is laid over another one. */
  onGhost: (hit: Hit, ghost: Ghost) => void = () => undefined;
  /** Called when the pointer moves over the canvas or leaves it. */
  onPointer: (pointer: { x: number; y: number } | null) => void = () => undefined;
  showsStats = false;

  /** The window to show if the URL has none. */
  readonly home: TimeWindow;
  private readonly cache = new TileCache(TILE_BUDGET_BYTES);
  private readonly loader: TileLoader;
  private readonly renderer = new Renderer();
  private readonly frames = new FrameClock();
  private readonly rootLevel: number;
  private context: CanvasRenderingContext2D | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private frame = 0;
  /** The window that other timelines were last informed of. */
  private shown: TimeWindow = { startPs: NaN, endPs: NaN };
  /** Whether another timeline is moving this window; tiles are requested when it stops. */
  private isPassing = false;
  private readonly underPointer = new UnderPointer();
  private asksForMore = false;
  private settleTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly wanted = new WantedRows();
  private depthTimer: ReturnType<typeof setTimeout> | undefined;
  private selecting = new AbortController();
  private readonly laid = new Laid();

  constructor(
    private readonly own: TimelineReport,
    readonly api: TimelineApi,
    choices: Partial<LayoutChoices> = {},
  ) {
    this.search = new TimelineSearch(api, (state) => this.highlight(state));
    const learn = () => {
      this.labelGeneration[1](this.scene.labels.generation);
      this.redraw();
    };
    const complain = (error: unknown) => this.complain(error);
    const labels = new LabelTable((ids) => api.labels(ids), learn, complain, (ids) =>
      api.labelFacts(ids),
    );
    const limits = limitsOf(own.start_ps, own.end_ps);
    this.rootLevel = rootLevel(limits.startPs, limits.endPs);
    this.stepPlaces = stepPlacesOf(own);
    const initial = { ...FIRST_CHOICES, ...choices };
    this.scene = initialScene(own, limits, this.cache, this.rootLevel, labels, initial);
    this.times = new Times(this.scene, this.stepPlaces, () => this.tilesChanged());
    this.times.setSteps(this.stepPlaces[0]?.steps ?? []);
    this.rows = new Rows(this.scene, initial, () => this.redraw());
    this.choices = this.rows.choices;
    this.layout = this.rows.layout;
    this.scrollY = this.rows.scrollY;
    this.home = homeWindow(own.steps, limits);
    this.renderer.minimap.attach(this.cache, this.rootLevel);
    const arrive = (tile: Tile) => {
      this.error[1]('');
      labels.request(tile.tracks);
      this.tilesChanged();
    };
    this.loader = new TileLoader(
      this.cache,
      (start, end, tracks, signal) => api.tile(start, end, tracks, signal),
      arrive,
      complain,
    );
  }

  /** With the laid track, if there is one. */
  get report(): TimelineReport {
    return this.scene.report;
  }

  /** Draws on this canvas from now on. */
  attach(canvas: HTMLCanvasElement): void {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.readTheme();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settleTimer);
    clearTimeout(this.depthTimer);
    this.loader.dispose();
    this.scene.ghost?.dispose();
    this.search.dispose();
    this.selecting.abort();
    this.context = null;
  }

  /**
   * Requests the tiles of a window before there is a canvas, for the size that it will have: the
   * server answers while the page is built. What turns out not to be needed is canceled.
   */
  expect(width: number, height: number, window: TimeWindow | null): void {
    sizeScene(this.scene, width, height);
    this.scene.viewport.show(window ?? this.home);
    this.place();
    this.requestTiles();
  }

  /** Adopts the size of the canvas in CSS pixels. */
  resize(width: number, height: number): void {
    const { geometry } = this.scene;
    const ratio = window.devicePixelRatio || 1;
    const isLower = height < geometry.height;
    sizeScene(this.scene, width, height);
    geometry.ratio = ratio;
    if (this.canvas) {
      this.canvas.width = Math.max(1, Math.round(width * ratio));
      this.canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.place();
    // The drawer that a click opens must not hide what was selected.
    const { selection, area, layout } = this.scene;
    const first = area?.tracks?.find((track) => layout.rowOfTrack.has(track));
    if (isLower && selection) this.rows.scrollToLane(selection.ref.track, selection.ref.lane);
    else if (isLower && first !== undefined) this.rows.scrollToLane(first, 0);
    this.drawNow();
  }

  /** Reads colors and fonts again, after a change of theme. */
  readTheme(): void {
    this.scene.palette = readPalette();
    this.scene.font = themeFont();
    this.redraw();
  }

  // Windows

  /** Lets the window extend beyond the session, as far as another timeline does. */
  widen(range: TimeWindow): void {
    const { viewport } = this.scene;
    const own = limitsOf(this.report.start_ps, this.report.end_ps);
    viewport.limits = {
      ...own,
      startPs: Math.min(own.startPs, range.startPs),
      endPs: Math.max(own.endPs, range.endPs),
    };
  }

  /** Shows the window that another timeline shows; `isPassing` while it is still moving. */
  follow(window: TimeWindow, isPassing: boolean): void {
    const { viewport } = this.scene;
    viewport.show(window);
    this.shown = { startPs: viewport.startPs, endPs: viewport.endPs };
    this.isPassing = isPassing;
    this.settleLater();
    this.redraw();
  }

  /** Moves to a window as one entry for Back. */
  jumpTo(window: TimeWindow, isAnimated = true): void {
    this.isPassing = false;
    const next = clampWindow(window, this.scene.viewport.limits);
    this.adopt(next, isAnimated);
    this.onWindow(next, 'jump');
  }

  /** Shows the window given by a URL, without calling `onWindow`. */
  adopt(window: TimeWindow | null, isAnimated: boolean): void {
    moveViewport(this.scene.viewport, window ?? this.home, isAnimated);
    this.redraw();
  }

  /** Shows a window immediately, as part of a motion. */
  moveTo(window: TimeWindow): void {
    this.isPassing = false;
    this.scene.viewport.show(window);
    this.settleLater();
    this.redraw();
  }

  // Steps

  /** Shows the steps of another host or device on the ruler. */
  showStepsOf(name: string): void {
    const place = stepPlaceOf(this.stepPlaces, name);
    this.times.setSteps(place?.steps ?? []);
    // The first is the default, so it needs no name in the URL.
    this.stepPlace[1](place === this.stepPlaces[0] ? '' : (place?.name ?? ''));
    this.renderer.minimap.repaintSteps();
    this.redraw();
  }

  /** Shows or hides the critical path under the step ruler. */
  showPath(isShown: boolean): void {
    const { geometry } = this.scene;
    if (geometry.hasPathRuler === isShown) return;
    geometry.hasPathRuler = isShown;
    geometry.headHeight = headHeightOf(geometry);
    this.isPathShown[1](isShown);
    this.setHover(null);
    this.place();
  }

  /** Adopts why devices are idle. */
  setIdle(idle: IdleGaps): void {
    this.scene.idle = idle;
    this.redraw();
  }

  /** Adopts what the critical path is, or why there is none. */
  setPath(path: PathRuler): void {
    this.scene.path = path;
    this.redraw();
  }

  // Rows

  /** Changes which rows are shown, and how. */
  choose(changes: Partial<LayoutChoices>): void {
    this.rows.choose(changes);
    this.wanted.forget();
    this.redraw();
  }

  scrollTo(y: number): void {
    this.rows.scrollTo(y);
  }

  /** Makes a lane of a track visible: opens its group, unfolds it, scrolls to it. */
  revealTrack(track: number, lane: number): void {
    this.rows.revealTrack(track, lane);
    this.wanted.forget();
  }

  /** Lays a track over those of the session, or none. */
  lay(laid: LaidTrack | null): void {
    this.laid.show(laid, this.scene, this.own);
    this.place();
    this.tilesChanged();
    if (!laid && this.scene.selection?.ref.track === LAID_TRACK) this.setSelection(null);
  }

  // Slices

  /** Selects a slice by reference; with `known`, it is shown before the server answers. */
  async select(
    ref: SliceRefReport | null,
    known?: { startPs: number; durationPs: number },
  ): Promise<SelectedSlice | null> {
    this.selecting.abort();
    this.selecting = new AbortController();
    if (!ref) {
      this.setSelection(null);
      return null;
    }
    if (known) this.setSelection({ ref, ...known, details: null });
    try {
      const details = await this.laid.detailsOf(ref, this.api, this.selecting.signal);
      const selected: SelectedSlice = {
        ref: details.slice,
        startPs: details.start_ps,
        durationPs: details.duration_ps,
        details,
      };
      this.setSelection(selected);
      return selected;
    } catch (error) {
      this.complain(error);
      return null;
    }
  }

  /** Adopts the participants of the selected collective. */
  setParticipants(report: ParticipantsReport | null): void {
    this.scene.participants = participantsOf(report);
    this.participants[1](report);
    this.redraw();
  }

  /** Adopts what leads to the selected slice and follows from it. */
  setChain(chain: ChainReport | null): void {
    this.scene.chain = chain;
    this.chain[1](chain);
    this.redraw();
  }

  setArea(area: Area | null): void {
    this.scene.area = area;
    this.area[1](area);
    this.redraw();
  }

  /** Shows an area that is still being dragged; its table waits for `setArea`. */
  previewArea(area: Area): void {
    this.scene.area = area;
    this.redraw();
  }

  /** Draws anew, with rows as high as what they show. */
  tilesChanged(): void {
    this.underPointer.forget();
    this.measureLater();
    this.redraw();
  }

  /** Highlights the steps selected in all views; null for no selection. */
  setSelectedSteps(isSelected: ((step: number) => boolean) | null): void {
    this.scene.isStepSelected = isSelected;
    this.redraw();
  }

  setMarks(marks: readonly Mark[]): void {
    this.scene.marks = marks;
    this.marks[1](marks);
    this.redraw();
  }

  setMeasure(measure: Measure | null): void {
    this.scene.measure = measure;
    this.redraw();
  }

  setHover(hover: Hover | null): void {
    if (!hover && !this.hover[0]()) return;
    this.scene.hover = hover?.kind === 'slice' ? hover.hit : null;
    this.hover[1](hover);
    this.redraw();
  }

  setPointer(pointer: { x: number; y: number } | null): void {
    this.scene.pointer = pointer;
    this.redraw();
    this.onPointer(pointer);
  }

  /** Marks the time under the pointer of another timeline. */
  followPointer(pointer: { x: number } | null): void {
    this.scene.pointer = pointer && { x: pointer.x, y: this.scene.geometry.headHeight };
    this.redraw();
  }

  /** Colors slices by something else, and dims all but those with these keys. */
  color(by: ColorBy, only: ReadonlySet<string> | null = null): void {
    colorScene(this.scene, by, only);
    this.coloring[1]({ by, only });
    this.labelGeneration[1](this.scene.labels.generation);
    this.redraw();
  }

  /** Starts a search; immediately highlights matches on the screen. */
  setQuery(query: string): void {
    if (query === this.search.state().query) return;
    this.scene.isSearching = query !== '';
    this.scene.matchTimes = [];
    this.scene.labels.setPattern(searchPattern(query));
    this.redraw();
    void this.search.start(query);
  }

  // Frames

  /** Draws in the next frame. */
  redraw(): void {
    if (this.frame === 0 && this.context) this.frame = requestAnimationFrame(this.onFrame);
  }

  /** Figures for the overlay and for tests. */
  stats(): Stats {
    const isAtRest = this.depthTimer === undefined && !this.isMoving;
    const isResting = isAtRest && (this.scene.ghost?.settled ?? true);
    return statsOf(this.frames, this.renderer.stats, this.loader, this.cache, isResting);
  }

  resetStats(): void {
    this.frames.reset();
  }

  private readonly onFrame = (nowMs: number): void => {
    this.frame = 0;
    const { viewport, geometry, pointer } = this.scene;
    this.frames.begin(nowMs, this.asksForMore);
    this.asksForMore = false;
    if (this.motion.isActive) {
      const anchor = pointer ? pointer.x / geometry.width : 0.5;
      viewport.show(
        this.motion.advance(viewport.target, anchor, viewport.limits, performance.now()),
      );
      this.settleLater();
      this.asksForMore = true;
    }
    if (viewport.tick(performance.now())) this.asksForMore = true;
    this.drawNow();
    const { startPs, endPs } = viewport;
    if (startPs !== this.shown.startPs || endPs !== this.shown.endPs) {
      this.shown = { startPs, endPs };
      this.onShown(this.shown);
    }
    this.refreshHover();
    if (this.asksForMore) this.redraw();
  };

  /** The hover card is about what is under the pointer now: not during a motion, anew after it. */
  private refreshHover(): void {
    const { scene } = this;
    if (!this.underPointer.hasChanged(scene)) return;
    if (this.motion.isActive || scene.viewport.animating) return this.setHover(null);
    this.underPointer.remember(scene);
    this.onStill();
  }

  private drawNow(): void {
    if (!this.context) return;
    const beganMs = performance.now();
    const { plan, viewport } = this.scene;
    this.requestTiles();
    if (!viewport.animating) this.scene.ghost?.update(viewport, rowsInSight(this.scene));
    this.renderer.draw(this.context, this.scene);
    if (plan.isBehind || this.scene.ghost?.isBehind) {
      this.asksForMore = true;
      this.redraw();
    }
    const drawMs = performance.now() - beganMs;
    this.frames.drawMs.push(drawMs);
    if (this.showsStats) drawStats(this.context, this.scene, this.stats(), drawMs);
  }

  private requestTiles(): void {
    this.scene.plan.update(this.scene.viewport, this.scene.viewport.psPerPx);
    if (this.scene.viewport.animating || this.isPassing) return;
    const view = this.wanted.next(this.scene, this.rootLevel);
    if (!view) return;
    this.loader.want(view);
    this.measureLater();
  }

  /** Fits the heights of rows to the window, once it is at rest and its tiles are there. */
  private measureLater(): void {
    clearTimeout(this.depthTimer);
    this.depthTimer = setTimeout(() => this.measure(), SETTLE_MS);
  }

  private get isMoving(): boolean {
    const { viewport, plan } = this.scene;
    return viewport.animating || this.motion.isActive || plan.isBehind;
  }

  private measure(): void {
    this.depthTimer = undefined;
    if (!this.context) return;
    if (!this.loader.settled || this.isMoving) return this.measureLater();
    this.isDrawn[1](true);
    const depths = measuredDepths(this.scene, this.rows.choices[0]().depths);
    if (!depths) return;
    this.rows.adoptDepths(depths, this.scene.pointer?.y ?? 0);
    this.wanted.forget();
  }

  /** Highlights what the server found. */
  private highlight(state: SearchState): void {
    const { labels } = this.scene;
    const isWhole = state.names.length < SEARCH_LIMIT;
    const found = isWhole ? state.names.map((name) => name.label) : null;
    labels.setPattern(searchPattern(state.query), found);
    // A partial list would suggest that there are no other matches.
    const isListed = state.isFromStart && !state.hasMore;
    this.scene.matchTimes = isListed ? state.slices.map((slice) => slice.start_ps) : [];
    this.redraw();
  }

  private place(): void {
    this.wanted.forget();
    this.rows.place();
  }

  private setSelection(selection: SelectedSlice | null): void {
    this.scene.selection = selection;
    this.selection[1](selection);
    this.redraw();
  }

  private settleLater(): void {
    clearTimeout(this.settleTimer);
    this.measureLater();
    this.settleTimer = setTimeout(() => {
      if (this.motion.isActive || this.scene.viewport.animating) this.settleLater();
      else this.onWindow(this.scene.viewport.target, 'motion');
    }, SETTLE_MS);
  }

  private complain(error: unknown): void {
    const text = errorText(error);
    if (text !== null) this.error[1](text);
  }
}
