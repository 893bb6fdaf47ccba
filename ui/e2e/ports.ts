/** Ports for the programs that tests start and that cannot choose one themselves. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port that nothing listens on, below the range from which systems take ports for outgoing
 * connections: one of those could take it before the program that it is for listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
