/** Which banners were dismissed: those of a session with the same findings stay away. */
import type { Finding } from '../../wire/generated/Finding';

/** Findings that people should see before they read a figure. */
export function urgent(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => finding.severity !== 'info');
}

/** The key of a banner: the session's name and what was found. */
export function bannerKey(session: string, findings: readonly Finding[]): string {
  return `stepscope.dismissed:${session}:${findings.map((finding) => finding.id).join(',')}`;
}

export function isDismissed(storage: Storage | null, key: string): boolean {
  try {
    return storage?.getItem(key) === '1';
  } catch {
    return false;
  }
}

/** Without storage the banner comes back with the next page, which harms nobody. */
export function dismiss(storage: Storage | null, key: string): void {
  try {
    storage?.setItem(key, '1');
  } catch {
    // A browser that keeps nothing.
  }
}

/** Storage that may be forbidden, as in a sandboxed frame. */
export function sessionStore(): Storage | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}
