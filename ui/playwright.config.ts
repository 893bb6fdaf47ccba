// End-to-end tests of the page, served by the real server, in Debian's Chromium.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Files run side by side, each with a server of its own.
  fullyParallel: false,
  workers: 2,
  // A page shares two processors with another browser and two servers.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  projects: [
    { name: 'pages', grepInvert: /@timed/ },
    // What measures how fast pages are has the machine for itself.
    { name: 'timed', grep: /@timed/, dependencies: ['pages'] },
  ],
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      // Containers run as root and have a small /dev/shm.
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    },
  },
});
