// npm start [-- <folder>]: opens an editor with the extension, on a sample repository unless a folder is named.
import { handOver } from './bootstrap/handOver.mjs';

await handOver('start.ts');
