/** Whether the capture dialog is open. Its code is fetched when it first is. */
import { createSignal } from 'solid-js';

const [isOpen, setOpen] = createSignal(false);

export const isCaptureOpen = isOpen;

/** Opens the dialog. */
export const openCapture = () => setOpen(true);

export const closeCapture = () => setOpen(false);
