/** The id in `module(program id)`. */
export function programId(title: string | null): string | undefined {
  return /\((\d+)\)$/.exec(title ?? '')?.[1];
}
