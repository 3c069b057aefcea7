import path from 'node:path';
import process from 'node:process';
import { defined } from '../../src/base/defined.ts';

/** The folder with the programs built by the test run. Without one, they are started from their sources. */
const built = process.env['ERRAND_TEST_PROGRAMS'];

const programFile = (name: string, source: string): string =>
	built === undefined ? path.resolve(source) : path.join(built, name);

/** The local service. */
export const SERVICE_PROGRAM = programFile('service.js', 'src/service/entry.ts');

/** Errand's own agent. */
export const AGENT_PROGRAM = programFile('agent.js', 'src/agent/main.ts');

/** The first program in an agent's sandbox. */
export const SANDBOX_PROGRAM = programFile('sandbox.js', 'src/agents/sandbox/inside.ts');

/** The service for a team: its front ends, its workers, and what its operators do. */
export const TEAM_PROGRAM = programFile('errand-service.js', 'src/team/main.ts');

/** The MCP server. */
export const MCP_PROGRAM = programFile('mcp.js', 'src/mcp/server/main.ts');

/**
 * The variable for the compile cache of the test run. Agents do not inherit the tests' variables, and without this one
 * their program would be compiled anew at each start, which takes longer than most of its work.
 */
export const COMPILE_CACHE = defined({ NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] });
