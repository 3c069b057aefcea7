import { edit } from './edit.ts';
import { list } from './list.ts';
import { plan } from './plan.ts';
import { read } from './read.ts';
import { run } from './run.ts';
import { search } from './search.ts';
import type { Tool } from './tool.ts';
import { write } from './write.ts';

/** Everything that the model can do. */
export const tools: readonly Tool[] = [read, list, search, edit, write, run, plan];
