/** Remembers dismissed banners by session and findings. */
import type { Finding } from '../../wire/generated/Finding';

/** Findings of a severity that people should see without asking for them. */
export function urgent(findings: readonly Finding[], severity: 'bad' | 'warning'): Finding[] {
  return findings.filter((finding) => finding.severity === severity);
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

/** Without storage, the banner comes back on the next page. */
export function dismiss(storage: Storage | null, key: string): void {
  try {
    storage?.setItem(key, '1');
  } catch {
    // Storage is forbidden.
  }
}

/** The session storage; null if it is forbidden, as in a sandboxed frame. */
export function sessionStore(): Storage | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}
