// npm test: the gate; with --all, every test there is. The last line is always `N passed, N failed`.
import { handOver } from './bootstrap/handOver.mjs';

await handOver('test.ts', { onFailedSetup: () => console.log('0 passed, 1 failed') });
