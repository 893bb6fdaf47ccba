/** Copies a text and says so. */
import { copyText } from './copy';
import { showToast } from './toast';

export async function copyWith(what: string, text: string): Promise<void> {
  const isCopied = await copyText(text);
  showToast({ text: isCopied ? `${what} copied` : 'Copying was not allowed', key: 'copy' });
}
