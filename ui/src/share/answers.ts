/** Answers requests from a report, in the same formats as a server. */
import { bareDetails } from '../timeline/bare-details';
import type { LabelReport } from '../wire/generated/LabelReport';
import type { ShareReport } from '../wire/generated/ShareReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { Transport } from '../wire/transport';
import type { AnalysisEntry } from '../wire/types';
import { unpackedJson } from './packed';
import { questionOf } from './questions';
import { wholeValues, withShared } from './shared-values';
import { TileStore } from './tile-store';

const ANALYSIS = /^api\/sessions\/[^/]+\/analyses\/([a-z_]+)$/;
const TIMELINE = /^api\/sessions\/[^/]+\/timeline\/([a-z]+)$/;

const HINT = 'To get it, open the capture itself with `stepscope view`.';

class NotHere extends Error {}

/** A transport that answers from a report instead of a server. */
export function transportOf(report: ShareReport): Transport {
  const tiles = new TileStore(report.tiles, report.tracks);
  const once = <T>(text: string | undefined, none: T) => {
    let value: Promise<T> | undefined;
    return () => (value ??= text ? unpackedJson<T>(text) : Promise.resolve(none));
  };
  const declared = once<AnalysisEntry[]>(report.shell['api/analyses'], []);
  const labels = once<LabelReport[]>(report.labels, []);
  const packedValues = once<unknown[]>(report.shared, []);
  let shared: Promise<readonly unknown[]> | undefined;
  const full = async (value: unknown) => {
    shared ??= packedValues().then(wholeValues);
    return withShared(value, await shared);
  };
  const packedDetails = once<unknown>(report.details, {});
  let details: Promise<Record<string, SliceDetails>> | undefined;

  const analysis = async (name: string, query: string): Promise<unknown> => {
    const question = questionOf(name, query, await declared(), report.row_limits);
    const text = report.texts[report.answers[question] ?? -1];
    if (text !== undefined) return full(await unpackedJson(text));
    throw new NotHere(report.refusals[question] ?? 'This report does not contain that answer');
  };

  const slice = async (query: URLSearchParams): Promise<SliceDetails> => {
    const [track, lane, index] = ['track', 'lane', 'index'].map((name) => Number(query.get(name)));
    details ??= packedDetails().then(full) as Promise<Record<string, SliceDetails>>;
    const known = (await details)[`${track}/${lane}/${index}`];
    if (known) return known;
    const lone = tiles.lone(track!, lane!, index!);
    const label = (await labels()).find((each) => each.label === lone?.label);
    if (!lone || !label) {
      throw new NotHere(
        `This report has details only for its ${report.detail_count} longest slices, not for this one`,
      );
    }
    return bareDetails({
      slice: { track: track!, lane: lane!, index: index! },
      name: label.name,
      start_ps: lone.startPs,
      duration_ps: lone.durationPs,
      class: label.class,
      track_name: '',
      stats: [],
    });
  };

  const timeline = async (route: string, query: URLSearchParams): Promise<unknown> => {
    if (route === 'labels') {
      const ids = new Set((query.get('ids') ?? '').split(',').map(Number));
      return (await labels()).filter((each) => ids.has(each.label));
    }
    if (route === 'slice') return slice(query);
    const what = route === 'search' ? 'search slices' : 'summarize an area';
    throw new NotHere(`A report cannot ${what}`);
  };

  const answer = async (url: string): Promise<Response> => {
    const [path = '', query = ''] = url.split('?', 2);
    const parameters = new URLSearchParams(query);
    const shell = report.shell[path];
    if (shell !== undefined) return json(await unpackedJson(shell));
    const asked = ANALYSIS.exec(path)?.[1];
    if (asked) return json(await analysis(asked, query));
    const route = TIMELINE.exec(path)?.[1];
    if (route === 'tile') {
      const tracks = (parameters.get('tracks') ?? '').split(',').filter(Boolean).map(Number);
      const [start, end] = [Number(parameters.get('start_ps')), Number(parameters.get('end_ps'))];
      return new Response(await tiles.tile(start, end, tracks));
    }
    if (route) return json(await timeline(route, parameters));
    throw new NotHere('This report does not contain that');
  };

  return async (url, init) => {
    try {
      const response = await answer(url);
      init.signal?.throwIfAborted();
      return response;
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      return new Response(JSON.stringify({ error: error.message, hint: HINT }), { status: 404 });
    }
  };
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value));
}
