/** The capture form: its request, what is remembered, and the state of each host as text. No DOM. */
import { formatBytes } from '../format/numbers';
import type { CaptureHost } from '../wire/generated/CaptureHost';
import type { CaptureReport } from '../wire/generated/CaptureReport';
import type { CaptureRequest } from '../wire/generated/CaptureRequest';

/** The fields of the dialog, as typed. */
export interface CaptureForm {
  addresses: string;
  seconds: string;
  name: string;
  hostLevel: string;
  deviceLevel: string;
  pythonLevel: string;
  /** One `key=value` per line. */
  options: string;
}

export const EMPTY_FORM: CaptureForm = {
  addresses: '',
  seconds: '2',
  name: '',
  hostLevel: '2',
  deviceLevel: '1',
  pythonLevel: '0',
  options: '',
};

const KEY = 'stepscope.capture';
const REMEMBERED = 8;

/** What is remembered between visits: the last form, and the addresses of earlier captures. */
export interface Remembered {
  form: CaptureForm;
  addresses: string[];
}

/** Reads what was remembered; invalid values are ignored. */
export function recall(storage: Pick<Storage, 'getItem'> | undefined): Remembered {
  try {
    const found = JSON.parse(storage?.getItem(KEY) ?? '{}') as Partial<Remembered>;
    const addresses = Array.isArray(found.addresses)
      ? found.addresses.filter((text): text is string => typeof text === 'string')
      : [];
    const form = { ...EMPTY_FORM };
    for (const name of Object.keys(EMPTY_FORM) as (keyof CaptureForm)[]) {
      const value = found.form?.[name];
      if (typeof value === 'string') form[name] = value;
    }
    // A name belongs to one capture.
    return { form: { ...form, name: '' }, addresses };
  } catch {
    return { form: { ...EMPTY_FORM }, addresses: [] };
  }
}

/** Remembers a form that was sent; its addresses come first. */
export function remember(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined, form: CaptureForm): void {
  const before = recall(storage).addresses;
  const address = form.addresses.trim();
  const addresses = [address, ...before.filter((other) => other !== address)].slice(0, REMEMBERED);
  try {
    storage?.setItem(KEY, JSON.stringify({ form, addresses } satisfies Remembered));
  } catch {
    // Storage is full or forbidden; the dialog works without it.
  }
}

/** Why a form cannot be sent; empty when it can. The server checks the rest. */
export function problemOf(form: CaptureForm): string {
  const addresses = form.addresses.split(/[,\s]+/).filter(Boolean);
  if (addresses.length === 0) return 'Enter the address of a job, such as localhost:9999.';
  const bare = addresses.find((address) => !/:\d+\/?$/.test(address));
  if (bare) return `${bare} has no port. Use HOST:PORT.`;
  const seconds = Number(form.seconds);
  if (!(seconds > 0 && seconds <= 3600)) return 'The duration must be above 0 and at most 3600 seconds.';
  const option = optionsOf(form).find((line) => !line.includes('='));
  if (option) return `Invalid option ${option}: use key=value.`;
  return '';
}

/** The request for a form. */
export function requestOf(form: CaptureForm): CaptureRequest {
  return {
    addresses: form.addresses.split(/[,\s]+/).filter(Boolean).join(','),
    duration_seconds: Number(form.seconds),
    name: form.name.trim(),
    host_tracer_level: Number(form.hostLevel),
    device_tracer_level: Number(form.deviceLevel),
    python_tracer_level: Number(form.pythonLevel),
    options: optionsOf(form),
  };
}

function optionsOf(form: CaptureForm): string[] {
  return form.options
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** A host's progress, 0 to 1 and as text. */
export function stateOf(host: CaptureHost, durationSeconds: number): { ratio: number; text: string } {
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  switch (host.phase) {
    case 'connecting':
      return { ratio: 0, text: 'Connecting' };
    case 'busy':
      return { ratio: 0, text: 'Another capture is running; retrying' };
    case 'waiting':
      return { ratio: 0, text: 'Waiting to start with the other hosts' };
    case 'recording':
      return {
        ratio: Math.min(1, host.elapsed_seconds / Math.max(durationSeconds, 0.001)),
        text: `Recording ${seconds(Math.min(host.elapsed_seconds, durationSeconds))} of ${seconds(durationSeconds)}`,
      };
    case 'gathering':
      return { ratio: 1, text: `Collecting data, ${seconds(host.elapsed_seconds)}` };
    case 'receiving':
      return { ratio: 1, text: `Received ${formatBytes(host.received_bytes)}` };
    case 'done':
      return { ratio: 1, text: `${formatBytes(host.received_bytes)} written` };
    case 'failed':
      return { ratio: 0, text: 'Failed' };
  }
}

/** The session to open automatically, if the capture is complete. */
export function sessionToOpen(report: CaptureReport): string | null {
  return report.state === 'done' && report.status === 'complete' ? report.session : null;
}
