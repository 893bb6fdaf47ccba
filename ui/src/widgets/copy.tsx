/** Copying to the clipboard and saving to a file. */
import { createSignal, Show, type JSX } from 'solid-js';

import './copy.css';

/** Copies a text to the clipboard; works without a secure context, too. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
  }
}

/** Saves a text or a picture as a file. */
export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, '_');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A button that copies, and briefly confirms it. */
export function CopyButton(props: {
  text: () => string;
  tip: string;
  /** The accessible name, if the label is an icon. */
  name?: string;
  children: JSX.Element;
  class?: string;
}) {
  const [result, setResult] = createSignal('');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const copy = async () => {
    const isCopied = await copyText(props.text());
    setResult(isCopied ? 'Copied' : 'Copy failed');
    clearTimeout(timer);
    timer = setTimeout(() => setResult(''), 1400);
  };
  return (
    <button
      class={props.class ?? 'quiet'}
      aria-label={props.name}
      data-tip={props.tip}
      onClick={copy}
    >
      <Show when={result()} fallback={props.children}>
        {result()}
      </Show>
    </button>
  );
}

/** Code with a copy button. */
export function CodeBlock(props: { code: string }) {
  return (
    <div class="code-block">
      <pre tabindex="0">{props.code}</pre>
      <CopyButton text={() => props.code} tip="Copy">
        Copy
      </CopyButton>
    </div>
  );
}
