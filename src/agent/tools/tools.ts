import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { list } from './list.ts';
import { plan } from './plan.ts';
import { read } from './read.ts';
import { output, run } from './run.ts';
import { search } from './search.ts';
import { task } from './task.ts';
import type { Tool } from './tool.ts';
import { write } from './write.ts';

/** The tools of every session. Those of the web and of MCP servers come on top where there are any. */
export const tools: readonly Tool[] = [read, list, glob, search, edit, write, run, output, plan, task];
