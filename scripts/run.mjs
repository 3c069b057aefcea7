// npm run <name>: the daily loop; `node scripts/run.mjs` lists the names.
import { handOver } from './bootstrap/handOver.mjs';

await handOver('run.ts');
